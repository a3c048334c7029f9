/// One value of a rules file and its place, before it means anything.
package struct Element: Sendable {
    package enum Content: Sendable {
        /// A quoted scalar, or a plain one that cannot be read as anything else.
        case text(String)
        /// A plain scalar that YAML takes for a number, as it is written.
        case number(String)
        /// A plain scalar that YAML takes for a truth value, as it is written.
        case boolean(String)
        /// A plain scalar that YAML takes for a date, as it is written.
        case date(String)
        case nothing
        case list([Element])
        case mapping([Entry])
    }

    /// A key of a mapping and what it says.
    package struct Entry: Sendable {
        package let key: String
        package let place: Place
        let value: Element

        package init(key: String, place: Place, value: Element) {
            self.key = key
            self.place = place
            self.value = value
        }
    }

    package let content: Content
    package let place: Place

    package init(content: Content, place: Place) {
        self.content = content
        self.place = place
    }

    /// The kind of element, for a message that says what was expected in its place.
    var found: String {
        switch self.content {
        case .text(let text): "the text '\(text)'"
        case .number(let text): "the number \(text)"
        case .boolean(let text): "the truth value \(text)"
        case .date(let text): "the date \(text)"
        case .nothing: "nothing"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }

    /// The scalar as it is written, if quotes are what it probably wants.
    var unquoted: String? {
        switch self.content {
        case .number(let text), .boolean(let text): text
        case .text, .date, .nothing, .list, .mapping: nil
        }
    }
}
