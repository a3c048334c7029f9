internal import GatePolicy

/// The name of an app, a platform or a channel in a rules file.
///
/// Names are compared as they stand. A text that another tool would take for a pattern, a list or a negation is
/// no name of any client: a rule for it would never match.
struct ClientName: Sendable, Equatable {
    enum Kind: String, Sendable {
        case app, platform, channel
    }

    /// Why a text is not a name.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Words for all clients in other tools.
    private static let words: Set<String> = [
        "*", "all", "any", "both", "every", "everything", ".*",
    ]
    /// Characters between names in other tools; a comma separates two values of a client.
    private static let separators: Set<Character> = [",", "|", ";"]
    /// Characters between platforms, which no name of a known platform has.
    private static let platformSeparators: Set<Character> = ["/", "&", "+", " "]
    private static let negations: Set<Character> = ["!", "~"]

    let text: String

    init(parsing text: String, as kind: Kind) throws(Failure) {
        let trimmed = String(text.trimmed)
        if Self.words.contains(trimmed.lowercased()) {
            throw Failure("leave out '\(kind)': without it, the rule is for every \(kind)")
        }
        if let first = trimmed.first, Self.negations.contains(first) {
            throw Failure(
                "there is no negation here; name each \(kind) that the rule is for in a list"
            )
        }
        try Self.checkList(trimmed, kind)
        let isBetweenSlashes = trimmed.count > 1 && trimmed.hasPrefix("/") && trimmed.hasSuffix("/")
        if isBetweenSlashes || trimmed.hasPrefix("^") || trimmed.hasSuffix("$") {
            throw Failure(Self.noPatterns(kind))
        }
        if trimmed.contains("*"), kind != .app { throw Failure(Self.noPatterns(kind)) }
        self.text = text
    }

    private static func noPatterns(_ kind: Kind) -> String {
        kind == .app
            ? "only 'com.example.*' is a pattern here; regular expressions are not"
            : "patterns are not read here; name each \(kind) in a list"
    }

    private static func checkList(_ text: String, _ kind: Kind) throws(Failure) {
        var names = self.names(text.split(whereSeparator: { self.separators.contains($0) }))
        if names.count < 2, !text.contains(where: { self.separators.contains($0) }) {
            guard kind == .platform, !Platform.isKnown(text) else { return }
            // `ios/android`, `iOS and Android`: only where each part is a platform.
            let parts = text.split(whereSeparator: { self.platformSeparators.contains($0) })
                .filter { !["and", "or"].contains($0.lowercased()) }
            guard parts.count > 1, parts.allSatisfy({ Platform.isKnown(String($0)) }) else {
                return
            }
            names = self.names(parts)
        }
        let list = names.map { $0.contains(where: { "*!".contains($0) }) ? "\"\($0)\"" : $0 }
        throw Failure("write a list: \(kind): [\(list.joined(separator: ", "))]")
    }

    private static func names(_ parts: [Substring]) -> [String] {
        parts.map {
            String($0.trimmed.drop { "(\"'[".contains($0) }.prefix { !")\"']".contains($0) })
        }
        .filter { !$0.isEmpty }
    }
}

extension StringProtocol {
    fileprivate var trimmed: Substring {
        let start = self.firstIndex { $0 != " " && $0 != "\t" } ?? self.endIndex
        let end = self.lastIndex { $0 != " " && $0 != "\t" }.map { self.index(after: $0) } ?? start
        return Substring(self[start..<end])
    }
}

extension ClientName.Failure {
    fileprivate init(_ description: String) {
        self.description = description
    }
}

extension Element {
    /// The name of an app, a platform or a channel.
    func clientName(_ kind: ClientName.Kind, _ problems: Problems) -> String? {
        let expected = kind == .app ? "an app identifier" : "a \(kind)"
        guard let text = self.text(expected, problems) else { return nil }
        do throws(ClientName.Failure) {
            return try ClientName(parsing: text, as: kind).text
        } catch {
            problems.report("'\(text)' is not \(expected): \(error)", at: self.place)
            return nil
        }
    }

    /// An app identifier, or a pattern of them.
    func appPattern(_ problems: Problems) -> AppPattern? {
        guard let text = self.clientName(.app, problems) else { return nil }
        return Element(content: .text(text), place: self.place)
            .parsed(as: "an app identifier", problems, by: AppPattern.init(parsing:))
    }
}
