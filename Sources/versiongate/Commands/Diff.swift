import ArgumentParser
import GatePolicy
import GateRules
import GateSystem

/// Shows which clients get a different decision under new rules.
struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Shows which rules and notices changed, and which clients get a different decision.",
        discussion: """
            The report lists each changed rule and notice, with the changes and their effects.

            The command evaluates unidentified clients, and every kind of client that either rule \
            set distinguishes by app, platform, channel, OS version, build, request or version \
            (those in the rules, and the ranges below, between and above them). It evaluates these \
            clients for the current time and for every future date in the rules.
            """
    )

    @Argument(help: "The old rules: a YAML or JSON file, or a directory of such files.")
    var old: String
    @Argument(help: "The new rules.")
    var new: String
    @Option(help: "The time from which to compare, RFC 3339 (default: now).")
    var at: String?
    @Flag(help: "Show each kind of client that gets a different decision, instead of the changes.")
    var detail = false
    @Flag(help: "Print each kind of client as JSON.")
    var json = false
    @Flag(help: "Exit with 1 if a client gets a different decision.")
    var exitCode = false

    func run() throws {
        let now = try CommandTime.parse(self.at, flag: "--at") ?? SystemClock.now()
        let old = try self.load(self.old)
        let new = try self.load(self.new)
        let comparison = RuleSetComparison(old: old.ruleSet, new: new.ruleSet)
        let difference = comparison.difference(at: now)
        if self.json {
            try CommandJSON.print(DifferenceReport(difference))
        } else if self.detail {
            print(DifferenceReport(difference))
        } else {
            print(EditReport(RulesEdits(from: old, to: new), difference, new: new.definition))
        }
        if self.exitCode, !difference.isEmpty { throw ExitCode.failure }
    }

    private func load(_ path: String) throws -> LoadedRules {
        do throws(RulesFileErrors) {
            return try RulesFileLoader(path: path).load()
        } catch {
            for error in error.errors { StandardError.write(error.description) }
            // Exit code 1 is reserved for differences.
            throw ExitCode(2)
        }
    }
}
