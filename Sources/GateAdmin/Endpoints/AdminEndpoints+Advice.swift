internal import GateCensus
internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules
internal import NIOHTTP1

/// Endpoints that suggest floors and report which clients they affect.
extension AdminEndpoints {
    func floorAdvice(_ query: AdminQuery) async -> AdminAnswer {
        let floorReports = self.floorReports
        return await self.advise { now throws(AdminQuery.Failure) in
            let question = FloorReport.Question(
                app: query["app"],
                platform: query["platform"],
                limit: try query.share("atMost", usually: "1%"),
                days: try query.number("days", in: FloorReport.days) ?? FloorReport.usualDays
            )
            return { store, ruleSet throws(CensusStore.Failure) in
                AdminAnswer(.ok, try floorReports.report(store, question, by: ruleSet, at: now))
            }
        }
    }

    func sunset(_ query: AdminQuery) async -> AdminAnswer {
        await self.advise { now throws(AdminQuery.Failure) in
            guard let text = query["below"] else {
                throw AdminQuery.Failure(name: "below", reason: "expected a version")
            }
            let version: AppVersion
            do throws(VersionError) {
                version = try AppVersion(parsing: text)
            } catch {
                throw AdminQuery.Failure(name: "below", reason: "\(error)")
            }
            let question = SunsetReport.Question(
                below: version,
                app: query["app"],
                platform: query["platform"],
                since: try query.since(before: now, usually: "30d")
            )
            return { store, _ throws(CensusStore.Failure) in
                AdminAnswer(.ok, try SunsetReport(store, question, at: now))
            }
        }
    }

    /// Reports on the clients that the route of a rule selects, or all routes to a backend.
    func routeSunset(_ query: AdminQuery) async -> AdminAnswer {
        await self.advise { now throws(AdminQuery.Failure) in
            let target: RouteReport.Target
            switch (query["rule"], query["backend"]) {
            case (let rule?, nil): target = .rule(rule)
            case (nil, let backend?): target = .backend(backend)
            default:
                let reason = "send either 'rule' or 'backend'"
                throw AdminQuery.Failure(name: "rule", reason: reason)
            }
            let start = try query.since(before: now, usually: "30d")
            let question = RouteReport.Question(
                target,
                app: query["app"],
                platform: query["platform"],
                limit: try query.share("atMost", usually: "1%"),
                days: try query.number("days", in: FloorReport.days) ?? FloorReport.usualDays
            )
            return { store, ruleSet throws(CensusStore.Failure) in
                guard target.exists(in: ruleSet.definition) else {
                    let reason = "the rules do not contain \(target.words)"
                    let name = query["rule"] == nil ? "backend" : "rule"
                    return .refusal(AdminQuery.Failure(name: name, reason: reason))
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
    }

    func strayBuilds(_ query: AdminQuery) async -> AdminAnswer {
        await self.advise { now throws(AdminQuery.Failure) in
            let start = try query.since(before: now, usually: "24h")
            return { store, ruleSet throws(CensusStore.Failure) in
                AdminAnswer(.ok, try StrayReport(store, since: start, by: ruleSet, at: now))
            }
        }
    }

    private typealias Advice =
        @Sendable (CensusStore, RuleSet) throws(CensusStore.Failure) -> AdminAnswer

    /// Parses the query, and creates the response from the census.
    private func advise(
        _ read: (Timestamp) throws(AdminQuery.Failure) -> Advice
    ) async -> AdminAnswer {
        guard let census = self.census else { return .noCensus }
        let advice: Advice
        do throws(AdminQuery.Failure) {
            advice = try read(self.now())
        } catch {
            return .refusal(error)
        }
        guard let current = await self.reloader.current else { return .noRules }
        return await self.respondInBackground {
            do throws(CensusStore.Failure) {
                return try advice(census.store, current.ruleSet)
            } catch {
                return .refusal(.serviceUnavailable, "cannot read the census: \(error)")
            }
        }
    }
}

extension AdminQuery {
    /// Returns a share such as `1%`.
    fileprivate func share(_ name: String, usually text: String) throws(Failure) -> Double {
        guard let share = ShareFormat.share(self[name] ?? text) else {
            let reason = "expected a share above 0% and below 100%, such as '1%'"
            throw Failure(name: name, reason: reason)
        }
        return share
    }
}
