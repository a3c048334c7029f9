/// The place of a header field line in the bytes that carried it; nothing of it is copied.
package struct FieldLine: Equatable, Sendable {
    /// The first byte of the name.
    package var start: Int
    /// The colon.
    package var nameEnd: Int
    /// The first byte of the value, blanks trimmed.
    package var valueStart: Int
    /// One past the last byte of the value, blanks trimmed.
    package var valueEnd: Int
    /// One past the line feed.
    package var end: Int
    package var role: FieldRole

    /// The place of the value.
    var value: Range<Int> { self.valueStart..<self.valueEnd }

    /// Whether others may read a list from the value.
    func hasComma(in bytes: Span<UInt8>) -> Bool {
        for index in self.valueStart..<self.valueEnd where bytes[index] == ASCII.comma {
            return true
        }
        return false
    }
}
