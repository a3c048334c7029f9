import ArgumentParser
import GateCensus
import GatePolicy
import GateRecords
import GateRules
import GateSystem

/// Says whom other rules would hit.
struct ImpactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "impact",
        abstract:
            "Says whom other rules would refuse, and let pass, of the clients that a gate has seen.",
        discussion: """
            Both rule sets judge the census of the gate: docs/census.md. The rules of before are those \
            that the gate has kept in its state folder as its last good ones, or those of --current.
            """
    )

    @Option(help: "The rules as they shall be: a YAML or JSON file, or a folder of them.")
    var rules: String
    @Option(help: "The rules as they are (default: those that the gate has kept).")
    var current: String?
    @OptionGroup var place: CensusPlace
    @Option(help: "How far back: 90m, 24h, 7d (default 7d).")
    var since = "7d"
    @Option(
        help: "The time at which the new rules judge, such as the day of a floor (default: now)."
    )
    var at: String?
    @Flag(help: "Print everything as JSON.")
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
