internal import GatePolicy

/// The name of an app, a platform or a channel in a rules file.
///
/// Names are compared literally. A string that other tools interpret as a pattern, a list or a
/// negation is rejected: no client has such a name, and a rule for it would never match.
struct ClientName: Sendable, Equatable {
    enum Kind: String, Sendable {
        case app, platform, channel
    }

    /// Terms that mean all clients in other tools.
    private static let words: Set<String> = [
        "*", "all", "any", "both", "every", "everything", ".*",
    ]
    /// Separators of names in other tools; in a header field, a comma also separates values.
    private static let separators: Set<Character> = [",", "|", ";"]
    /// Separators of platforms; the names of known platforms do not contain them.
    private static let platformSeparators: Set<Character> = ["/", "&", "+", " "]
    private static let negations: Set<Character> = ["!", "~"]

    let text: String

    init(parsing text: String, as kind: Kind) throws(InvalidText) {
        let trimmed = String(text[...].trimmingBlanks)
        if Self.words.contains(trimmed.lowercased()) {
            throw InvalidText("leave out '\(kind)': without it, the rule applies to every \(kind)")
        }
        if let first = trimmed.first, Self.negations.contains(first) {
            throw InvalidText(
                "negation is not supported; list each \(kind) that the rule applies to"
            )
        }
        try Self.checkList(trimmed, kind)
        let isBetweenSlashes = trimmed.count > 1 && trimmed.hasPrefix("/") && trimmed.hasSuffix("/")
        if isBetweenSlashes || trimmed.hasPrefix("^") || trimmed.hasSuffix("$") {
            throw InvalidText(Self.noPatterns(kind))
        }
        if trimmed.contains("*"), kind != .app { throw InvalidText(Self.noPatterns(kind)) }
        self.text = text
    }

    private static func noPatterns(_ kind: Kind) -> String {
        kind == .app
            ? "only patterns such as 'com.example.*' are supported, not regular expressions"
            : "patterns are not supported here; list each \(kind)"
    }

    private static func checkList(_ text: String, _ kind: Kind) throws(InvalidText) {
        var names = self.names(text.split(whereSeparator: { self.separators.contains($0) }))
        if names.count < 2, !text.contains(where: { self.separators.contains($0) }) {
            guard kind == .platform, !Platform.isKnown(text) else { return }
            // `ios/android` and `iOS and Android` are lists, but only if each part is a known
            // platform.
            let parts = text.split(whereSeparator: { self.platformSeparators.contains($0) })
                .filter { !["and", "or"].contains($0.lowercased()) }
            guard parts.count > 1, parts.allSatisfy({ Platform.isKnown(String($0)) }) else {
                return
            }
            names = self.names(parts)
        }
        let list = names.map { $0.contains(where: { "*!".contains($0) }) ? "\"\($0)\"" : $0 }
        throw InvalidText("write a list: \(kind): [\(list.joined(separator: ", "))]")
    }

    private static func names(_ parts: [Substring]) -> [String] {
        parts.map {
            String($0.trimmingBlanks.drop { "(\"'[".contains($0) }.prefix { !")\"']".contains($0) })
        }
        .filter { !$0.isEmpty }
    }
}

extension Element {
    /// Decodes the name of an app, a platform or a channel.
    func clientName(_ kind: ClientName.Kind, _ problems: Problems) -> String? {
        let expected = kind == .app ? "an app identifier" : "a \(kind)"
        return self.parsed(as: expected, problems) { text throws(InvalidText) in
            try ClientName(parsing: text, as: kind).text
        }
    }

    /// Decodes an app identifier or a pattern of app identifiers.
    func appPattern(_ problems: Problems) -> AppPattern? {
        guard let text = self.clientName(.app, problems) else { return nil }
        return Element(content: .text(text), place: self.place)
            .parsed(as: "an app identifier", problems, by: AppPattern.init(parsing:))
    }
}
