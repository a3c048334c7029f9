internal import GatePolicy

/// Decodes `storeUrl`: one URL, or a mapping with a `default` and URLs by channel and by country.
struct StoreURLDecoder {
    /// The key of the URLs by country; a channel cannot have this name.
    static let countries = "countries"

    let problems: Problems

    func decode(_ element: Element) -> StoreURL? {
        guard case .mapping(let entries) = element.content else {
            return element.storeLink(self.problems).map { StoreURL($0) }
        }
        var links: [String: String] = [:]
        var places: [String: Place] = [:]
        for entry in entries where entry.key != Self.countries {
            let channel = entry.key.lowercased()
            if let first = places.updateValue(entry.place, forKey: channel) {
                let message = "the channel '\(channel)' is already on line \(first.line)"
                self.problems.report(message, at: entry.place)
            }
            links[channel] = entry.value.storeLink(self.problems)
        }
        let byCountry = entries.first { $0.key == Self.countries }
            .map { self.links(byCountry: $0.value) }
        guard places["default"] != nil else {
            let message = "'storeUrl' by channel or country needs a 'default' for all other clients"
            return self.problems.reject(message, at: element.place)
        }
        return links.removeValue(forKey: "default")
            .map { StoreURL($0, channels: links, countries: byCountry ?? [:]) }
    }

    private func links(byCountry element: Element) -> [String: String] {
        var links: [String: String] = [:]
        for (code, value) in CountryDecoder(problems: self.problems).values(element) {
            links[code] = value.storeLink(self.problems)
        }
        return links
    }
}

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

    /// Whether the rest is `://` followed by a valid first character of a host.
    private static func hasAuthority(_ rest: Substring) -> Bool {
        guard rest.hasPrefix("://"), let first = rest.utf8.dropFirst(3).first else { return false }
        return !"/?#".utf8.contains(first)
    }
}

extension Element {
    func storeLink(_ problems: Problems) -> String? {
        self.parsed(as: "a store URL", problems, by: StoreLink.init(parsing:))?.text
    }
}
