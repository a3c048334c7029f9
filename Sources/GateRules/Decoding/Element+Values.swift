internal import GatePolicy

/// Decodes elements into values; an invalid element is reported and yields `nil`.
extension Element {
    func entries(_ problems: Problems) -> [Entry]? {
        if case .mapping(let entries) = self.content { return entries }
        return self.reject(expected: "a mapping", problems)
    }

    func list(_ problems: Problems, hint: String = "") -> [Element]? {
        if case .list(let items) = self.content { return items }
        return self.reject(expected: "a list", problems, hint: hint)
    }

    /// Returns the items of a list, or the element itself; an empty list is reported.
    package func oneOrMore(_ problems: Problems) -> [Element] {
        let items = self.listed
        if items.isEmpty {
            problems.report("an empty list has no effect; leave out the key", at: self.place)
        }
        return items
    }

    package func text(_ expected: String, _ problems: Problems) -> String? {
        guard case .text(let text) = self.content else {
            let hint = self.unquoted.map { "; quote it: \"\($0)\"" } ?? ""
            return self.reject(expected: expected, problems, hint: hint)
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            return problems.reject("expected \(expected), found an empty string", at: self.place)
        }
        return text
    }

    /// Decodes a string with a parser; the parser's error describes the fault.
    ///
    /// `hint` returns a suffix for the error message about a string.
    package func parsed<Value, Failure: Error>(
        as expected: String,
        _ problems: Problems,
        hint: (String) -> String = { _ in "" },
        by parse: (String) throws(Failure) -> Value
    ) -> Value? {
        guard let text = self.text(expected, problems) else { return nil }
        do {
            return try parse(text)
        } catch {
            // The descriptions of some errors already start with the string.
            let reason = "\(error)"
            let isWhole = reason.hasPrefix("'\(text)' is not")
            let message = isWhole ? reason : "'\(text)' is not \(expected): \(reason)"
            return problems.reject(message + hint(text), at: self.place)
        }
    }

    /// Decodes a string as one of the raw values of an enumeration.
    package func choice<Word: RawRepresentable<String> & CaseIterable>(
        of words: Word.Type,
        _ problems: Problems
    ) -> Word? {
        let names = words.allCases.map(\.rawValue)
        let expected =
            names.dropLast().map { "'\($0)'" }.joined(separator: ", ")
            + " or '\(names.last ?? "")'"
        guard case .text(let text) = self.content else {
            return self.reject(expected: expected, problems)
        }
        if let word = Word(rawValue: text) { return word }
        let hint = Spelling.hint(for: text, among: names)
        return problems.reject("expected \(expected), found '\(text)'\(hint)", at: self.place)
    }

    /// Decodes a whole number below 2^64 in plain digits.
    package func wholeNumber(_ expected: String, _ problems: Problems) -> UInt64? {
        switch self.content {
        case .number(let digits):
            if digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(digits) {
                return number
            }
            let message = "expected \(expected): a whole number below 2^64, found \(digits)"
            return problems.reject(message, at: self.place)
        case .text(let text) where UInt64(text) != nil:
            let message = "expected \(expected), found a string; write it without quotes: \(text)"
            return problems.reject(message, at: self.place)
        case .text, .boolean, .date, .nothing, .list, .mapping:
            return self.reject(expected: expected, problems)
        }
    }

    /// Decodes an HTTP status; `expected` names the valid statuses in the error.
    func status(
        _ expected: String,
        _ problems: Problems,
        where isValid: (UInt64) -> Bool
    ) -> Int? {
        guard let status = self.wholeNumber(expected, problems) else { return nil }
        guard isValid(status) else {
            return problems.reject("expected \(expected), found \(status)", at: self.place)
        }
        return Int(status)
    }

    /// Decodes a build number: plain digits, or a string of up to four numbers separated by dots.
    func build(_ problems: Problems) -> BuildNumber? {
        let expected = "a build number"
        guard case .number(let digits) = self.content else {
            return self.parsed(as: expected, problems, by: BuildNumber.init(parsing:))
        }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            let isBuild = (try? BuildNumber(parsing: digits)) != nil
            let hint =
                isBuild
                ? "; quote it: \"\(digits)\", as a number such as 93.10 loses its trailing zero"
                : ""
            return self.reject(expected: expected, problems, hint: hint)
        }
        return Element(content: .text(digits), place: self.place)
            .parsed(as: expected, problems, by: BuildNumber.init(parsing:))
    }

    /// Decodes `true` or `false`, the only spellings that YAML 1.1 and 1.2 agree on.
    package func truth(_ problems: Problems, hint: String = "") -> Bool? {
        switch self.content {
        case .boolean("true"): return true
        case .boolean("false"): return false
        case .text, .number, .boolean, .date, .nothing, .list, .mapping:
            return self.reject(expected: "true or false", problems, hint: hint)
        }
    }

    /// Decodes a version.
    func version(_ problems: Problems) -> AppVersion? {
        self.parsed(as: "a version", problems, by: AppVersion.init(parsing:))
    }

    /// Decodes a version.
    ///
    /// For a version with an operator, a frequent mistake, the error suggests the correct form.
    func bareVersion(_ problems: Problems) -> AppVersion? {
        self.parsed(
            as: "a version",
            problems,
            hint: RangeSpelling.hint(forVersion:),
            by: AppVersion.init(parsing:)
        )
    }

    func versionRange(_ problems: Problems) -> VersionRange? {
        self.parsed(
            as: "a version range",
            problems,
            hint: RangeSpelling.hint(for:),
            by: VersionRange.init(parsing:)
        )
    }

    /// Decodes one version range, or a list of alternative ranges.
    func versionRanges(_ problems: Problems) -> [VersionRange] {
        self.oneOrMore(problems).compactMap { $0.versionRange(problems) }
    }

    /// Decodes a duration and returns it in seconds.
    package func timeSpan(_ problems: Problems) -> Int64? {
        let expected = "a duration"
        if case .number(let digits) = self.content {
            let hint = "; write its unit: \(digits)s, \(digits)m, \(digits)h or \(digits)d"
            return self.reject(expected: expected, problems, hint: hint)
        }
        return self.parsed(as: expected, problems, by: TimeSpan.init(parsing:))?.seconds
    }

    /// Reports that the element is not of the expected kind, and returns `nil` instead of a value.
    func reject<Value>(
        expected: String,
        _ problems: Problems,
        hint: String = ""
    ) -> Value? {
        problems.reject("expected \(expected), found \(self.found)\(hint)", at: self.place)
    }
}

extension Element {
    /// Decodes a point in time with its UTC offset, quoted or not.
    func time(_ problems: Problems) -> Timestamp? {
        let expected = "a time"
        guard case .date(let text) = self.content else {
            return self.parsed(as: expected, problems, by: Timestamp.init(parsing:))
        }
        // `Timestamp` parses the string, because a YAML date may lack the required offset.
        return Element(content: .text(text), place: self.place)
            .parsed(as: expected, problems, by: Timestamp.init(parsing:))
    }
}
