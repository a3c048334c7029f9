import ArgumentParser
import FoundationEssentials
import GateCensus
import GatePolicy
import GateRecords
import GateRules
import GateSystem
import Logging

/// Shows the clients in the census of a gate.
struct CensusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "census",
        abstract: "Shows the clients that a gate has seen, and its decisions about their requests.",
        subcommands: [CensusShow.self, CensusRules.self, CensusPurge.self],
        defaultSubcommand: CensusShow.self
    )
}

/// Prints the census of a period.
struct CensusShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract:
            "Prints request and device counts by app, platform, channel, version, build and "
            + "OS version.",
        discussion: """
            The gate may be running; it writes its counts every few seconds. Device counts are \
            estimates with an error of about one percent; request counts are exact.
            """
    )

    @OptionGroup var place: CensusFolderOption
    @OptionGroup var fleet: FleetFlags
    @Option(help: "The period to report, up to now, such as 90m, 24h or 7d (default 24h).")
    var since = "24h"
    @Flag(help: "Print the report as JSON.")
    var json = false

    func run() throws {
        let now = SystemClock.now()
        let start = try CommandTime.before(now, self.since, flag: "--since")
        let rows = try self.place.open { store throws(CensusStore.Failure) in
            try store.rows(since: start)
        }
        var report = CensusReport(rows, since: start, until: now)
        if let fleet = try self.fleet.store() { report.add(fleet) }
        if self.json { try CommandJSON.print(report) } else { print(report) }
    }
}

/// Prints the time of each rule's last decision, and how many denied devices updated.
struct CensusRules: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract:
            "Prints the time of each rule's last decision, and how many denied devices updated.",
        discussion:
            "Times are exact to the minute for the last two hours, to the hour for eight days, and "
            + "to the day before that."
    )

    @OptionGroup var rules: KeptRules
    @OptionGroup var census: CensusOptions

    func run() throws {
        let now = SystemClock.now()
        let rules = try self.rules.load(or: self.census.place)
        let folder = try self.census.place.path()
        try self.census.answer { store throws(CensusStore.Failure) in
            RuleMatchReport(
                rules.definition,
                try store.lastMatches(at: now),
                try ReturnStore(reading: folder)?.shares ?? [:]
            )
        }
    }
}

extension FleetFlags {
    /// Returns the store that the flags or the environment configure; `nil` if there is none.
    fileprivate func store() throws -> FleetStore? {
        do throws(SettingsError) {
            let reader = try SettingsReader(flags: self.flags, file: nil)
            let settings = try CensusSettings(reader)?.fleet
            return settings.map { FleetStore($0, logger: Logger(label: "versiongate")) }
        } catch {
            try StandardError.fail("versiongate: \(error)")
        }
    }
}

/// Deletes the census.
struct CensusPurge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Deletes all request and device counts, and overwrites their data.",
        discussion: """
            A running gate still has the counts of the last few seconds in memory. It saves them \
            later, together with the counts of new requests.
            """
    )

    @OptionGroup var place: CensusFolderOption

    func run() throws {
        let folder = try self.place.path()
        try self.place.open { store throws(CensusStore.Failure) in
            try store.purge()
            try ReturnStore(reading: folder)?.purge()
        }
        print("the census is empty")
    }
}

/// The option for the folder that contains a census.
struct CensusFolderOption: ParsableArguments {
    @Option(
        name: [.customLong("state"), .customLong("state-dir")],
        help: "The gate's state directory (default: VERSIONGATE_STATE_DIR)."
    )
    var state: String?

    /// Returns the path of the folder; prints an error and exits if neither the option nor the
    /// environment specifies the path.
    func path() throws -> String {
        guard let path = self.state ?? Settings[\.stateDir].name.environmentValue else {
            try StandardError.fail(
                "versiongate: --state is required: pass the path of the state directory"
            )
        }
        return path
    }

    /// Returns the result of `body` for the census in the folder; prints an error and exits if the
    /// census cannot be used.
    func open<Value>(
        _ body: (CensusStore) throws(CensusStore.Failure) -> Value
    ) throws -> Value {
        let path = try self.path()
        do throws(CensusStore.Failure) {
            return try body(CensusStore(reading: path))
        } catch {
            try StandardError.fail("versiongate: cannot use the census in \(path): \(error)")
        }
    }
}

/// The options of a census query: the folder and the output format.
struct CensusOptions: ParsableArguments {
    @OptionGroup var place: CensusFolderOption
    @Flag(help: "Print the report as JSON.")
    var json = false

    /// Prints the report that `report` creates from the census.
    func answer(
        _ report: (CensusStore) throws(CensusStore.Failure) -> some Encodable
            & CustomStringConvertible
    ) throws {
        let report = try self.place.open(report)
        if self.json { try CommandJSON.print(report) } else { print(report) }
    }
}

/// JSON output of commands.
enum CommandJSON {
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
