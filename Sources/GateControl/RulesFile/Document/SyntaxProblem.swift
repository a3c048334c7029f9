import Yams

/// What keeps a text from being YAML, in words that help whoever wrote it.
struct SyntaxProblem {
    private let line: Int
    private let column: Int
    private let message: String

    private init(line: Int, column: Int, message: String) {
        self.line = line
        self.column = column
        self.message = message
    }

    func error(in file: String) -> RulesFileError {
        RulesFileError(Place(file: file, line: self.line, column: self.column), self.message)
    }
}

extension SyntaxProblem {
    init(_ error: YamlError, in text: String) {
        switch error {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let message = Self.message(problem, context, at: mark, in: text)
            self.init(line: mark.line, column: mark.column, message: message)
        case .duplicatedKeysInMapping(let keys, let context):
            let key = HiddenAlias.restore(keys.first ?? "")
            self = Self.duplicate(key, firstAt: context.mark, in: text)
        case .memory:
            // The parser has no other word for its limit on nesting.
            self.init(line: 1, column: 1, message: "lists and mappings are nested too deeply")
        case .reader(let problem, _, _, _), .writer(let problem), .emitter(let problem),
            .representer(let problem):
            self.init(line: 1, column: 1, message: "not valid YAML: \(problem)")
        case .no, .dataCouldNotBeDecoded:
            self.init(line: 1, column: 1, message: "not valid YAML")
        }
    }

    private static func message(
        _ problem: String,
        _ context: YamlError.Context?,
        at mark: Mark,
        in text: String
    ) -> String {
        if problem == "but found another document" {
            return "a second document begins here; write one document per file"
        }
        if problem.contains("nesting level") {
            return "lists and mappings are nested too deeply"
        }
        let line = Self.line(mark.line, of: text)
        if line.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
            return "YAML does not allow tabs for indentation; use spaces"
        }
        if line.contains(/:[ \t]+\{[A-Za-z]+\}/) {
            return "not valid YAML: quote a text that begins with '{'"
        }
        guard let context else { return "not valid YAML: \(problem)" }
        return "not valid YAML: \(problem) \(context.text) that begins in line \(context.mark.line)"
    }

    private static func duplicate(
        _ key: String,
        firstAt mark: Mark,
        in text: String
    ) -> SyntaxProblem {
        guard let line = RepeatedKey(key, line: mark.line, column: mark.column).line(in: text)
        else {
            let message = "the key '\(key)' appears twice in this mapping"
            return SyntaxProblem(line: mark.line, column: mark.column, message: message)
        }
        let message = "the key '\(key)' is already in line \(mark.line)"
        return SyntaxProblem(line: line, column: mark.column, message: message)
    }

    private static func line(_ number: Int, of text: String) -> Substring {
        let lines = text.split(separator: /\r\n|\n|\r/, omittingEmptySubsequences: false)
        return lines.indices.contains(number - 1) ? lines[number - 1] : ""
    }
}
