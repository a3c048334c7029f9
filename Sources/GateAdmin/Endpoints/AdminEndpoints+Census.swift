internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules
internal import NIOHTTP1

/// Endpoints that report which clients were counted.
extension AdminEndpoints {
    func census(_ query: AdminQuery) async -> AdminAnswer {
        await self.counted(query, usually: "24h") {
            census,
            start,
            now async throws(CensusStore.Failure) in
            try await census.report(since: start, until: now) { AdminAnswer(.ok, $0) }
        }
    }

    func traffic(_ query: AdminQuery) async -> AdminAnswer {
        await self.counted(query, usually: "24h") {
            census,
            start,
            now async throws(CensusStore.Failure) in
            try await census.traffic(since: start, until: now) { AdminAnswer(.ok, $0) }
        }
    }

    func adoption(_ query: AdminQuery) async -> AdminAnswer {
        await self.counted(query, usually: "30d") {
            census,
            start,
            now async throws(CensusStore.Failure) in
            try await census.read { store throws(CensusStore.Failure) in
                AdminAnswer(.ok, try AdoptionReport(store, since: start, until: now))
            }
        }
    }

    func overview() async -> AdminAnswer {
        guard let rules = await self.reloader.current else { return .noRules }
        let now = self.now()
        return await self.reading { census async throws(CensusStore.Failure) in
            try await census.read { store throws(CensusStore.Failure) in
                AdminAnswer(.ok, try OverviewReport(store, by: rules.ruleSet, at: now))
            }
        }
    }

    /// Returns a response based on the census of the period in the query.
    private func counted(
        _ query: AdminQuery,
        usually span: String,
        _ answer: (Census, Timestamp, Timestamp) async throws(CensusStore.Failure) -> AdminAnswer
    ) async -> AdminAnswer {
        let now = self.now()
        let start: Timestamp
        do throws(AdminQuery.Failure) {
            start = try query.since(before: now, usually: span)
        } catch {
            return .refusal(error)
        }
        return await self.reading { census async throws(CensusStore.Failure) in
            try await answer(census, start, now)
        }
    }

    /// Returns a response from the census, or the reason why there is none.
    private func reading(
        _ answer: (Census) async throws(CensusStore.Failure) -> AdminAnswer
    ) async -> AdminAnswer {
        guard let census = self.census else { return .noCensus }
        do throws(CensusStore.Failure) {
            return try await answer(census)
        } catch {
            return .refusal(.serviceUnavailable, "cannot read the census: \(error)")
        }
    }
}
