/// The name of a rule or a notice, which appears in headers, logs and metrics.
struct Name: Sendable, Equatable {
    private static let marks = Array("._-".utf8)

    let text: String

    init(parsing text: String) throws(InvalidText) {
        let isName = text.utf8.allSatisfy { $0.isLetterOrDigit || Self.marks.contains($0) }
        guard let first = text.utf8.first, first.isLetterOrDigit, text.utf8.count <= 64, isName
        else {
            throw InvalidText(
                "it must be 1 to 64 letters, digits, '.', '_' or '-', and begin with a letter or digit"
            )
        }
        self.text = text
    }
}

/// Byte tests for names.
///
/// A large file contains many names. A regular expression, which is compiled at each use, would be
/// a thousand times slower.
extension UInt8 {
    /// Whether the byte is an ASCII letter.
    var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// Whether the byte is an ASCII letter or digit.
    var isLetterOrDigit: Bool { self.isLetter || (0x30...0x39).contains(self) }
}
