import ArgumentParser
import GateControl
import GatePolicy

/// Says which paths old versions still call.
struct SunsetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sunset",
        abstract:
            "Says which paths versions below one of them still call, how often, and when last.",
        discussion: """
            Paths are the patterns of the rules file: of others, the gate keeps nothing apart. To \
            learn who still calls a path, give it a rule with 'mode: observe' first.
            """
    )

    @Option(help: "The version.")
    var below: String
    @Option(help: "The app, as clients name it (default: each).")
    var app: String?
    @Option(help: "The platform (default: each).")
    var platform: String?
    @Option(help: "How far back: 90m, 24h, 30d (default 30d).")
    var since = "30d"
    @OptionGroup var place: CensusPlace
    @Flag(help: "Print everything as JSON.")
    var json = false

    func run() throws {
        let now = SystemClock.now()
        let start = try CommandTime.before(now, self.since, flag: "--since")
        let version: AppVersion
        do throws(VersionError) {
            version = try AppVersion(parsing: self.below)
        } catch {
            StandardError.write("--below '\(self.below)': \(error)")
            throw ExitCode.failure
        }
        let question = SunsetReport.Question(
            below: version,
            app: self.app,
            platform: self.platform,
            since: start
        )
        let report = try self.place.open { store throws(CensusStore.Failure) in
            try SunsetReport(store, question, at: now)
        }
        if self.json { try CommandJSON.print(report) } else { print(report) }
    }
}
