/// The keys and values of a mapping; unknown keys are reported.
package struct Fields {
    package let place: Place
    private let entries: [String: Element.Entry]
    private let problems: Problems

    /// Decodes the known keys of a mapping; returns `nil` if the element is not a mapping.
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

    /// The value of a key; `nil` if the mapping does not contain it.
    package subscript(key: String) -> Element? { self.entries[key]?.value }

    /// Returns the location of a key.
    package func place(of key: String) -> Place? { self.entries[key]?.place }

    /// Returns the value of a required key; `noun` names the mapping in the error.
    package func required(_ key: String, of noun: String) -> Element? {
        if let value = self[key] { return value }
        return self.problems.reject("\(noun) needs '\(key)'", at: self.place)
    }

    /// Returns the items of a key's list; empty if the key is missing.
    func items(_ key: String) -> [Element] {
        self[key]?.list(self.problems) ?? []
    }

    /// Decodes the value of a key as one of the raw values of an enumeration.
    package func choice<Word: RawRepresentable<String> & CaseIterable>(
        _ key: String,
        of words: Word.Type
    ) -> Word? {
        self[key].flatMap { $0.choice(of: words, self.problems) }
    }

    /// Reports a key, if it is present; the message is the key followed by the reason.
    package func refuse(_ key: String?, _ reason: String) {
        guard let key, let place = self.place(of: key) else { return }
        self.problems.report("'\(key)' \(reason)", at: place)
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
