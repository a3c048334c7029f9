import ArgumentParser
import FoundationEssentials
import GateControl
import GatePolicy

/// Reads rules exactly as `serve` does, and says what is wrong with them.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks rules: exit 0, or 1 with every error as file:line:col: message.",
        discussion: "What is right and probably not meant is a warning; --strict makes it an error."
    )

    @Argument(help: "A YAML or JSON file, or a folder of them.")
    var path: String
    @Flag(help: "Print the result as JSON.")
    var json = false
    @Flag(help: "Take warnings for errors.")
    var strict = false

    private struct Report: Encodable {
        struct Problem: Encodable {
            var file: String
            var line: Int
            var column: Int
            var message: String

            init(_ error: RulesFileError) {
                self.file = error.file
                self.line = error.line
                self.column = error.column
                self.message = error.message
            }
        }

        var ok: Bool
        var revision: String?
        var rules: Int?
        var errors: [Problem]
        var warnings: [Problem] = []
    }

    func run() throws {
        let loaded: LoadedRules
        do {
            loaded = try RulesFileLoader(path: self.path).load()
        } catch {
            try self.report(error.errors)
            throw ExitCode.failure
        }
        let warnings = RulesLint(loaded, at: SystemClock.now()).warnings
        guard !self.strict || warnings.isEmpty else {
            try self.report(warnings.map(\.asError))
            throw ExitCode.failure
        }
        let definition = loaded.definition
        guard !self.json else {
            return try self.print(
                Report(
                    ok: true,
                    revision: definition.revision,
                    rules: definition.rules.count,
                    errors: [],
                    warnings: warnings.map { Report.Problem($0.asError) }
                )
            )
        }
        Swift.print(
            "\(self.path): ok (\(definition.rules.count) rules, "
                + "\(definition.notices.count) notices, revision \(definition.revision))"
        )
        for warning in warnings { Swift.print(warning) }
    }

    private func report(_ errors: [RulesFileError]) throws {
        guard self.json else {
            for error in errors { StandardError.write(error.description) }
            return
        }
        try self.print(Report(ok: false, errors: errors.map { Report.Problem($0) }))
    }

    private func print(_ report: Report) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        Swift.print(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}
