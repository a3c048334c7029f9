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
            Paths are the patterns of the rules file; or, with --openapi, the operations of a \
            document, by the shapes of paths that the gate keeps. Those that no old version calls \
            are named, too.
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
    @Option(help: "An OpenAPI document, YAML or JSON, whose operations are looked for.")
    var openapi: String?
    @OptionGroup var census: CensusQuestion

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
        guard let openapi else {
            return try self.census.answer { store throws(CensusStore.Failure) in
                try SunsetReport(store, question, at: now)
            }
        }
        let document = try Self.document(openapi)
        try self.census.answer { store throws(CensusStore.Failure) in
            try OperationReport(store, question, document, at: now)
        }
    }

    private static func document(_ path: String) throws -> OpenAPIDocument {
        do throws(RulesFileError) {
            return try OpenAPIDocument(path: path)
        } catch {
            StandardError.write("\(error)")
            throw ExitCode.failure
        }
    }
}
