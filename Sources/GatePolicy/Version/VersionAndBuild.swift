/// A version with its build number in parentheses, as Apple's and Flutter's tools print it:
/// `1.3.0 (93)`.
package struct VersionAndBuild: Sendable, Hashable {
    package let version: AppVersion
    /// The number in parentheses; `nil` if there are none.
    package let build: UInt64?

    package init(parsing text: String) throws(VersionError) {
        try self.init(text.trimmingBlanks)
    }

    /// Reads a version without blanks around it.
    init(_ text: Substring) throws(VersionError) {
        guard text.utf8.count <= AppVersion.maximumLength else { throw .tooLong }
        guard text.utf8.last == UInt8(ascii: ")"), let open = text.utf8.firstIndex(of: 0x28) else {
            self.version = try AppVersion(text)
            self.build = nil
            return
        }
        let version = text[..<open].trimmingBlanks
        // A build alone does not say which version it is a build of, but it is not nothing.
        guard !version.isEmpty else { throw .emptyPart }
        self.version = try AppVersion(version)
        self.build = try Self.build(text[open...].dropFirst().dropLast())
    }

    /// Reads a build number: digits only, below 2^64.
    static func build(_ text: Substring) throws(VersionError) -> UInt64 {
        guard let number = DecimalNumber(digits: text.utf8)?.integer else {
            throw .invalidBuildNumber(Excerpt(text).text)
        }
        return number
    }
}
