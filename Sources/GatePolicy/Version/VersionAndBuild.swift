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
        let (version, build) = try Self.places(in: text)
        self.version = try AppVersion(text.extracting(version))
        if let build {
            self.build = try Self.build(text.extracting(build))
        } else {
            self.build = nil
        }
    }

    /// The places of the version and the number in parentheses in a text without blanks around it.
    static func places(
        in text: Span<UInt8>
    ) throws(VersionError) -> (version: Range<Int>, build: Range<Int>?) {
        guard text.count <= AppVersion.maximumLength else { throw .tooLong }
        let end = text.count - 1
        guard end >= 0, text[end] == UInt8(ascii: ")"),
            let open = text.firstIndex(of: UInt8(ascii: "("))
        else { return (0..<text.count, nil) }
        let version = text.withoutBlanks(0..<open)
        // A build alone does not say which version it is a build of, but it is not nothing.
        guard !version.isEmpty else { throw .emptyPart }
        return (version, open + 1..<end)
    }

    /// Reads a build number: digits only, below 2^64.
    static func build(_ text: Span<UInt8>) throws(VersionError) -> UInt64 {
        guard let number = DecimalNumber(digits: text)?.integer else {
            throw .invalidBuildNumber(Excerpt(text).text)
        }
        return number
    }
}
