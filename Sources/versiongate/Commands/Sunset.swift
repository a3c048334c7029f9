import ArgumentParser
import GatePolicy
import GateRecords
import GateRules
import GateSystem

/// Says which paths old versions still call.
struct SunsetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sunset",
        abstract:
            "Says which paths versions below one of them still call, how often, and when last.",
        discussion: """
            Paths are the patterns of the rules file, and of other requests the shapes that the \
            gate keeps; or, with --openapi, the operations of a document, by the same shapes. \
            Behind operations that no old version calls stands '-', and '?' where the census does \
            not tell.
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
    @Option(help: "An OpenAPI document, YAML or JSON, whose operations are looked for; repeatable.")
    var openapi: [String] = []
    @Option(
        help: """
            The path under which requests for a document arrive, such as /api/v1, in place of \
            those of its servers; repeatable.
            """
    )
    var base: [String] = []
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
        guard !self.openapi.isEmpty else {
            guard self.base.isEmpty else {
                StandardError.write("--base is for the paths of a document: pass --openapi as well")
                throw ExitCode.failure
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
            StandardError.write("\(error)")
            throw ExitCode.failure
        }
    }
}
