import ArgumentParser
import FoundationEssentials
import GateCensus
import GatePolicy
import GateRecords
import GateRules
import GateSystem
import Logging

/// Shows the clients that were counted.
struct CensusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "census",
        abstract: "Says which clients a gate has seen, and what became of their requests.",
        subcommands: [CensusShow.self, CensusRules.self, CensusPurge.self],
        defaultSubcommand: CensusShow.self
    )
}

/// Prints the census of some time.
struct CensusShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract:
            "Prints requests and devices by app, platform, channel, version, build and system.",
        discussion: """
            The gate writes what it has counted every few seconds, and may run meanwhile. Devices are \
            estimated, within a percent or so; requests are exact.
            """
    )

    @OptionGroup var place: CensusPlace
    @OptionGroup var fleet: FleetFlags
    @Option(help: "How far back: 90m, 24h, 7d (default 24h).")
    var since = "24h"
    @Flag(help: "Print everything as JSON.")
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

/// Prints when rules last decided.
struct CensusRules: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Prints when each rule last decided, and who came back updated.",
        discussion:
            "It is known to a minute for some hours, then to an hour, and after a week to a day."
    )

    @OptionGroup var rules: KeptRules
    @OptionGroup var census: CensusQuestion

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
    /// The store that the flags or the environment name; `nil` if there is none.
    fileprivate func store() throws -> FleetStore? {
        do throws(SettingsError) {
            let reader = try SettingsReader(flags: self.flags, file: nil)
            let settings = try CensusSettings(reader)?.fleet
            return settings.map { FleetStore($0, logger: Logger(label: "versiongate")) }
        } catch {
            StandardError.write("versiongate: \(error)")
            throw ExitCode.failure
        }
    }
}

/// Forgets everything.
struct CensusPurge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Forgets all requests and devices that were counted, and overwrites them.",
        discussion: "A gate that runs has the last seconds in memory, and goes on counting."
    )

    @OptionGroup var place: CensusPlace

    func run() throws {
        let folder = try self.place.path()
        try self.place.open { store throws(CensusStore.Failure) in
            try store.purge()
            try ReturnStore(reading: folder)?.purge()
        }
        print("the census is empty")
    }
}

/// The folder in which a census is kept.
struct CensusPlace: ParsableArguments {
    @Option(
        name: [.customLong("state"), .customLong("state-dir")],
        help: "The state folder of the gate (default: VERSIONGATE_STATE_DIR)."
    )
    var state: String?

    /// The folder; says that it is missing, and ends, if nobody names it.
    func path() throws -> String {
        let variable = Settings[\.stateDir].name.environmentVariable
        guard let path = self.state ?? ProcessInfo.processInfo.environment[variable] else {
            StandardError.write("versiongate: --state is missing: the state folder of the gate")
            throw ExitCode.failure
        }
        return path
    }

    /// Works with the census that is there; says what is wrong, and ends, if there is none.
    func open<Value>(
        _ body: (CensusStore) throws(CensusStore.Failure) -> Value
    ) throws -> Value {
        let path = try self.path()
        do throws(CensusStore.Failure) {
            return try body(CensusStore(reading: path))
        } catch {
            StandardError.write("versiongate: the census in \(path): \(error)")
            throw ExitCode.failure
        }
    }
}

/// A question to the census of a gate, and how the answer is printed.
struct CensusQuestion: ParsableArguments {
    @OptionGroup var place: CensusPlace
    @Flag(help: "Print everything as JSON.")
    var json = false

    /// Prints what the census that is there has to say.
    func answer(
        _ report: (CensusStore) throws(CensusStore.Failure) -> some Encodable
            & CustomStringConvertible
    ) throws {
        let report = try self.place.open(report)
        if self.json { try CommandJSON.print(report) } else { print(report) }
    }
}

/// Output of commands for programs.
enum CommandJSON {
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
