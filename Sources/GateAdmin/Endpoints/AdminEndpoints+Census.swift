internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules
internal import NIOHTTP1

/// Endpoints that report which clients were counted.
extension AdminEndpoints {
    func census(_ query: AdminQuery) async throws(AdminAnswer) -> AdminAnswer {
        let now = self.now()
        let start = try query.since(before: now, usually: "24h")
        return await self.reading { census async throws(CensusStore.Failure) in
            try await census.report(since: start, until: now) { AdminAnswer(.ok, $0) }
        }
    }

    func traffic(_ query: AdminQuery) async throws(AdminAnswer) -> AdminAnswer {
        let now = self.now()
        let start = try query.since(before: now, usually: "24h")
        return await self.reading { census async throws(CensusStore.Failure) in
            try await census.traffic(since: start, until: now) { AdminAnswer(.ok, $0) }
        }
    }

    func adoption(_ query: AdminQuery) async throws(AdminAnswer) -> AdminAnswer {
        let now = self.now()
        let start = try query.since(before: now, usually: "30d")
        return await self.reading { census async throws(CensusStore.Failure) in
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

    /// Returns the response that `answer` creates, or an error response if the census is off or cannot be read.
    private func reading(
        _ answer: (Census) async throws(CensusStore.Failure) -> AdminAnswer
    ) async -> AdminAnswer {
        guard let census = self.census else { return .noCensus }
        do throws(CensusStore.Failure) {
            return try await answer(census)
        } catch {
            return .unreadableCensus(error)
        }
    }
}
