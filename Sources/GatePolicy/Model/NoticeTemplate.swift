/// A text with places for what is only known when a client asks.
///
/// `Version {currentVersion} no longer works.` has one place; `{{` and `}}` are the braces
/// themselves.
package struct NoticeTemplate: Sendable, Equatable {
    /// The places for a template, each of which decides what it can say.
    package enum Use: Sendable {
        case notice
        /// A `body`, which can also say the words of the notice and the terms of the decision.
        case body

        fileprivate var placeholders: [NoticePlaceholder] {
            switch self {
            case .notice: NoticePlaceholder.inNotices
            case .body: NoticePlaceholder.allCases
            }
        }
    }

    private enum Piece: Sendable, Equatable {
        case text(String)
        case placeholder(NoticePlaceholder)
    }

    /// The text for a value that nobody knows.
    static let unknown = "–"

    private let pieces: [Piece]

    package init(
        parsing text: String,
        for use: Use = .notice
    ) throws(NoticeTemplateError) {
        var pieces: [Piece] = []
        var literal = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "{" || scalar == "}" else {
                literal.unicodeScalars.append(scalar)
                continue
            }
            if rest.first == scalar {
                literal.unicodeScalars.append(scalar)
                rest.removeFirst()
                continue
            }
            guard scalar == "{" else { throw .strayBrace }
            guard let end = rest.firstIndex(of: "}") else { throw .unclosedBrace }
            let name = String(rest[..<end])
            guard let placeholder = NoticePlaceholder(rawValue: name),
                use.placeholders.contains(placeholder)
            else {
                throw .unknownPlaceholder(name, known: use.placeholders.map(\.rawValue))
            }
            pieces += [.text(literal), .placeholder(placeholder)]
            literal = ""
            rest = rest[rest.index(after: end)...]
        }
        pieces.append(.text(literal))
        self.pieces = pieces.filter { $0 != .text("") }
    }

    /// The places of the template, in their order.
    var places: [NoticePlaceholder] {
        self.pieces.compactMap { piece in
            guard case .placeholder(let placeholder) = piece else { return nil }
            return placeholder
        }
    }

    /// The place of a template that is nothing but this place.
    var onlyPlaceholder: NoticePlaceholder? { self.pieces.count == 1 ? self.places.first : nil }

    /// A template without places.
    init(literal: String) {
        self.pieces = [.text(literal)]
    }

    /// The text with every place filled.
    func filled(with values: [NoticePlaceholder: String]) -> String {
        self.pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .placeholder(let placeholder): values[placeholder] ?? Self.unknown
            }
        }.joined()
    }
}

/// The names that a text of the gate can have for facts about the client, its update and the
/// decision.
enum NoticePlaceholder: String, Sendable, CaseIterable {
    case currentVersion, minimumVersion, latestVersion, minimumBuild, latestBuild, platform, app
    case title, message, button, storeUrl, status, decision, rule, revision

    /// Those that the words of a notice can use; the others are known only where the words are.
    static let inNotices: [NoticePlaceholder] = [
        .currentVersion, .minimumVersion, .latestVersion, .minimumBuild, .latestBuild, .platform,
        .app,
    ]

    /// Whether the value is a number in JSON.
    var isNumber: Bool { self == .minimumBuild || self == .status }
}

/// Why a text is not a notice template.
package enum NoticeTemplateError: Error, Sendable, Equatable {
    /// A name in braces is none of the known ones.
    case unknownPlaceholder(String, known: [String])
    /// A `{` has no `}` after it.
    case unclosedBrace
    /// A `}` has no `{` before it.
    case strayBrace
}

extension NoticeTemplateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownPlaceholder(let name, let known):
            "there is no placeholder '{\(name)}'; there are "
                + known.map { "{\($0)}" }.joined(separator: ", ")
        case .unclosedBrace:
            "a '{' has no '}'; write '{{' for the brace itself"
        case .strayBrace:
            "a '}' has no '{'; write '}}' for the brace itself"
        }
    }
}
