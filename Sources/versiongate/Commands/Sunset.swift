import ArgumentParser
import GateCensus
import GatePolicy
import GateRecords
import GateRules
import GateSystem

/// Shows which paths are still requested by old versions or by the clients of a route.
struct SunsetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sunset",
        abstract:
            "Shows which paths are still requested by old versions or by the clients of a route, "
            + "how often, and when they were last requested.",
        discussion: """
            With --below, the report covers the clients with a lower version. With --route or \
            --backend, it covers the clients that are routed by that rule or to that backend, and \
            shows their share of all devices, whether the route can be removed, and a 'next' entry \
            that denies these clients instead.

            The paths are the path patterns in the rules file and, for requests that match none, \
            the path shapes that the gate stores. With --openapi, the report lists the operations \
            in a document, matched by these shapes. '-' marks operations that none of these clients \
            call, and '?' operations whose calls the census may have missed.
            """
    )

    @Option(help: "Report the clients below this version.")
    var below: String?
    @Option(help: "Report the clients that are routed by this rule.")
    var route: String?
    @Option(help: "Report the clients that are routed to this backend.")
    var backend: String?
    @Option(
        help: "The maximum share of devices that the removal of a route may affect (default 1%)."
    )
    var atMost = "1%"
    @Option(
        help: """
            The number of days over which a route's share of devices is measured, 1 to 30 \
            (default 7).
            """
    )
    var days = FloorReport.usualDays
    @Option(help: "The app ID, as sent by clients (default: every app).")
    var app: String?
    @Option(help: "The platform (default: every platform).")
    var platform: String?
    @Option(help: "The period to report, up to now, such as 90m, 24h or 30d (default 30d).")
    var since = "30d"
    @Option(help: "An OpenAPI document, YAML or JSON, with the operations to report; repeatable.")
    var openapi: [String] = []
    @Option(
        help: """
            The base path under which clients call the operations, such as /api/v1; overrides the \
            paths under 'servers' in the document; repeatable.
            """
    )
    var base: [String] = []
    @OptionGroup var census: CensusOptions

    @OptionGroup var rules: KeptRules

    func validate() throws {
        guard [self.below, self.route, self.backend].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("use exactly one of --below, --route and --backend")
        }
        guard ShareFormat.share(self.atMost) != nil else {
            throw ValidationError("--at-most '\(self.atMost)': expected a share such as '1%'")
        }
        guard FloorReport.days.contains(self.days) else {
            throw ValidationError("--days '\(self.days)': expected a number from 1 to 30")
        }
    }

    func run() throws {
        let now = SystemClock.now()
        let start = try CommandTime.before(now, self.since, flag: "--since")
        if self.openapi.isEmpty, !self.base.isEmpty {
            try StandardError.fail("--base has no effect without --openapi: pass a document")
        }
        let documents = try self.documents()
        guard let below = self.below else {
            return try self.reportRoutes(since: start, documents, at: now)
        }
        let question = SunsetReport.Question(
            below: try CommandOption.parse(below, flag: "--below", AppVersion.init(parsing:)),
            app: self.app,
            platform: self.platform,
            since: start
        )
        guard !documents.isEmpty else {
            return try self.census.answer { store throws(CensusStore.Failure) in
                try SunsetReport(store, question, at: now)
            }
        }
        try self.census.answer { store throws(CensusStore.Failure) in
            try OperationReport(store, question, documents, at: now)
        }
    }

    private func reportRoutes(
        since start: Timestamp,
        _ documents: [OpenAPIDocument],
        at now: Timestamp
    ) throws {
        let ruleSet = try self.rules.load(or: self.census.place).ruleSet
        let target: RouteReport.Target =
            self.route.map { .rule($0) } ?? .backend(self.backend ?? "")
        guard target.exists(in: ruleSet.definition) else {
            try StandardError.fail("versiongate: the rules do not contain \(target.words)")
        }
        let question = RouteReport.Question(
            target,
            app: self.app,
            platform: self.platform,
            limit: ShareFormat.share(self.atMost) ?? 0,
            days: self.days
        )
        let paths = SunsetReport.Question(question, by: ruleSet, at: now, since: start)
        guard !documents.isEmpty else {
            return try self.census.answer { store throws(CensusStore.Failure) in
                RoutedSunsetReport(
                    try RouteReport(store, question, by: ruleSet, at: now),
                    try SunsetReport(store, paths, at: now)
                )
            }
        }
        try self.census.answer { store throws(CensusStore.Failure) in
            RoutedSunsetReport(
                try RouteReport(store, question, by: ruleSet, at: now),
                try OperationReport(store, paths, documents, at: now)
            )
        }
    }

    private func documents() throws -> [OpenAPIDocument] {
        do throws(RulesFileError) {
            let bases = self.base.isEmpty ? nil : self.base.map(OpenAPIDocument.base(of:))
            return try self.openapi.enumerated().map { number, path throws(RulesFileError) in
                try OpenAPIDocument(path: path, number: number, bases: bases)
            }
        } catch {
            try StandardError.fail("\(error)")
        }
    }
}
