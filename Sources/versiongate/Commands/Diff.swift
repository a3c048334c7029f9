import ArgumentParser
import GateFeeds
import GatePolicy
import GateRules
import GateSystem

/// Says which clients get another decision from other rules.
struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Says what a change of rules does: which setting, and who notices, now and later.",
        discussion: """
            Below each rule and notice that was changed stands what was changed, and what that does.

            Every kind of client is tried that either file can tell apart: the versions that it \
            names and their neighbours, apps, platforms, channels, OS versions, builds and requests, \
            and clients that do not say who they are; now, and at every date to come.
            """
    )

    @Argument(help: "The rules as they are: a YAML or JSON file, or a folder of them.")
    var old: String
    @Argument(help: "The rules as they shall be.")
    var new: String
    @Option(help: "The time from which on to compare (default: now).")
    var at: String?
    @Flag(help: "Show each kind of client that gets another decision, in place of the changes.")
    var detail = false
    @Flag(help: "Print each kind of client as JSON.")
    var json = false
    @Flag(help: "Exit with 1 if a client gets another decision.")
    var exitCode = false

    func run() throws {
        let now = try CommandTime.parse(self.at, flag: "--at") ?? SystemClock.now()
        let old = try self.load(self.old)
        let new = try self.load(self.new)
        let comparison = RuleSetComparison(old: old.ruleSet, new: new.ruleSet)
        let difference = comparison.difference(at: now)
        if self.json || self.detail {
            try self.print(DifferenceReport(difference))
        } else {
            let edits = RulesEdits(from: old, to: new)
            Swift.print(EditReport(edits, difference, new: new.definition))
        }
        if self.exitCode, !difference.isEmpty { throw ExitCode.failure }
    }

    private func load(_ path: String) throws -> LoadedRules {
        do throws(RulesFileErrors) {
            return try RulesFileLoader(path: path, feedKinds: .all, now: SystemClock.now).load()
        } catch {
            for error in error.errors { StandardError.write(error.description) }
            // 1 says that there is a difference.
            throw ExitCode(2)
        }
    }

    private func print(_ report: DifferenceReport) throws {
        guard self.json else { return Swift.print(report) }
        try CommandJSON.print(report)
    }
}
