private import FoundationEssentials
package import GateCensus
package import GatePolicy
package import GateRecords
package import GateRules
package import GateSystem
package import Logging

/// Watches what becomes of a change of rules, and has them observe where they refuse far more clients
/// than was predicted.
///
/// It begins with a reload or a date that makes a rule refuse more, and ends when the change has been
/// watched for long enough. What it has stopped stays so, over restarts and reloads, until somebody
/// resets it or edits the terms of the rule.
package actor Breaker: RulesFilter {
    /// The breaker's state, for operators.
    package struct Status: Sendable, Equatable {
        /// The names of the rules that are watched.
        package let watched: [String]
        /// The rules in force that do but observe.
        package let trips: [BreakerTrip]
        /// Trips since the start.
        package let count: UInt64
    }

    /// Seconds of the census that a prediction is made of.
    private static let window: Int64 = 86_400

    /// A change that is being watched.
    private struct Watch {
        var trial: RuleTrial
        /// The clients of the time before, read aside: no change waits for it.
        let baseline: Task<[CensusRow], Never>
        var prediction: RefusalPrediction?
        /// Whether requests of before may be in what is counted next.
        var isFresh = true
    }

    private let rows: @Sendable (_ since: Timestamp, _ until: Timestamp) -> [CensusRow]
    private let folder: StateFolder?
    private let webhook: BreakerWebhook
    private let logger: Logger
    private let now: @Sendable () -> Timestamp

    private var record = BreakerRecord()
    private var count: UInt64 = 0
    private var loaded: LoadedRules?
    /// The terms on which these refuse: for 10,000 rules, to write them out takes a third of a second.
    private var terms: [String: String] = [:]
    /// The rules as they act.
    private var acting: RuleSet?
    private var watch: Watch?
    /// Seconds at which rules begin to refuse more, in ascending order.
    private var dates: [(time: Timestamp, rule: String)] = []
    private var lastLook: Timestamp
    private var publish: @Sendable () async -> Void = {}
    private var tellClients: @Sendable (Bool) async -> Void = { _ in }

    /// A breaker that watches nothing yet.
    ///
    /// - Parameters:
    ///   - census: The clients whom predictions are made of.
    ///   - folder: Where trips are kept; `nil`: they end with the process.
    ///   - trust: Who may vouch for the address that is told.
    ///   - logger: Is told of trips.
    ///   - now: The second.
    package init(
        census: Census,
        folder: StateFolder?,
        trust: TrustedAuthorities = .system,
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp = SystemClock.now
    ) {
        self.init(rows: census.history, folder: folder, trust: trust, logger: logger, now: now)
    }

    init(
        rows: @escaping @Sendable (_ since: Timestamp, _ until: Timestamp) -> [CensusRow],
        folder: StateFolder?,
        trust: TrustedAuthorities = .system,
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.rows = rows
        self.folder = folder
        self.webhook = BreakerWebhook(trust: trust, logger: logger)
        self.logger = logger
        self.now = now
        self.lastLook = now()
    }

    /// Takes the rules of the start.
    ///
    /// - Parameters:
    ///   - rules: The rules.
    ///   - former: Those of before the restart; `nil`: nobody knows.
    /// - Returns: The rules as they are to act.
    package func start(_ rules: LoadedRules, after former: LoadedRules?) async -> RuleSet {
        if let folder {
            self.record = BreakerRecord(in: folder) { self.logger.error("\($0)") } ?? self.record
        }
        let watched = self.record.watch
        // Without rules of before nothing has changed: a gate that is started anew, one of many, must
        // not stop what the others enforce.
        let acting = await self.admit(rules, after: former ?? rules)
        if let watched, self.watch == nil {
            let same = watched.rules.filter { self.terms[$0.key] == $0.value }
            let since = Timestamp(secondsSinceEpoch: watched.since)
            await self.begin(Set(same.keys), since: since)
        }
        for trip in self.trips { self.report(trip, "the breaker has tripped before the start") }
        return acting
    }

    /// Whom it tells: `publish` puts the rules in force as they act, `tellClients` has clients told apart.
    package func connect(
        publish: @escaping @Sendable () async -> Void,
        tellClients: @escaping @Sendable (Bool) async -> Void
    ) async {
        self.publish = publish
        self.tellClients = tellClients
        await tellClients(self.watch != nil)
    }

    package func admit(_ rules: LoadedRules, after former: LoadedRules?) async -> RuleSet {
        let (terms, before) = (rules.definition.refusingTerms, self.terms)
        let changed = former.map { former in
            let isLoaded = former.definition == self.loaded?.definition
            return rules.definition.changedTerms(
                terms,
                since: former.definition,
                isLoaded ? before : former.definition.refusingTerms
            )
        }
        let watched = self.watch?.trial.suspects ?? []
        self.loaded = rules
        self.terms = terms
        self.dates = rules.definition.datesOfRefusals.filter { $0.time > self.lastLook }
        let acting = self.act()
        let suspects = (changed ?? Set(terms.keys))
            .union(watched.filter { terms[$0] != nil && terms[$0] == before[$0] })
        await self.begin(suspects, since: self.now())
        return acting
    }

    package func acting(_ rules: LoadedRules) -> LoadedRules {
        guard let acting = self.acting, rules.definition.revision == acting.revision else {
            return rules
        }
        var rules = rules
        rules.ruleSet = acting
        return rules
    }

    /// Has every rule enforce again that has tripped, and watches none of them.
    ///
    /// - Returns: The names of those in force.
    package func reset() async -> [String] {
        let names = self.trips.map(\.rule)
        self.record.reset()
        self.save()
        _ = self.act()
        self.logger.notice(
            "the breaker was reset",
            metadata: ["rules": "\(names.joined(separator: ","))"]
        )
        await self.publish()
        return names
    }

    package var status: Status {
        Status(
            watched: self.watch?.trial.suspects.sorted() ?? [],
            trips: self.trips,
            count: self.count
        )
    }

    /// Whether a date has come from which a rule refuses more.
    var isDue: Bool { self.dates.first.map { $0.time <= self.now() } ?? false }

    /// Whether it is worth to look at once.
    package var wantsLook: Bool { self.watch != nil || self.isDue }

    /// Looks at what was counted since the last time.
    package func look(at cells: [[CensusCell: CensusFigures]]) async {
        let now = self.now()
        let due = self.dates.prefix { $0.time <= now }.map(\.rule)
        self.dates.removeFirst(due.count)
        self.lastLook = now
        if !due.isEmpty {
            await self.begin(
                Set(due.filter { self.terms[$0] != nil }).union(self.watch?.trial.suspects ?? []),
                since: now
            )
        }
        guard let loaded = self.loaded, let acting = self.acting, var watch = self.watch,
            let limit = loaded.breaker.limit
        else { return }
        if watch.isFresh {
            watch.isFresh = false
            self.watch = watch
            return
        }
        if watch.prediction?.validUntil.map({ $0 <= now }) ?? (watch.prediction == nil) {
            let (rows, suspects) = (await watch.baseline.value, watch.trial.suspects)
            let prediction = await BackgroundThread.records.run {
                RefusalPrediction(rows, by: acting, suspects: suspects, at: now)
            }
            // Meanwhile other rules may have come.
            guard self.watch?.trial.since == watch.trial.since, self.acting === acting else {
                return
            }
            if watch.prediction != nil { watch.trial.restart(at: now) }
            watch.prediction = prediction
        }
        guard let prediction = watch.prediction else { return }
        for cells in cells { watch.trial.add(cells, by: acting, at: now) }
        self.watch = watch
        if let excess = watch.trial.excess(over: prediction, limit: limit) {
            await self.trip(excess, watch, loaded, at: now)
        } else if watch.trial.isOver(at: now, after: loaded.breaker.watch) {
            self.logger.info(
                "the change of the rules went as predicted",
                metadata: ["rules": "\(watch.trial.suspects.sorted().joined(separator: ","))"]
            )
            await self.end()
        }
    }
}

/// The change that is watched.
extension Breaker {
    private var trips: [BreakerTrip] {
        self.record.trips(in: self.terms)
    }

    /// Works out the rules as they act.
    private func act() -> RuleSet {
        guard let loaded = self.loaded else { preconditionFailure("there are rules") }
        let names = Set(self.trips.map(\.rule))
        let acting =
            names.isEmpty ? loaded.ruleSet : RuleSet(loaded.definition.observing(names))
        self.acting = acting
        return acting
    }

    /// Watches rules from a second on, unless they have tripped; ends if there are none.
    private func begin(_ names: Set<String>, since: Timestamp) async {
        let suspects = names.subtracting(self.trips.map(\.rule))
        guard !suspects.isEmpty, let loaded = self.loaded, loaded.breaker.limit != nil else {
            return await self.end()
        }
        let start = since.advanced(by: -Self.window)
        let rows = self.rows
        var watch = Watch(
            trial: RuleTrial(of: suspects, since: since),
            baseline: self.watch?.baseline
                ?? BackgroundThread.records.task { rows(start, since) }
        )
        // Where nobody told clients apart, none of before can be among them.
        watch.isFresh = self.watch != nil
        self.watch = watch
        self.record.watch = BreakerRecord.Watch(
            rules: self.terms.filter { suspects.contains($0.key) },
            since: since.secondsSinceEpoch
        )
        self.save()
        await self.tellClients(true)
    }

    private func end() async {
        guard self.watch != nil || self.record.watch != nil else { return }
        self.watch = nil
        self.record.watch = nil
        self.save()
        await self.tellClients(false)
    }

    private func trip(
        _ excess: RuleTrial.Excess,
        _ watch: Watch,
        _ loaded: LoadedRules,
        at now: Timestamp
    ) async {
        let refused = watch.trial.refusedRequests
        let active = watch.trial.suspects.filter { refused[$0, default: 0] > 0 }
        let names = active.isEmpty ? watch.trial.suspects : active
        let trips = names.sorted().compactMap { name in
            self.terms[name].map { terms in
                BreakerTrip(
                    rule: name,
                    terms: terms,
                    time: now.secondsSinceEpoch,
                    cause: excess.cause,
                    app: excess.audience?.app,
                    platform: excess.audience?.platform,
                    clients: excess.clients,
                    share: excess.share,
                    predicted: excess.predicted,
                    refusedRequests: refused[name, default: 0],
                    revision: loaded.definition.revision
                )
            }
        }
        self.record.add(trips)
        self.count += UInt64(trips.count)
        _ = self.act()
        for trip in trips { self.report(trip, "the breaker has tripped: the rule observes") }
        await self.publish()
        await self.begin(watch.trial.suspects.subtracting(names), since: now)
        self.save()
        if let url = loaded.breaker.webhook {
            let webhook = self.webhook
            Task { await webhook.tell(url, trips) }
        }
    }

    private func report(_ trip: BreakerTrip, _ message: String) {
        let noun = trip.cause == .missingFields ? "without a version" : "refused"
        self.logger.error(
            "\(message)",
            metadata: [
                "rule": "\(trip.rule)", "cause": "\(trip.cause.rawValue)",
                "app": "\(trip.app ?? "all")", "platform": "\(trip.platform ?? "all")",
                "clients": "\(trip.clients)",
                "share": "\(ShareWords.percent(trip.share)) \(noun)",
                "predicted": "\(ShareWords.percent(trip.predicted))",
                "refused_requests": "\(trip.refusedRequests)",
                "revision": "\(trip.revision)",
            ]
        )
    }

    private func save() {
        guard let folder = self.folder else { return }
        do throws(StateFolder.Failure) {
            try self.record.save(in: folder)
        } catch {
            self.logger.error(
                "the state of the breaker is not kept",
                metadata: ["error": "\(error)"]
            )
        }
    }
}

/// Tells an address of somebody's own what has tripped.
struct BreakerWebhook: Sendable {
    private struct Message: Encodable {
        let event = "breaker-tripped"
        let trips: [BreakerTrip]
    }

    private static let attempts = 3
    private static let pause = Duration.seconds(5)

    let trust: TrustedAuthorities
    let logger: Logger

    /// Posts JSON, and tries again twice if nobody takes it.
    func tell(_ url: FetchURL, _ trips: [BreakerTrip]) async {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(Message(trips: trips)) else { return }
        let request = FetchRequest(url, method: .post(body: Array(body), type: "application/json"))
        var problem = ""
        for attempt in 1...Self.attempts {
            do throws(FetchFailure) {
                let status = try await Fetcher(trust: self.trust).fetch(request).status
                if (200..<300).contains(status) { return }
                problem = "status \(status)"
            } catch {
                problem = "\(error)"
            }
            if attempt < Self.attempts { try? await Task.sleep(for: Self.pause) }
        }
        self.logger.error(
            "the webhook of the breaker was not told",
            metadata: ["host": "\(url.host)", "error": "\(problem)"]
        )
    }
}
