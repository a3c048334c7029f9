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
            A finding that makes a gate reject the rules at startup is an error; with --against, \
            so is one that makes a running gate reject them. Probable mistakes are warnings; \
            --strict turns them into errors.

            If 'rules' in a file is a path, the file is a test suite, and its tests are run.
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
    @Option(help: "The active rules: report what a running gate would reject in the change.")
    var against: String?
    @Option(
        help:
            "A backend that routes can select; repeatable. Without it, backend names are not checked."
    )
    var backend: [String] = []
    @Flag(help: "Check the rules for a gate with --decide-listen.")
    var gateways = false
    @Option(help: "text, json, github (workflow annotations) or sarif (default: text).")
    var format: Format?
    @Flag(help: "The same as --format json.")
    var json = false
    @Flag(help: "Treat warnings as errors.")
    var strict = false

    func validate() throws {
        guard !self.paths.isEmpty else { throw ValidationError("no path was given") }
        guard self.paths.count == 1 || self.against == nil else {
            throw ValidationError("--against takes one path; check the others without it")
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
