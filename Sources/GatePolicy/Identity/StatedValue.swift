/// Reads one value that a client states for a part of its identity, without blanks around it.
enum StatedValue {
    /// The longest value of a part other than a version, in bytes.
    static let maximumLength = 256

    /// The value as a name: app, channel or device.
    static func name(_ value: Span<UInt8>) -> Claim<String> {
        self.isName(value) ? .stated(value.text) : self.unreadable(value)
    }

    /// A name in lower case, as ASCII has it.
    static func lowercasedName(_ value: Span<UInt8>) -> Claim<String> {
        self.isName(value) ? .stated(value.lowercasedText) : self.unreadable(value)
    }

    static func platform(_ value: Span<UInt8>) -> Claim<Platform> {
        self.isName(value) ? .stated(Platform(value)) : self.unreadable(value)
    }

    static func version(_ value: Span<UInt8>) -> Claim<AppVersion> {
        do throws(VersionError) {
            return .stated(try AppVersion(value))
        } catch {
            return self.unreadable(value)
        }
    }

    static func build(_ value: Span<UInt8>) -> Claim<BuildNumber> {
        do throws(VersionError) {
            return .stated(try BuildNumber(value))
        } catch {
            return self.unreadable(value)
        }
    }

    /// A country code (ISO 3166-1 alpha-2), lower case.
    static func country(_ value: Span<UInt8>) -> Claim<String> {
        guard value.count == 2, value.allSatisfy(\.isLetter) else { return self.unreadable(value) }
        return .stated(value.lowercasedText)
    }

    /// The country of a store, from a code of two or three letters.
    static func storefront(_ value: Span<UInt8>) -> Claim<String> {
        Storefront.country(value.text).map { .stated($0) } ?? self.unreadable(value)
    }

    static func isName(_ value: Span<UInt8>) -> Bool {
        // A decoded query value can hold a line break, which must never reach a header.
        value.count <= Self.maximumLength && value.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func unreadable<Value>(_ value: Span<UInt8>) -> Claim<Value> {
        .unreadable(Excerpt(value).text)
    }
}
