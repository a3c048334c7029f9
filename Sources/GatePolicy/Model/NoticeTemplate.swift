/// A string with placeholders for values that are known only at the time of a request.
///
/// `Version {currentVersion} no longer works.` has one placeholder; `{{` and `}}` are literal
/// braces.
package struct NoticeTemplate: Sendable, Equatable {
    /// The use of a template, which determines the available placeholders.
    package enum Use: Sendable {
        case notice
        /// A `body`, which can also contain the texts of the notice and the terms of the decision.
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

    /// The string that replaces a placeholder whose value is unknown.
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

    /// The placeholders of the template, in order of occurrence.
    var places: [NoticePlaceholder] {
        self.pieces.compactMap { piece in
            guard case .placeholder(let placeholder) = piece else { return nil }
            return placeholder
        }
    }

    /// The placeholder, if the template consists of a single placeholder; otherwise `nil`.
    var onlyPlaceholder: NoticePlaceholder? { self.pieces.count == 1 ? self.places.first : nil }

    /// Creates a template without placeholders.
    init(literal: String) {
        self.pieces = [.text(literal)]
    }

    /// Returns the string with the placeholders replaced by their values.
    func filled(with values: [NoticePlaceholder: String]) -> String {
        self.pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .placeholder(let placeholder): values[placeholder] ?? Self.unknown
            }
        }.joined()
    }
}

/// The placeholders for facts about the client, the update and the decision.
enum NoticePlaceholder: String, Sendable, CaseIterable {
    case currentVersion, minimumVersion, latestVersion, minimumBuild, latestBuild, platform, app
    case title, message, button, storeUrl, status, decision, rule, revision

    /// The placeholders that notices can contain.
    ///
    /// The other placeholders are available only in a `body`.
    static let inNotices: [NoticePlaceholder] = [
        .currentVersion, .minimumVersion, .latestVersion, .minimumBuild, .latestBuild, .platform,
        .app,
    ]

    /// Whether the value of the placeholder is a number in JSON.
    var isNumber: Bool { self == .minimumBuild || self == .status }
}

/// The reason why a string is not a valid notice template.
package enum NoticeTemplateError: Error, Sendable, Equatable, CustomStringConvertible {
    case unknownPlaceholder(String, known: [String])
    case unclosedBrace
    case strayBrace

    package var description: String {
        switch self {
        case .unknownPlaceholder(let name, let known):
            "unknown placeholder '{\(name)}'; the placeholders are "
                + known.map { "{\($0)}" }.joined(separator: ", ")
        case .unclosedBrace:
            "'{' without '}'; write '{{' for a literal brace"
        case .strayBrace:
            "'}' without '{'; write '}}' for a literal brace"
        }
    }
}
