import ArgumentParser
import GateCensus
import GatePolicy
import GateRecords
import GateRules
import GateSystem

/// Shows which clients new rules would affect.
struct ImpactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "impact",
        abstract:
            "Shows which clients in a gate's census would be denied by new rules, and which would be allowed.",
        discussion: """
            The command evaluates the clients in the gate's census against the current and the new \
            rules; see docs/census.md. The current rules are the last good rules in the gate's state \
            directory, or the rules given with --current.
            """
    )

    @Option(help: "The new rules: a YAML or JSON file, or a directory of such files.")
    var rules: String
    @Option(help: "The current rules (default: the last good rules in the state directory).")
    var current: String?
    @OptionGroup var place: CensusFolderOption
    @Option(help: "The period to evaluate, up to now, such as 90m, 24h or 7d (default 7d).")
    var since = "7d"
    @Option(
        help:
            "The time for which to evaluate the new rules, such as the start of a floor (default: now)."
    )
    var at: String?
    @Flag(help: "Print the report as JSON.")
    var json = false

    func run() throws {
        let now = SystemClock.now()
        let start = try CommandTime.before(now, self.since, flag: "--since")
        let later = try CommandTime.parse(self.at, flag: "--at")
        let new = try KeptRules.load(self.rules, or: self.place, flag: "--rules")
        let old = try KeptRules.load(self.current, or: self.place, flag: "--current")
        let rows = try self.place.open { store throws(CensusStore.Failure) in
            try store.rows(since: start, withShapes: true)
        }
        let report = ImpactReport(
            rows,
            since: start,
            from: old.ruleSet,
            to: new.ruleSet,
            at: now,
            later: later
        )
        if self.json { try CommandJSON.print(report) } else { print(report) }
    }
}
