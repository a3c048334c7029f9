import ArgumentParser
import GateFeeds
import GatePolicy
import GateRules
import GateSystem

/// Reads rules exactly as `serve` does, and says what is wrong with them.
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks rules: exit 0, or 1 with every error as file:line:col: message.",
        discussion: """
            A finding that a gate would refuse at its start is an error; with --against, so is one \
            that a running gate would refuse. What is probably not meant is a warning; --strict makes \
            it an error.

            A file whose 'rules' is a path is a test suite, and its tests run.
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
            "YAML or JSON files, or folders of them, each with rules of its own; - is standard input."
    )
    var paths: [String]
    @Option(help: "The rules in force: say what a running gate would say of the change.")
    var against: String?
    @Option(help: "text; json; github, for annotations of a workflow; sarif (default: text).")
    var format: Format?
    @Flag(help: "The same as --format json.")
    var json = false
    @Flag(help: "Take warnings for errors.")
    var strict = false

    func validate() throws {
        guard !self.paths.isEmpty else { throw ValidationError("there is nothing to check") }
        guard self.paths.count == 1 || self.against == nil else {
            throw ValidationError("--against is about one path; check the others without it")
        }
        guard self.paths.count(where: { $0 == PathCheck.standardInput }) <= 1 else {
            throw ValidationError("- stands there twice, and standard input comes only once")
        }
        guard !self.json || self.format ?? .json == .json else {
            throw ValidationError("--json and --format \(self.format?.rawValue ?? "") contradict")
        }
    }

    func run() throws {
        let now = SystemClock.now()
        let report: CheckReport
        do throws(RulesFileErrors) {
            let old = try self.against.map { path throws(RulesFileErrors) in
                try RulesFileLoader(path: path, feedKinds: .all, now: SystemClock.now).load()
            }
            let check = PathCheck(
                feedKinds: .all,
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
