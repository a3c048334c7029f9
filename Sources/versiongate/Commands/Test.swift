import ArgumentParser
import FoundationEssentials
import GateFeeds
import GatePolicy
import GateRules
import GateSystem

/// Runs test suites against their rules.
struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs test suites: exits with 0, or prints each failed test and exits with 1.",
        discussion: """
            A suite is a YAML or JSON file with 'rules', the path of the rules relative to the \
            suite, and 'tests' in the same format as in a rules file.
            """
    )

    @Argument(help: "Test suites: YAML or JSON files, or directories of such files.")
    var paths: [String]
    @Option(help: "The rules to test, instead of the rules named in the suites.")
    var rules: String?
    @Option(
        help: "The time at which to run tests that set none (default: now and all later times)."
    )
    var at: String?
    @Option(help: "The file to write the results to, as JUnit XML.")
    var junit: String?

    func validate() throws {
        guard !self.paths.isEmpty else { throw ValidationError("no test suite was given") }
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
        // A results file that covers only some of the suites would be misleading.
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
            try StandardError.fail("\(path): cannot be written: \(error)")
        }
    }
}
