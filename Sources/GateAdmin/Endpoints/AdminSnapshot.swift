internal import GateControl
internal import GateProxy
internal import GateRecords

/// A snapshot of the gate's state, compared with an earlier snapshot to detect changes for a page.
struct AdminSnapshot: Sendable, Equatable {
    /// The parts of the state that a page may have to load again, named as in the API.
    enum Part: String, Sendable, Encodable {
        case rules, audit, findings, feeds, breaker
    }

    let reload: ReloadStatus
    let reloads: ReloadCounts
    /// The number of change records stored since startup.
    let records: Int
    let feeds: [FeedStatus]
    let breaker: Breaker.Status?

    /// Returns the parts that differ from an earlier snapshot.
    func changes(since former: AdminSnapshot) -> [Part] {
        var parts: [Part] = []
        if self.reload != former.reload || self.reloads != former.reloads { parts.append(.rules) }
        if self.records != former.records { parts.append(.audit) }
        if self.reload.findings != former.reload.findings
            || self.reload.refusals != former.reload.refusals
            || self.reload.errors != former.reload.errors
        {
            parts.append(.findings)
        }
        if self.feeds != former.feeds { parts.append(.feeds) }
        if self.breaker != former.breaker { parts.append(.breaker) }
        return parts
    }
}

/// The number of requests since startup, by decision.
struct AdminFigures: Sendable, Equatable, Encodable {
    let requests: UInt64
    let denied: UInt64
    let warned: UInt64
    let observed: UInt64
    /// The number of requests that were allowed because of a pass.
    let passed: UInt64
    let connections: Int
}

extension AdminEndpoints {
    func moment() async -> AdminSnapshot {
        AdminSnapshot(
            reload: await self.reloader.status,
            reloads: await self.reloader.counts,
            records: self.audit?.count ?? 0,
            feeds: await self.coordinator.statuses,
            breaker: await self.breaker?.status
        )
    }

    /// Returns the counts; `nil` if the gate is shutting down.
    func figures() async -> AdminFigures? {
        await self.gate.statistics().map { statistics in
            let counters = statistics.counters
            return AdminFigures(
                requests: counters.requests,
                denied: counters.required + counters.maintenance,
                warned: counters.recommended,
                observed: counters.observed,
                passed: counters.passed,
                connections: statistics.openConnections
            )
        }
    }
}
