package import GateControl
package import GatePolicy
internal import NIOHTTP1

/// Answers what is asked on the admin listener.
package struct AdminEndpoints: Sendable {
    private struct Receipt: Encodable {
        let feed: String
        let asked = true
    }

    private let reloader: RulesReloader
    private let coordinator: FeedCoordinator
    private let hooks: FeedHooks
    private let lastGood: LastGoodRules?
    private let gate: GateView
    private let census: Census?
    private let breaker: Breaker?
    private let now: @Sendable () -> Timestamp

    package init(
        reloader: RulesReloader,
        coordinator: FeedCoordinator,
        hooks: FeedHooks,
        lastGood: LastGoodRules? = nil,
        gate: GateView = GateView(),
        census: Census? = nil,
        breaker: Breaker? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.reloader = reloader
        self.coordinator = coordinator
        self.hooks = hooks
        self.lastGood = lastGood
        self.gate = gate
        self.census = census
        self.breaker = breaker
        self.now = now
    }

    /// `peer`: who asks, for the log.
    func answer(_ request: AdminRequest, from peer: String) async -> AdminAnswer {
        switch request.route {
        case .feeds:
            let report = FeedsReport(
                await self.reloader.status,
                await self.coordinator.statuses,
                self.lastGood,
                await self.breaker?.status,
                droppedLogLines: self.gate.droppedLogLines(),
                now: self.now()
            )
            return AdminAnswer(.ok, report)
        case .metrics:
            guard let statistics = await self.gate.statistics() else {
                return .refusal(.serviceUnavailable, "the gate ends")
            }
            let metrics = GateMetrics(
                gate: statistics,
                reload: await self.reloader.status,
                reloads: await self.reloader.counts,
                feeds: await self.coordinator.statuses,
                census: await self.census?.status,
                breaker: await self.breaker?.status,
                droppedLogLines: self.gate.droppedLogLines(),
                release: self.gate.release,
                process: .current()
            )
            return AdminAnswer(metrics: metrics.families)
        case .healthy:
            return AdminAnswer(bare: await self.gate.isHealthy() ? .ok : .serviceUnavailable)
        case .ready:
            return AdminAnswer(bare: self.gate.isReady() ? .ok : .serviceUnavailable)
        case .reload:
            let status = await self.reloader.reload(reason: .request)
            let report = RulesReport(status)
            return AdminAnswer(status.lastReloadSuccessful ? .ok : .conflict, report)
        case .breaker: return await self.breakerReport(.ok)
        case .resetBreaker:
            _ = await self.breaker?.reset()
            return await self.breakerReport(.ok)
        case .census(let since): return await self.census(since: since)
        case .hook(let feed):
            let outcome = self.hooks.take(request.body, for: feed, from: peer) { name in
                request.fields[name]
            }
            return self.answer(to: outcome, of: feed)
        }
    }

    private func breakerReport(_ status: HTTPResponseStatus) async -> AdminAnswer {
        guard let breaker = await self.breaker?.status else {
            return .refusal(.notFound, "nobody is counted, and so there is no breaker")
        }
        return AdminAnswer(status, BreakerReport(breaker))
    }

    private func census(since text: String) async -> AdminAnswer {
        guard let census = self.census else { return .refusal(.notFound, "nobody is counted") }
        guard let span = try? TimeSpan(parsing: text) else {
            return .refusal(.badRequest, "since=\(text): \(TimeSpan.Failure.shape)")
        }
        let now = self.now()
        let start = now.advanced(by: -span.seconds)
        do throws(CensusStore.Failure) {
            let rows = try await census.rows(since: start)
            return AdminAnswer(.ok, CensusReport(rows, since: start, until: now))
        } catch {
            return .refusal(.serviceUnavailable, "the census: \(error)")
        }
    }

    private func answer(to outcome: FeedHooks.Outcome, of feed: String) -> AdminAnswer {
        switch outcome {
        case .taken: AdminAnswer(.accepted, Receipt(feed: feed))
        case .unknown: .refusal(.notFound, "there is no feed of that name with a webhook")
        // 401 would have to name a scheme (RFC 9110 section 15.5.2), and there is none for this.
        case .unsigned: .refusal(.forbidden, "the signature is missing")
        case .wronglySigned: .refusal(.forbidden, "the signature is wrong")
        case .secretMissing: .refusal(.serviceUnavailable, "the signature cannot be checked")
        }
    }
}
