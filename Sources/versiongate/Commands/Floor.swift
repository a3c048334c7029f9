import ArgumentParser
import GateCensus
import GatePolicy
import GateRecords
import GateRules
import GateSystem

/// Advice on floors.
struct FloorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "floor",
        abstract: "Says which floor would cost how few, by the clients that a gate has seen.",
        subcommands: [Suggest.self]
    )

    struct Suggest: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Suggests the highest minimum that costs at most so many devices.",
            discussion: """
                A device of the last days that states a lower version, and that the rules in force let \
                pass, is one that the floor costs. The day of a higher one is told where the share \
                below it falls steadily: docs/census.md says how.
                """
        )

        @Option(help: "The app, as clients name it (default: each).")
        var app: String?
        @Option(help: "The platform (default: each).")
        var platform: String?
        @Option(help: "The share of devices that it may cost (default 1%).")
        var atMost = "1%"
        @Option(help: "Days back, 1 to 30, in which a device is one (default 7).")
        var days = FloorReport.usualDays
        @OptionGroup var rules: KeptRules
        @OptionGroup var census: CensusQuestion

        func validate() throws {
            guard ShareWords.share(self.atMost) != nil else {
                throw ValidationError("--at-most '\(self.atMost)': write a share such as '1%'")
            }
            guard FloorReport.days.contains(self.days) else {
                throw ValidationError("--days '\(self.days)': from 1 to 30")
            }
        }

        func run() throws {
            let now = SystemClock.now()
            let rules = try self.rules.load(or: self.census.place)
            let question = FloorReport.Question(
                app: self.app,
                platform: self.platform,
                limit: ShareWords.share(self.atMost) ?? 0,
                days: self.days
            )
            try self.census.answer { store throws(CensusStore.Failure) in
                try FloorReport(store, question, by: rules.ruleSet, at: now)
            }
        }
    }
}

/// Advice on single builds.
struct BlockedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blocked",
        abstract: "Says which builds behave unlike those beside them.",
        subcommands: [Suggest.self]
    )

    struct Suggest: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Names builds that ask or fail far more often than their neighbours.",
            discussion: """
                With the line that blocks each. A person decides: a build may ask more often because \
                it can do more, and the backend may be what fails.
                """
        )

        @Option(help: "How far back: 90m, 24h, 7d (default 24h).")
        var since = "24h"
        @OptionGroup var rules: KeptRules
        @OptionGroup var census: CensusQuestion

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
