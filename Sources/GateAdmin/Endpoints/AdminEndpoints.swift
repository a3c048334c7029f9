internal import CAdminFiles
package import GateControl
package import GateFeeds
package import GatePolicy
package import GateRecords
internal import GateRules
internal import GateSystem
internal import NIOCore
internal import NIOHTTP1

/// Responds to requests on the admin listener.
package struct AdminEndpoints: Sendable {
    private struct Receipt: Encodable {
        let feed: String
        let asked = true
    }

    /// The default number of records in a response that lists changes.
    private static let usualRecords: Int64 = 50

    let reloader: RulesReloader
    let coordinator: FeedCoordinator
    private let hooks: FeedHooks
    let lastGood: LastGoodRules?
    let gate: GateView
    let census: Census?
    let audit: AuditLog?
    let archive: RulesArchive?
    let breaker: Breaker?
    let publisher: RulesPublisher?
    let aside = LongTaskThread()
    let floorReports = FloorReportCache()
    let now: @Sendable () -> Timestamp

    package init(
        reloader: RulesReloader,
        coordinator: FeedCoordinator,
        hooks: FeedHooks,
        lastGood: LastGoodRules? = nil,
        gate: GateView = GateView(),
        census: Census? = nil,
        audit: AuditLog? = nil,
        archive: RulesArchive? = nil,
        breaker: Breaker? = nil,
        publisher: RulesPublisher? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.reloader = reloader
        self.coordinator = coordinator
        self.hooks = hooks
        self.lastGood = lastGood
        self.gate = gate
        self.census = census
        self.audit = audit
        self.archive = archive
        self.breaker = breaker
        self.publisher = publisher
        self.now = now
    }

    /// Returns the response to a probe; `nil` if the request is not a probe.
    ///
    /// Probes use no thread of the concurrency runtime, since all of its threads may be busy with
    /// other requests.
    func probe(
        _ route: AdminRoute,
        on eventLoop: any EventLoop
    ) -> EventLoopFuture<AdminAnswer>? {
        switch route {
        case .healthy:
            self.gate.isHealthy(eventLoop).map {
                AdminAnswer(bare: $0 ? .ok : .serviceUnavailable)
            }
        case .ready:
            eventLoop.submit { AdminAnswer(bare: self.gate.isReady() ? .ok : .serviceUnavailable) }
        default: nil
        }
    }

    /// Returns the response to a request other than a probe or an event stream.
    ///
    /// `peer` is the address of the client, for the log.
    func answer(_ request: AdminRequest, from peer: String) async -> AdminAnswer {
        do throws(AdminAnswer) {
            return try await self.handle(request, from: peer)
        } catch {
            return error
        }
    }

    private func handle(
        _ request: AdminRequest,
        from peer: String
    ) async throws(AdminAnswer) -> AdminAnswer {
        switch request.route {
        case .page(let file): return file.answer
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
            guard let metrics = await self.metrics() else {
                return .refusal(.serviceUnavailable, "the gate is shutting down")
            }
            let text = Exposition.text(metrics.families)
            return AdminAnswer(text: text, type: Exposition.contentType)
        // The listener responds to probes itself.
        case .healthy, .ready: return AdminAnswer(bare: .serviceUnavailable)
        case .reload:
            let status = await self.reloader.reload(reason: .request, by: request.operatorName)
            let report = RulesReport(status)
            return AdminAnswer(status.lastReloadSuccessful ? .ok : .conflict, report)
        case .document:
            let text = unsafe String(cString: gate_admin_openapi())
            return AdminAnswer(text: text, type: "application/json")
        case .rules: return await self.rules()
        case .findings: return AdminAnswer(.ok, FindingsReport(await self.reloader.status))
        case .timeline:
            guard let rules = await self.reloader.current else { return .noRules }
            return AdminAnswer(.ok, TimelineReport(rules.definition, at: self.now()))
        case .census: return try await self.census(request.query)
        case .traffic: return try await self.traffic(request.query)
        case .overview: return await self.overview()
        case .adoption: return try await self.adoption(request.query)
        case .denials:
            guard let census = self.census else { return .noCensus }
            return AdminAnswer(.ok, DenialsReport(await census.denials))
        case .impact: return try await self.impact(request)
        case .floorAdvice: return try await self.floorAdvice(request.query)
        case .sunset: return try await self.sunset(request.query)
        case .routeSunset: return try await self.routeSunset(request.query)
        case .strayBuilds: return try await self.strayBuilds(request.query)
        case .explain: return await self.explain(request)
        case .audit: return try await self.audit(request.query)
        case .events: return .tooManyListeners
        case .undo:
            return request.method == .POST
                ? await self.undo(request) : await self.preview(of: request.query["to"])
        case .breaker: return await self.breakerReport()
        case .resetBreaker:
            _ = await self.breaker?.reset()
            return await self.breakerReport()
        case .hook(let feed):
            let outcome = self.hooks.take(request.body, for: feed, from: peer) { name in
                request.fields[name]
            }
            return self.answer(to: outcome, of: feed)
        }
    }

    /// Returns all metrics; `nil` if the gate is shutting down.
    func metrics() async -> GateMetrics? {
        guard let statistics = await self.gate.statistics() else { return nil }
        return GateMetrics(
            gate: statistics,
            reload: await self.reloader.status,
            reloads: await self.reloader.counts,
            feeds: await self.coordinator.statuses,
            census: await self.census?.status,
            breaker: await self.breaker?.status,
            arePublished: self.publisher?.isCurrent,
            droppedLogLines: self.gate.droppedLogLines(),
            release: self.gate.release,
            process: .current()
        )
    }

    private func breakerReport() async -> AdminAnswer {
        guard let breaker = await self.breaker?.status else {
            return .refusal(.notFound, "the circuit breaker is off because the census is off")
        }
        return AdminAnswer(.ok, BreakerReport(breaker))
    }

    private func rules() async -> AdminAnswer {
        guard let standing = await self.reloader.standing else { return .noRules }
        let now = self.now()
        // The rules are reported even if the census cannot be read.
        let matches = (try? await self.census?.lastMatches(at: now)) ?? [:]
        return AdminAnswer(
            .ok,
            ActiveRulesReport(
                standing,
                isCounting: self.census != nil,
                hasDemoData: self.census?.hasDemoData ?? false,
                matches,
                self.census?.returns?.shares ?? [:],
                at: now
            )
        )
    }

    private func explain(_ request: AdminRequest) async -> AdminAnswer {
        guard let rules = await self.reloader.current else { return .noRules }
        let identity = rules.definition.identity
        do throws(RulesFileErrors) {
            let asked =
                request.method == .POST
                ? try ExplainedRequest(json: request.body, identity: identity)
                : try ExplainedRequest(
                    parameters: request.query.items.map { ($0.name, $0.value) },
                    identity: identity
                )
            return AdminAnswer(.ok, ExplainReport(asked, by: rules.ruleSet, at: self.now()))
        } catch {
            return .refusal(.badRequest, "the request is invalid", errors: error.errors)
        }
    }

    private func audit(_ query: AdminQuery) async throws(AdminAnswer) -> AdminAnswer {
        guard let audit = self.audit else {
            throw .refusal(
                .serviceUnavailable,
                "changes to the rules are not recorded; see the gate's log for the reason"
            )
        }
        let limit = try query.number("limit", in: 1...1_000) ?? Self.usualRecords
        let before = try query.number("before", in: 1...Int64(Int32.max))
        do throws(AuditLog.Failure) {
            let records = try await audit.records(before: before, atMost: Int(limit))
            let rules = await self.reloader.current
            let revisions = records.compactMap(\.after)
            let others = try self.archive?.others(of: revisions, than: rules?.filesRevision)
            let report = AuditReport(
                isKept: audit.isKept,
                inForce: rules?.definition.revision,
                records: records.map { record in
                    AuditEntry(
                        record: record,
                        canBePutBack: record.outcome == .applied
                            && others?.contains(record.after ?? "") == true
                    )
                }
            )
            return AdminAnswer(.ok, report)
        } catch {
            throw .refusal(.serviceUnavailable, "cannot read the records: \(error)")
        }
    }

    private func answer(to outcome: FeedHooks.Outcome, of feed: String) -> AdminAnswer {
        switch outcome {
        case .taken: AdminAnswer(.accepted, Receipt(feed: feed))
        case .unknown: .refusal(.notFound, "no feed with this name has a webhook")
        // A 401 response requires a challenge with an authentication scheme (RFC 9110 section
        // 15.5.2), but there is no scheme for these signatures.
        case .unsigned: .refusal(.forbidden, "the signature is missing")
        case .invalidSignature: .refusal(.forbidden, "the signature is invalid")
        case .secretMissing: .refusal(.serviceUnavailable, "the signature cannot be verified")
        }
    }
}

/// The latest changes to the rules.
private struct AuditReport: Encodable {
    /// Whether the records survive a restart.
    let isKept: Bool
    /// The active revision.
    let inForce: String?
    /// The records, newest first.
    let records: [AuditEntry]
}

/// A change to the rules, and whether an undo can restore the rules of that change.
private struct AuditEntry: Encodable {
    private enum Key: String, CodingKey {
        case canBePutBack
    }

    let record: AuditRecord
    /// Whether the files of the change are stored and differ from the active files.
    let canBePutBack: Bool

    func encode(to encoder: any Encoder) throws {
        try self.record.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.canBePutBack, forKey: .canBePutBack)
    }
}

/// The latest denials.
private struct DenialsReport: Encodable {
    /// The number of denied requests since startup, including those not sampled.
    let requests: UInt64
    /// The samples, newest first.
    let samples: [RecentDenials.Sample]

    init(_ denials: RecentDenials) {
        self.requests = denials.requests
        self.samples = denials.samples.reversed()
    }
}

extension AdminAnswer {
    static let noCensus = AdminAnswer.refusal(.notFound, "the census is off")
    static let noRules = AdminAnswer.refusal(.serviceUnavailable, "no rules are loaded yet")
}
