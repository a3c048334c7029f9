/// A YAML or JSON file with settings; each value is a scalar or a list of scalars.
package struct SettingsFile: Sendable {
    package struct Entry: Sendable {
        package let key: String
        /// The value as written; the items of a list are joined by commas.
        package let text: String
        fileprivate let place: Place

        /// Returns an error about the entry with its location, as `file:line:col: message`.
        package func remark(_ message: String) -> RulesFileError {
            RulesFileError(self.place, message)
        }
    }

    package let entries: [Entry]

    /// Reads settings from a file.
    ///
    /// - Throws: An error with its location if the file is invalid or cannot be read.
    package init(path: String) throws(RulesFileError) {
        try self.init(RulesSource(path: path))
    }

    /// Reads settings from memory; errors show the given name.
    package init(name: String, bytes: [UInt8]) throws(RulesFileError) {
        try self.init(RulesSource(name: name, bytes: bytes))
    }

    private init(_ source: RulesSource) throws(RulesFileError) {
        let root = try source.parsed()
        guard case .mapping(let entries) = root.content else {
            throw RulesFileError(root.place, "expected settings, found \(root.found)")
        }
        self.entries = try entries.map { entry throws(RulesFileError) in
            Entry(key: entry.key, text: try Self.text(of: entry), place: entry.place)
        }
    }

    private static func text(of entry: Element.Entry) throws(RulesFileError) -> String {
        if case .list(let items) = entry.value.content {
            return try items.map { item throws(RulesFileError) in try Self.scalar(item, of: entry) }
                .joined(separator: ",")
        }
        return try Self.scalar(entry.value, of: entry)
    }

    private static func scalar(
        _ element: Element,
        of entry: Element.Entry
    ) throws(RulesFileError) -> String {
        if let text = element.scalar { return text }
        if case .nothing = element.content { return "" }
        let message = "expected a string or a list of strings, found \(element.found)"
        throw RulesFileError(element.place, "'\(entry.key)': \(message)")
    }
}
