import ArgumentParser
import FoundationEssentials
import GateControl
import GatePolicy

/// Reads rules exactly as `serve` does, and says what is wrong with them.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks rules: exit 0, or 1 with every error as file:line:col: message.",
        discussion: """
            A finding that a gate would refuse at its start is an error; with --against, so is one \
            that a running gate would refuse. What is probably not meant is a warning; --strict makes \
            it an error.
            """
    )

    @Argument(help: "A YAML or JSON file, or a folder of them.")
    var path: String
    @Option(help: "The rules in force: say what a running gate would say of the change.")
    var against: String?
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
            /// The stable name, of a finding.
            var name: String?

            init(_ error: RulesFileError, name: String? = nil) {
                self.file = error.file
                self.line = error.line
                self.column = error.column
                self.message = error.message
                self.name = name
            }

            init(_ finding: Finding) {
                self.init(finding.asError, name: finding.name.rawValue)
            }
        }

        var ok: Bool
        var revision: String?
        var rules: Int?
        var errors: [Problem]
        var warnings: [Problem] = []
        var notes: [Problem] = []
    }

    func run() throws {
        let loaded: LoadedRules
        let old: LoadedRules?
        do {
            old = try self.against.map { path throws(RulesFileErrors) in
                try RulesFileLoader(path: path).load()
            }
            loaded = try RulesFileLoader(path: self.path).load(after: old)
        } catch {
            try self.report(error.errors)
            throw ExitCode.failure
        }
        let findings = RulesFindings(loaded, against: old, at: SystemClock.now())
        let isGood = findings.refusals.isEmpty && (!self.strict || findings.warnings.isEmpty)
        let definition = loaded.definition
        guard self.json else {
            return try self.print(findings, isGood: isGood, of: definition)
        }
        let warnings = findings.warnings.map { Report.Problem($0) }
        try self.print(
            Report(
                ok: isGood,
                revision: definition.revision,
                rules: definition.rules.count,
                errors: findings.refusals.map { Report.Problem($0) }
                    + (self.strict ? warnings : []),
                warnings: self.strict ? [] : warnings,
                notes: findings.notes.map { Report.Problem($0) }
            )
        )
        if !isGood { throw ExitCode.failure }
    }

    private func print(
        _ findings: RulesFindings,
        isGood: Bool,
        of definition: RuleSetDefinition
    ) throws {
        guard isGood else {
            for finding in findings.refusals + (self.strict ? findings.warnings : []) {
                StandardError.write(finding.asNamedError.description)
            }
            throw ExitCode.failure
        }
        Swift.print(
            "\(self.path): ok (\(definition.rules.count) rules, "
                + "\(definition.notices.count) notices, revision \(definition.revision))"
        )
        for finding in findings.all { Swift.print(finding) }
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
