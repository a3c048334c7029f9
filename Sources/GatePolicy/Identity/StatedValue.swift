/// Parses the values of the parts of an identity.
///
/// Surrounding whitespace must already have been removed.
enum StatedValue {
    /// The maximum length of a value other than a version, in bytes.
    static let maximumLength = 256

    /// Parses the name of an app, channel or device.
    static func name(_ value: Span<UInt8>) -> Claim<String> {
        self.isName(value) ? .stated(value.text) : self.unreadable(value)
    }

    /// Parses a name and converts its ASCII letters to lower case.
    static func lowercasedName(_ value: Span<UInt8>) -> Claim<String> {
        self.isName(value) ? .stated(value.lowercasedText) : self.unreadable(value)
    }

    static func platform(_ value: Span<UInt8>) -> Claim<Platform> {
        self.isName(value) ? .stated(Platform(value)) : self.unreadable(value)
    }

    static func version(_ value: Span<UInt8>) -> Claim<AppVersion> {
        (try? AppVersion(value)).map { .stated($0) } ?? self.unreadable(value)
    }

    static func build(_ value: Span<UInt8>) -> Claim<BuildNumber> {
        BuildNumber.read(value).map { .stated($0) } ?? self.unreadable(value)
    }

    /// Parses a country code (ISO 3166-1 alpha-2) and converts it to lower case.
    static func country(_ value: Span<UInt8>) -> Claim<String> {
        guard value.count == 2, value.allSatisfy(\.isLetter) else { return self.unreadable(value) }
        return .stated(value.lowercasedText)
    }

    /// Parses the country of a store from a two- or three-letter code.
    static func storefront(_ value: Span<UInt8>) -> Claim<String> {
        Storefront.country(value.text).map { .stated($0) } ?? self.unreadable(value)
    }

    static func isName(_ value: Span<UInt8>) -> Bool {
        // A decoded query value can contain a line break, which must never be written to a header
        // field.
        value.count <= Self.maximumLength && value.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func unreadable<Value>(_ value: Span<UInt8>) -> Claim<Value> {
        .unreadable(Excerpt(value).text)
    }
}
