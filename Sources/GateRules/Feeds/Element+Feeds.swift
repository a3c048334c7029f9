package import GatePolicy
package import GateSystem

/// Reads what several kinds of feeds have in common.
extension Element {
    /// An address that may be fetched from.
    package func address(_ problems: Problems) -> FetchURL? {
        guard let text = self.text("an address", problems) else { return nil }
        do {
            return try FetchURL(parsing: text)
        } catch {
            // The text is not repeated: it may hold what should not be shown.
            problems.report("this is no address to fetch from: \(error)", at: self.place)
            return nil
        }
    }

    /// `{ env: NAME }` or `{ file: PATH }`.
    package func secret(_ problems: Problems) -> Secret? {
        guard case .mapping = self.content else {
            // Nothing of it is repeated: it may well be the secret itself.
            let message =
                "a secret does not belong in the rules; name its place: { env: NAME } or "
                + "{ file: PATH }"
            problems.report(message, at: self.place)
            return nil
        }
        guard let fields = Fields(self, keys: ["env", "file"], problems: problems) else {
            return nil
        }
        switch (fields["env"], fields["file"]) {
        case (let name?, nil):
            return name.text("the name of an environment variable", problems)
                .map { .environment($0) }
        case (nil, let path?):
            return path.text("the path of a file", problems).map { .file($0) }
        case (nil, nil), (_?, _?):
            let message = "a secret needs either 'env' or 'file': { env: NAME } or { file: PATH }"
            problems.report(message, at: self.place)
            return nil
        }
    }

    /// A name that becomes a part of the source's address.
    ///
    /// - Parameters:
    ///   - noun: Its kind, as messages call it.
    ///   - example: One that would do.
    ///   - marks: The ASCII characters that it may have besides letters and digits.
    ///   - problems: The list that takes what is wrong with it.
    /// - Returns: The name; `nil` if it is none.
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
        problems.report(message, at: self.place)
        return nil
    }

    /// The language of words.
    package func language(_ problems: Problems) -> LanguageTag? {
        guard let text = self.text("a language tag", problems) else { return nil }
        if let language = LanguageTag(text) { return language }
        let message = "'\(text)' is not a language tag such as 'en' or 'zh-Hant'"
        problems.report(message, at: self.place)
        return nil
    }

    /// Hosts that may answer in place of the first.
    package func hosts(_ problems: Problems) -> [HostPattern] {
        self.oneOrMore(problems).compactMap { element in
            guard let text = element.text("a host", problems) else { return nil }
            if let pattern = HostPattern(text) { return pattern }
            let message = "'\(text)' is not a host such as 'cdn.example.com' or '.example.com'"
            problems.report(message, at: element.place)
            return nil
        }
    }
}
