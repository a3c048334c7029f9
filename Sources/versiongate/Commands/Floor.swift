import ArgumentParser
import GateCensus
import GatePolicy
import GateRecords
import GateRules
import GateSystem

/// Suggests floors based on the census.
struct FloorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "floor",
        abstract: "Suggests floors based on the share of devices that they would deny.",
        subcommands: [Suggest.self]
    )

    struct Suggest: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Suggests the highest minimum that denies at most a given share of devices.",
            discussion: """
                A floor newly denies the devices that the active rules allow and that send a lower \
                version. Only devices seen in the last --days are counted. If the share of devices \
                below a higher floor is falling steadily, the report predicts the day from which that \
                floor is within the limit; see docs/census.md.
                """
        )

        @Option(help: "The app ID, as sent by clients (default: every app).")
        var app: String?
        @Option(help: "The platform (default: every platform).")
        var platform: String?
        @Option(help: "The maximum share of devices to deny (default 1%).")
        var atMost = "1%"
        @Option(help: "The number of days over which devices are counted, 1 to 30 (default 7).")
        var days = FloorReport.usualDays
        @OptionGroup var rules: KeptRules
        @OptionGroup var census: CensusOptions

        func validate() throws {
            guard ShareFormat.share(self.atMost) != nil else {
                throw ValidationError("--at-most '\(self.atMost)': expected a share such as '1%'")
            }
            guard FloorReport.days.contains(self.days) else {
                throw ValidationError("--days '\(self.days)': expected a number from 1 to 30")
            }
        }

        func run() throws {
            let now = SystemClock.now()
            let rules = try self.rules.load(or: self.census.place)
            let question = FloorReport.Question(
                app: self.app,
                platform: self.platform,
                limit: ShareFormat.share(self.atMost) ?? 0,
                days: self.days
            )
            try self.census.answer { store throws(CensusStore.Failure) in
                try FloorReport(store, question, by: rules.ruleSet, at: now)
            }
        }
    }
}

/// Suggests single builds to block.
struct BlockedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blocked",
        abstract: "Shows builds that behave differently from neighboring builds.",
        subcommands: [Suggest.self]
    )

    struct Suggest: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Lists builds with far more requests or failures than neighboring builds.",
            discussion: """
                For each build, the output includes the line for the rules file that blocks the \
                build. Review each build before you block it: it may send more requests because \
                it has more features, and failures may come from the backend.
                """
        )

        @Option(help: "The period to report, up to now, such as 90m, 24h or 7d (default 24h).")
        var since = "24h"
        @OptionGroup var rules: KeptRules
        @OptionGroup var census: CensusOptions

        func run() throws {
            let now = SystemClock.now()
            let start = try CommandTime.before(now, self.since, flag: "--since")
            let rules = try self.rules.load(or: self.census.place)
            try self.census.answer { store throws(CensusStore.Failure) in
                try StrayReport(store, since: start, by: rules.ruleSet, at: now)
            }
        }
    }
}
