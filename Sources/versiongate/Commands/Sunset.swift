import ArgumentParser
import GatePolicy
import GateRecords
import GateRules
import GateSystem

/// Shows which paths are still requested by old versions.
struct SunsetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sunset",
        abstract:
            "Shows which paths clients below a version still request, how often, and when they last did.",
        discussion: """
            Paths are the path patterns of the rules file and, for other requests, the path shapes \
            that the gate stores. With --openapi, the report lists the operations of a document, \
            matched by these shapes. '-' marks operations that no old version requests, and '?' \
            operations that the census cannot tell apart.
            """
    )

    @Option(help: "The version; clients below it are reported.")
    var below: String
    @Option(help: "The app ID, as sent by clients (default: every app).")
    var app: String?
    @Option(help: "The platform (default: every platform).")
    var platform: String?
    @Option(help: "The period to report, up to now: 90m, 24h, 30d (default 30d).")
    var since = "30d"
    @Option(help: "An OpenAPI document, YAML or JSON, with the operations to report; repeatable.")
    var openapi: [String] = []
    @Option(
        help: """
            The base path of the requests for the operations, such as /api/v1, instead of the \
            paths in 'servers' of the document; repeatable.
            """
    )
    var base: [String] = []
    @OptionGroup var census: CensusOptions

    func run() throws {
        let now = SystemClock.now()
        let start = try CommandTime.before(now, self.since, flag: "--since")
        let version: AppVersion
        do throws(VersionError) {
            version = try AppVersion(parsing: self.below)
        } catch {
            try StandardError.fail("--below '\(self.below)': \(error)")
        }
        let question = SunsetReport.Question(
            below: version,
            app: self.app,
            platform: self.platform,
            since: start
        )
        guard !self.openapi.isEmpty else {
            guard self.base.isEmpty else {
                try StandardError.fail("--base has no effect without --openapi: add a document")
            }
            return try self.census.answer { store throws(CensusStore.Failure) in
                try SunsetReport(store, question, at: now)
            }
        }
        let documents = try self.documents()
        try self.census.answer { store throws(CensusStore.Failure) in
            try OperationReport(store, question, documents, at: now)
        }
    }

    private func documents() throws -> [OpenAPIDocument] {
        do throws(RulesFileError) {
            let bases = self.base.isEmpty ? nil : self.base.map(OpenAPIDocument.base(of:))
            var documents: [OpenAPIDocument] = []
            for (number, path) in self.openapi.enumerated() {
                documents.append(try OpenAPIDocument(path: path, number: number, bases: bases))
            }
            return documents
        } catch {
            try StandardError.fail("\(error)")
        }
    }
}
