/// A value of a rules file and its location, before it is decoded.
struct Element: Sendable {
    enum Content: Sendable {
        /// A quoted scalar, or a plain scalar of no other kind.
        case text(String)
        /// A plain scalar that YAML resolves to a number, as written.
        case number(String)
        /// A plain scalar that YAML resolves to a Boolean, as written.
        case boolean(String)
        /// A plain scalar that YAML resolves to a date, as written.
        case date(String)
        case nothing
        case list([Element])
        case mapping([Entry])
    }

    /// A key of a mapping and its value.
    struct Entry: Sendable {
        let key: String
        let place: Place
        let value: Element
    }

    let content: Content
    let place: Place

    /// The kind of element, for messages of the form "expected …, found …".
    var found: String {
        switch self.content {
        case .text(let text): "the text '\(text)'"
        case .number(let text): "the number \(text)"
        case .boolean(let text): "the Boolean \(text)"
        case .date(let text): "the date \(text)"
        case .nothing: "nothing"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }

    /// The scalar as written, if quoting it would probably fix the error.
    var unquoted: String? {
        switch self.content {
        case .number(let text), .boolean(let text): text
        case .text, .date, .nothing, .list, .mapping: nil
        }
    }
}
