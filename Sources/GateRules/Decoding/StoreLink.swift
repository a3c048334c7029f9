/// The store URL that a client opens to update: an absolute web URL, or a URL of a store app.
package struct StoreLink: Sendable, Equatable {
    /// Reasons why a string is not a store URL.
    package enum Failure: Error, CustomStringConvertible {
        case forbiddenCharacter(Unicode.Scalar)
        case notAbsolute
        case unsafeScheme(String)

        package var description: String {
            switch self {
            case .forbiddenCharacter(let scalar):
                "a URL cannot contain \(Self.name(of: scalar)); percent-encode it"
            case .notAbsolute:
                "it must be absolute, such as 'https://apps.apple.com/app/id1' "
                    + "or 'market://details?id=com.example'"
            case .unsafeScheme(let scheme):
                "a '\(scheme)' URL cannot open a store"
            }
        }

        private static func name(of scalar: Unicode.Scalar) -> String {
            scalar == " " ? "a space" : "'\(scalar)'"
        }
    }

    /// Schemes that run code or reveal data on the client instead of opening a store.
    private static let unsafeSchemes: Set<String> = ["javascript", "data", "vbscript", "file"]

    /// Schemes that open the store app without anything after `://`, such as TestFlight's.
    private static let bareSchemes: Set<String> = ["itms-beta"]

    private static let forbidden: Set<Unicode.Scalar> = [
        " ", "\"", "<", ">", "\\", "^", "`", "{", "|", "}",
    ]

    package let text: String

    package init(parsing text: String) throws(Failure) {
        for scalar in text.unicodeScalars
        where !(0x20..<0x7F).contains(scalar.value) || Self.forbidden.contains(scalar) {
            throw .forbiddenCharacter(scalar)
        }
        let scheme = text.prefix { $0 != ":" }
        guard !Self.unsafeSchemes.contains(scheme.lowercased()) else {
            throw .unsafeScheme(String(scheme))
        }
        let rest = text[scheme.endIndex...]
        let isBare = Self.bareSchemes.contains(scheme.lowercased()) && rest == "://"
        guard Self.isScheme(scheme), isBare || Self.hasAuthority(rest) else { throw .notAbsolute }
        self.text = text
    }

    /// Whether the string is a scheme (RFC 3986 section 3.1).
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, first.isLetter else { return false }
        return text.utf8.allSatisfy { $0.isLetterOrDigit || "+.-".utf8.contains($0) }
    }

    /// Whether the text after the scheme is `://` followed by a valid first character of a host.
    private static func hasAuthority(_ rest: Substring) -> Bool {
        guard rest.hasPrefix("://"), let first = rest.utf8.dropFirst(3).first else { return false }
        return !"/?#".utf8.contains(first)
    }
}

extension Element {
    package func storeLink(_ problems: Problems) -> String? {
        self.parsed(as: "a store URL", problems, by: StoreLink.init(parsing:))?.text
    }
}
