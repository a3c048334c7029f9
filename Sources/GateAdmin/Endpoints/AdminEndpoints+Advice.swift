internal import GateCensus
internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules
internal import NIOHTTP1

/// Endpoints that suggest floors and report which clients they affect.
extension AdminEndpoints {
    func floorAdvice(_ query: AdminQuery) async throws(AdminAnswer) -> AdminAnswer {
        let (store, now) = (try self.store, self.now())
        let question = FloorReport.Question(
            app: query["app"],
            platform: query["platform"],
            limit: try query.share("atMost", usually: "1%"),
            days: try query.number("days", in: FloorReport.days) ?? FloorReport.usualDays
        )
        let floorReports = self.floorReports
        return try await self.advise { ruleSet throws(CensusStore.Failure) in
            AdminAnswer(.ok, try floorReports.report(store, question, by: ruleSet, at: now))
        }
    }

    func sunset(_ query: AdminQuery) async throws(AdminAnswer) -> AdminAnswer {
        let (store, now) = (try self.store, self.now())
        guard let text = query["below"] else { throw .invalid("below", "expected a version") }
        let question = SunsetReport.Question(
            below: try query.parsed("below", text, by: AppVersion.init(parsing:)),
            app: query["app"],
            platform: query["platform"],
            since: try query.since(before: now, usually: "30d")
        )
        return try await self.advise { _ throws(CensusStore.Failure) in
            AdminAnswer(.ok, try SunsetReport(store, question, at: now))
        }
    }

    /// Returns a report on the clients selected by the route of a rule, or by all routes to a backend.
    func routeSunset(_ query: AdminQuery) async throws(AdminAnswer) -> AdminAnswer {
        let (store, now) = (try self.store, self.now())
        let target: RouteReport.Target
        switch (query["rule"], query["backend"]) {
        case (let rule?, nil): target = .rule(rule)
        case (nil, let backend?): target = .backend(backend)
        default: throw .invalid("rule", "send either 'rule' or 'backend'")
        }
        let start = try query.since(before: now, usually: "30d")
        let question = RouteReport.Question(
            target,
            app: query["app"],
            platform: query["platform"],
            limit: try query.share("atMost", usually: "1%"),
            days: try query.number("days", in: FloorReport.days) ?? FloorReport.usualDays
        )
        return try await self.advise { ruleSet throws(CensusStore.Failure) in
            guard target.exists(in: ruleSet.definition) else {
                let name = query["rule"] == nil ? "backend" : "rule"
                return .invalid(name, "the rules do not contain \(target.words)")
            }
            let paths = SunsetReport.Question(question, by: ruleSet, at: now, since: start)
            return AdminAnswer(
                .ok,
                RoutedSunsetReport(
                    try RouteReport(store, question, by: ruleSet, at: now),
                    try SunsetReport(store, paths, at: now)
                )
            )
        }
    }

    func strayBuilds(_ query: AdminQuery) async throws(AdminAnswer) -> AdminAnswer {
        let (store, now) = (try self.store, self.now())
        let start = try query.since(before: now, usually: "24h")
        return try await self.advise { ruleSet throws(CensusStore.Failure) in
            AdminAnswer(.ok, try StrayReport(store, since: start, by: ruleSet, at: now))
        }
    }

    /// The counts of the census; throws `noCensus` for a gate without a census.
    var store: CensusStore {
        get throws(AdminAnswer) {
            guard let census = self.census else { throw .noCensus }
            return census.store
        }
    }

    /// Creates the response from the census and the active rules.
    private func advise(
        _ report: @escaping @Sendable (RuleSet) throws(CensusStore.Failure) -> AdminAnswer
    ) async throws(AdminAnswer) -> AdminAnswer {
        guard let current = await self.reloader.current else { throw .noRules }
        return await self.respondInBackground { () throws(CensusStore.Failure) in
            try report(current.ruleSet)
        }
    }
}

extension AdminQuery {
    /// Returns the value of a parameter that is a share such as `1%`.
    fileprivate func share(_ name: String, usually text: String) throws(AdminAnswer) -> Double {
        guard let share = ShareFormat.share(self[name] ?? text) else {
            throw .invalid(name, "expected a share above 0% and below 100%, such as '1%'")
        }
        return share
    }
}
