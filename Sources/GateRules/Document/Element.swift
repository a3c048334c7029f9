/// A value in a rules file before decoding, and its location.
package struct Element: Sendable {
    package enum Content: Sendable {
        /// A quoted scalar, or a plain scalar that YAML resolves to a string.
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

    /// The kind of element, for messages of the form "expected …, found …".
    var found: String {
        switch self.content {
        case .text(let text): "the string '\(text)'"
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

/// Reads elements without reporting problems.
extension Element {
    /// The value of a key in a mapping, or the item at an index in a list; `nil` if there is none.
    subscript(key: String) -> Element? {
        switch self.content {
        case .mapping(let entries): entries.first { $0.key == key }?.value
        case .list(let items): Int(key).flatMap { items.indices.contains($0) ? items[$0] : nil }
        case .text, .number, .boolean, .date, .nothing: nil
        }
    }

    /// The scalar as written; `nil` if the element is not a scalar.
    var scalar: String? {
        switch self.content {
        case .text(let text), .number(let text), .boolean(let text), .date(let text): text
        case .nothing, .list, .mapping: nil
        }
    }

    var entries: [Entry] {
        if case .mapping(let entries) = self.content { entries } else { [] }
    }

    var items: [Element] {
        if case .list(let items) = self.content { items } else { [] }
    }

    /// The items of a list, or the element itself.
    var listed: [Element] {
        if case .list(let items) = self.content { items } else { [self] }
    }
}

/// A location in a rules file; lines and columns start at 1, as in editors.
package struct Place: Sendable, Hashable {
    let file: String
    var line = 1
    var column = 1
}

extension Place: CustomStringConvertible {
    package var description: String { "\(self.file):\(self.line):\(self.column)" }
}

/// A value and its location, for checks across files.
struct Located<Value: Sendable>: Sendable {
    let value: Value
    let place: Place
}
