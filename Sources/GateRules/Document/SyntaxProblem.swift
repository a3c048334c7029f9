/// Translates a YAML syntax error into a message that helps the author fix it.
struct SyntaxProblem {
    let text: String

    /// Returns the error for a failure; `alias` is the location of the last alias before the failure.
    func error(
        _ failure: YAMLFailure,
        after alias: Place?,
        in file: String
    ) -> RulesFileError {
        switch failure {
        case .unreadable(let problem):
            return RulesFileError(Place(file: file), "not valid YAML: \(problem)")
        case .syntax(_, _, context: ("while scanning an alias", let place)?):
            return Self.asterisk(place)
        case .syntax(_, let place, _) where alias?.line == place.line:
            return Self.asterisk(alias ?? place)
        case .syntax(let problem, let place, let context):
            return RulesFileError(place, self.message(problem, context, at: place))
        }
    }

    private static func asterisk(_ place: Place) -> RulesFileError {
        RulesFileError(place, "not valid YAML: quote text that starts with '*'")
    }

    private func message(
        _ problem: String,
        _ context: (text: String, place: Place)?,
        at place: Place
    ) -> String {
        let line = self.line(place.line)
        if line.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
            return "YAML does not allow tabs for indentation; use spaces"
        }
        if line.contains(/:[ \t]+\{[A-Za-z]+\}/) {
            return "not valid YAML: quote text that starts with '{'"
        }
        guard let (beginning, place) = context else { return "not valid YAML: \(problem)" }
        return "not valid YAML: \(problem) \(beginning) that starts on line \(place.line)"
    }

    private func line(_ number: Int) -> Substring {
        let lines = self.text.split(separator: /\r\n|\n|\r/, omittingEmptySubsequences: false)
        return lines.indices.contains(number - 1) ? lines[number - 1] : ""
    }
}
