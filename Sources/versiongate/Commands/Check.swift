import ArgumentParser
import GateFeeds
import GatePolicy
import GateRules
import GateSystem

/// Checks rules in the same way as `serve`, and prints the errors and findings.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Checks rules: exits with 0, or prints each error as file:line:col: message and exits with 1.",
        discussion: """
            Findings that make a gate reject the rules at startup are errors. With --against, \
            findings that make a running gate reject the rules are errors too. Probable mistakes \
            are warnings; --strict turns them into errors.

            A file in which 'rules' is a path is a test suite. The command runs its tests.
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text
        case json
        case github
        case sarif
    }

    @Argument(
        help:
            "YAML or JSON files or directories, each a separate rule set; - is standard input."
    )
    var paths: [String]
    @Option(help: "The active rules; changes to them that a running gate would reject are errors.")
    var against: String?
    @Option(
        help:
            "A backend name that routes can use; repeatable (default: names are not checked)."
    )
    var backend: [String] = []
    @Flag(help: "Check the rules as for a gate that runs with --decide-listen.")
    var gateways = false
    @Option(help: "Format: text, json, github (workflow annotations) or sarif (default: text).")
    var format: Format?
    @Flag(help: "The same as --format json.")
    var json = false
    @Flag(help: "Treat warnings as errors.")
    var strict = false

    func validate() throws {
        guard !self.paths.isEmpty else {
            throw ValidationError("no path was given: pass a rules file or directory")
        }
        guard self.paths.count == 1 || self.against == nil else {
            throw ValidationError("--against works with one path; check other paths separately")
        }
        guard self.paths.count(where: { $0 == PathCheck.standardInput }) <= 1 else {
            throw ValidationError("- is given twice, but standard input can be read only once")
        }
        guard !self.json || self.format ?? .json == .json else {
            throw ValidationError("--json contradicts --format \(self.format?.rawValue ?? "")")
        }
    }

    func run() throws {
        let now = SystemClock.now()
        let report: CheckReport
        do throws(RulesFileErrors) {
            let old = try self.against.map { path throws(RulesFileErrors) in
                try RulesFileLoader(path: path).load()
            }
            let check = PathCheck(
                feedKinds: .all,
                gate: GateContext(
                    backends: self.backend.isEmpty ? nil : self.backend,
                    servesGateways: self.gateways
                ),
                isStrict: self.strict,
                old: old,
                now: now
            )
            report = CheckReport(self.paths.map { check.check($0) })
        } catch {
            report = CheckReport(unreadable: self.against ?? "", error)
        }
        try self.print(report)
        guard report.isGood else { throw ExitCode.failure }
    }

    private func print(_ report: CheckReport) throws {
        switch self.json ? .json : self.format ?? .text {
        case .text:
            for line in report.lines { Swift.print(line) }
            for line in report.errorLines { StandardError.write(line) }
        case .github:
            for line in report.gitHubLines { Swift.print(line) }
        case .json: try CommandJSON.print(report)
        case .sarif:
            try CommandJSON.print(SARIFLog(report, release: Release.version))
        }
    }
}
