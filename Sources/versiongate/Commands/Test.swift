import ArgumentParser
import FoundationEssentials
import GateFeeds
import GatePolicy
import GateRules
import GateSystem

/// Runs files of tests against the rules that they are about.
struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs test suites: exit 0, or 1 with what every failed test expected and got.",
        discussion: """
            A suite is a YAML or JSON file with 'rules', the path of the rules as seen from the \
            suite, and 'tests' as a rules file has them.
            """
    )

    @Argument(help: "Test suites: YAML or JSON files, or folders of them.")
    var paths: [String]
    @Option(help: "The rules to test, whatever the suites say.")
    var rules: String?
    @Option(help: "When tests without a time of their own run (default: now, and ever after).")
    var at: String?
    @Option(help: "A file for the outcome as JUnit XML.")
    var junit: String?

    func validate() throws {
        guard !self.paths.isEmpty else { throw ValidationError("there is no test suite") }
    }

    func run() throws {
        let now = try CommandTime.parse(self.at, flag: "--at") ?? SystemClock.now()
        var suites: [TestSuite] = []
        var hasErrors = false
        let loader = TestSuiteLoader(rules: self.rules, feedKinds: .all) { now }
        for path in self.paths {
            do throws(RulesFileErrors) {
                suites += try loader.load(path: path)
            } catch {
                for error in error.errors { StandardError.write(error.description) }
                hasErrors = true
            }
        }
        // Half of the tests would say nothing about the rules as a whole.
        guard !hasErrors else { throw ExitCode.failure }
        let reports = suites.map { $0.run(now: now) }
        for report in reports { print(report) }
        if let junit { try self.write(JUnitReport(reports), to: junit) }
        guard reports.allSatisfy({ $0.failureCount == 0 }) else { throw ExitCode.failure }
    }

    private func write(_ report: JUnitReport, to path: String) throws {
        do {
            try Data(report.text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            StandardError.write("\(path): cannot be written: \(error)")
            throw ExitCode.failure
        }
    }
}
