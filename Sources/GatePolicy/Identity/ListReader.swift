/// Takes the values for one part of an identity from its lines, no more than `IdentityLimits` allow.
struct ListReader {
    private(set) var values = 0
    private var elements = 0
    private var length = 0

    /// Hands over the places of the values of the next line, without blanks around them.
    ///
    /// - Parameters:
    ///   - bytes: What the line lies in.
    ///   - line: Its value.
    ///   - isList: Whether there is a comma in it.
    ///   - body: Takes the place of a value, and returns whether it wants the next one.
    /// - Returns: How much there is, if that is too much or no more is wanted.
    mutating func read(
        _ bytes: Span<UInt8>,
        _ line: Range<Int>,
        isList: Bool,
        _ body: (Range<Int>) -> Bool
    ) -> IdentityClaims.Extent? {
        var start = line.lowerBound
        while true {
            self.elements += 1
            guard self.elements <= IdentityLimits.elements else { return .tooMuch }
            var end = line.upperBound
            if isList {
                let rest = bytes.extracting(start..<end)
                end = rest.firstIndex(of: UInt8(ascii: ",")).map { start + $0 } ?? end
            }
            let value = bytes.withoutBlanks(start..<end)
            if !value.isEmpty {
                self.values += 1
                self.length += value.count
                let isTooLong = self.values > 1 && self.length > IdentityLimits.listLength
                guard self.values <= IdentityLimits.values, !isTooLong else { return .tooMuch }
                guard body(value) else { return .values }
            }
            guard end < line.upperBound else { return nil }
            start = end + 1
        }
    }
}
