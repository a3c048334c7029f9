internal import GateCensus
internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules
internal import NIOHTTP1

/// Endpoints that suggest floors and report which clients they affect.
extension AdminEndpoints {
    func floorAdvice(_ query: AdminQuery) async -> AdminAnswer {
        await self.advise { now throws(AdminQuery.Failure) in
            let text = query["atMost"] ?? "1%"
            guard let limit = ShareFormat.share(text) else {
                let reason = "expected a share above 0% and below 100%, such as '1%'"
                throw AdminQuery.Failure(name: "atMost", reason: reason)
            }
            let question = FloorReport.Question(
                app: query["app"],
                platform: query["platform"],
                limit: limit,
                days: try query.number("days", in: FloorReport.days) ?? FloorReport.usualDays
            )
            return { store, ruleSet throws(CensusStore.Failure) in
                AdminAnswer(.ok, try FloorReport(store, question, by: ruleSet, at: now))
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
