/// The keys and values of a mapping; unknown keys are reported.
package struct Fields {
    package let place: Place
    private let entries: [String: Element.Entry]
    private let problems: Problems

    /// Decodes the keys of a mapping; `nil` if the element is not a mapping.
    ///
    /// - Parameters:
    ///   - element: The mapping.
    ///   - keys: The known keys.
    ///   - problems: The collection for errors about unknown keys.
    package init?(_ element: Element, _ keys: [String], _ problems: Problems) {
        guard let entries = element.entries(problems) else { return nil }
        var known: [String: Element.Entry] = [:]
        for entry in entries {
            if keys.contains(entry.key) {
                known[entry.key] = entry
            } else {
                Self.report(entry, notAmong: keys, problems)
            }
        }
        self.place = element.place
        self.entries = known
        self.problems = problems
    }

    /// The value of a key; `nil` if the mapping does not have it.
    package subscript(key: String) -> Element? { self.entries[key]?.value }

    /// Returns the location of a key.
    package func place(of key: String) -> Place? { self.entries[key]?.place }

    /// Returns the value of a required key; `noun` names the mapping in the error.
    package func required(_ key: String, of noun: String) -> Element? {
        if let value = self[key] { return value }
        return self.problems.reject("\(noun) needs '\(key)'", at: self.place)
    }

    private static func report(
        _ entry: Element.Entry,
        notAmong keys: [String],
        _ problems: Problems
    ) {
        let nearest = Spelling.hint(for: entry.key, among: keys)
        let known = keys.filter { !$0.hasPrefix("$") }.joined(separator: ", ")
        let hint = nearest.isEmpty ? "; the known keys are \(known)" : nearest
        problems.report("unknown key '\(entry.key)'\(hint)", at: entry.place)
    }
}
