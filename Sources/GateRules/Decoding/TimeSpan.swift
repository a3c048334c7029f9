/// A duration as written in a rules file, such as `90m`, `48h` or `7d`.
package struct TimeSpan: Sendable, Equatable {
    private static let longest: Int64 = 3_650 * 86_400
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    package let seconds: Int64

    package init(seconds: Int64) {
        self.seconds = seconds
    }

    package init(parsing text: String) throws(InvalidText) {
        guard let unit = text.last.flatMap({ Self.units[$0] }),
            let digits = text.wholeMatch(of: /([0-9]+)[smhd]/)?.1
        else {
            throw InvalidText(
                "write a whole number with a unit ('s', 'm', 'h' or 'd'), such as '48h'"
            )
        }
        guard let count = Int64(digits), count <= Self.longest / unit else {
            throw InvalidText("the maximum is 3650d")
        }
        self.seconds = count * unit
    }
}

extension TimeSpan: CustomStringConvertible {
    /// The duration in hours, minutes or seconds: the largest unit that yields a whole number, so
    /// two days are `48h`.
    package var description: String {
        for (unit, length) in [("h", Int64(3_600)), ("m", 60)]
        where self.seconds.isMultiple(of: length) {
            return "\(self.seconds / length)\(unit)"
        }
        return "\(self.seconds)s"
    }
}
