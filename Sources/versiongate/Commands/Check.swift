import ArgumentParser
import FoundationEssentials
import GateControl
import GatePolicy

/// Reads rules exactly as `serve` does, and says what is wrong with them.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks rules: exit 0, or 1 with every error as file:line:col: message."
    )

    @Argument(help: "A YAML or JSON file, or a folder of them.")
    var path: String
    @Flag(help: "Print the result as JSON.")
    var json = false

    private struct Report: Encodable {
        struct Problem: Encodable {
            var file: String
            var line: Int
            var column: Int
            var message: String
        }

        var ok: Bool
        var revision: String?
        var rules: Int?
        var errors: [Problem]
    }

    func run() throws {
        let definition: RuleSetDefinition
        do {
            definition = try RulesFileLoader(path: self.path).load().definition
        } catch {
            try self.report(error)
            throw ExitCode.failure
        }
        guard !self.json else {
            return try self.print(
                Report(
                    ok: true,
                    revision: definition.revision,
                    rules: definition.rules.count,
                    errors: []
                )
            )
        }
        Swift.print(
            "\(self.path): ok (\(definition.rules.count) rules, "
                + "\(definition.notices.count) notices, revision \(definition.revision))"
        )
    }

    private func report(_ failure: RulesFileErrors) throws {
        guard self.json else {
            for error in failure.errors { StandardError.write(error.description) }
            return
        }
        let problems = failure.errors.map { error in
            Report.Problem(
                file: error.file,
                line: error.line,
                column: error.column,
                message: error.message
            )
        }
        try self.print(Report(ok: false, errors: problems))
    }

    private func print(_ report: Report) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        Swift.print(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}
