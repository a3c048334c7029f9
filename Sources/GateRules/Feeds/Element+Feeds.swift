package import GatePolicy
package import GateSystem

/// Decodes values that several kinds of feeds use.
extension Element {
    /// Decodes `{ env: NAME }` or `{ file: PATH }`.
    package func secret(_ problems: Problems) -> Secret? {
        guard case .mapping = self.content else {
            // The string may be the secret itself, so the message does not repeat it.
            let message =
                "a secret must not be in the rules; set its location: { env: NAME } or "
                + "{ file: PATH }"
            return problems.reject(message, at: self.place)
        }
        guard let fields = Fields(self, ["env", "file"], problems) else { return nil }
        switch (fields["env"], fields["file"]) {
        case (let name?, nil):
            return name.text("the name of an environment variable", problems)
                .map { .environment($0) }
        case (nil, let path?):
            return path.text("a file path", problems).map { .file($0) }
        case (nil, nil), (_?, _?):
            let message = "a secret needs either 'env' or 'file': { env: NAME } or { file: PATH }"
            return problems.reject(message, at: self.place)
        }
    }

    /// Decodes a name that becomes part of the source's URL.
    ///
    /// - Parameters:
    ///   - noun: The kind of name, for messages.
    ///   - example: A valid example.
    ///   - marks: The permitted ASCII characters besides letters and digits.
    ///   - problems: The list to which problems are added.
    /// - Returns: The name; `nil` if it is invalid.
    package func name(
        _ noun: String,
        suchAs example: String,
        marks: String,
        _ problems: Problems
    ) -> String? {
        guard let text = self.text(noun, problems) else { return nil }
        let isName = text.allSatisfy { character in
            character.isASCII && (character.isLetter || character.isNumber)
                || marks.contains(character)
        }
        if isName { return text }
        let message = "'\(text)' is not \(noun) such as '\(example)'"
        return problems.reject(message, at: self.place)
    }

    /// Decodes a language tag.
    package func language(_ problems: Problems) -> LanguageTag? {
        guard let text = self.text("a language tag", problems) else { return nil }
        return LanguageTag(text) ?? problems.reject(language: text, at: self.place)
    }

    /// Decodes the hosts to which redirects are allowed.
    package func hosts(_ problems: Problems) -> [HostPattern] {
        self.oneOrMore(problems).compactMap { element in
            guard let text = element.text("a host", problems) else { return nil }
            if let pattern = HostPattern(text) { return pattern }
            let message = "'\(text)' is not a host such as 'cdn.example.com' or '.example.com'"
            return problems.reject(message, at: element.place)
        }
    }
}
