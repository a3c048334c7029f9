/// A version with its build number in parentheses, as Apple's and Flutter's tools print it:
/// `1.3.0 (93)`.
package struct VersionAndBuild: Sendable, Hashable {
    package let version: AppVersion
    /// The number in parentheses; `nil` if there are none.
    package let build: UInt64?

    package init(parsing text: String) throws(VersionError) {
        let bytes = text.utf8Span.span
        try self.init(bytes.extracting(bytes.withoutBlanks(0..<bytes.count)))
    }

    /// Reads a version without blanks around it.
    init(_ text: Span<UInt8>) throws(VersionError) {
        guard text.count <= AppVersion.maximumLength else { throw .tooLong }
        let end = text.count - 1
        guard end >= 0, text[end] == UInt8(ascii: ")"),
            let open = text.firstIndex(of: UInt8(ascii: "("))
        else {
            self.version = try AppVersion(text)
            self.build = nil
            return
        }
        let version = text.withoutBlanks(0..<open)
        // A build alone does not say which version it is a build of, but it is not nothing.
        guard !version.isEmpty else { throw .emptyPart }
        self.version = try AppVersion(text.extracting(version))
        self.build = try Self.build(text.extracting(open + 1..<end))
    }

    /// Reads a build number: digits only, below 2^64.
    static func build(_ text: Span<UInt8>) throws(VersionError) -> UInt64 {
        guard let number = DecimalNumber(digits: text)?.integer else {
            throw .invalidBuildNumber(Excerpt(text).text)
        }
        return number
    }
}
