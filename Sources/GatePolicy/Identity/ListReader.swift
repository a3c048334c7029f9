/// Splits lines into the values for one part of an identity, within `IdentityLimits`.
struct ListReader {
    private(set) var values = 0
    private var elements = 0
    private var length = 0

    /// Calls `body` with the range of each value of the next line until `body` returns false.
    ///
    /// The ranges do not include surrounding whitespace. `isList` indicates whether the line contains
    /// a comma.
    ///
    /// - Returns: The extent if a limit is exceeded or `body` returns false; otherwise `nil`.
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
