private import FoundationEssentials
package import GateCensus
package import GatePolicy
package import GateRecords
package import GateRules
package import GateSystem
package import Logging

/// A circuit breaker that monitors changed rules, and sets them to observe mode if they deny far
/// more clients than predicted.
///
/// Monitoring starts after a reload, or on a date from which a rule denies more clients, and ends
/// after the configured time. After a trip, a rule remains in observe mode, across restarts and
/// reloads, until an operator resets the breaker or edits the rule's terms.
package actor Breaker: RulesFilter {
    /// The state of the breaker, for operators.
    package struct Status: Sendable, Equatable {
        /// The names of the monitored rules.
        package let watched: [String]
        /// The trips of active rules.
        package let trips: [BreakerTrip]
        /// The number of trips since startup.
        package let count: UInt64
    }

    /// The length in seconds of the census period that a prediction is based on.
    private static let window: Int64 = 86_400

    /// A change that is being monitored.
    private struct Watch {
        var trial: RuleTrial
        /// The clients seen before the change; they are read in the background so that the change
        /// is not delayed.
        let baseline: Task<[CensusRow], Never>
        var prediction: RefusalPrediction?
        /// Whether the next counts may include requests from before the change.
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
    /// The digests of the terms by rule ID.
    ///
    /// They are cached, because the digests of 10,000 rules take a third of a second to compute.
    private var terms: [String: String] = [:]
    /// The rules as they are applied: the loaded rules, with tripped rules in observe mode.
    private var acting: RuleSet?
    private var watch: Watch?
    /// The times at which rules start to deny more clients, in ascending order.
    private var dates: [(time: Timestamp, rule: String)] = []
    private var lastLook: Timestamp
    private var publish: @Sendable () async -> Void = {}
    private var tellClients: @Sendable (Bool) async -> Void = { _ in }

    /// Creates a breaker that does not monitor any rules yet.
    ///
    /// - Parameters:
    ///   - census: The clients that predictions are based on.
    ///   - folder: The folder that trips are stored in; `nil` to store none.
    ///   - trust: The CA certificates that the webhook's certificate is verified against.
    ///   - logger: Logs trips.
    ///   - now: Returns the current time.
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

    /// Initializes the breaker with the rules that the gate starts with.
    ///
    /// - Parameters:
    ///   - rules: The rules that the gate has loaded.
    ///   - former: The rules before the restart; `nil` if they are unknown.
    /// - Returns: The rules to apply.
    package func start(_ rules: LoadedRules, after former: LoadedRules?) async -> RuleSet {
        if let folder {
            self.record = BreakerRecord(in: folder) { self.logger.error("\($0)") } ?? self.record
        }
        let watched = self.record.watch
        // Without previous rules, nothing counts as changed: a new gate in a fleet must not stop
        // enforcing what the other gates enforce.
        let acting = await self.admit(rules, after: former ?? rules)
        if let watched, self.watch == nil {
            let same = watched.rules.filter { self.terms[$0.key] == $0.value }
            let since = Timestamp(secondsSinceEpoch: watched.since)
            await self.begin(Set(same.keys), since: since)
        }
        for trip in self.trips { self.report(trip, "the circuit breaker tripped before startup") }
        return acting
    }

    /// Connects the breaker to the reloader and the event loops.
    ///
    /// `publish` applies the rules again, and `tellClients` sets whether the event loops
    /// distinguish clients by address.
    package func connect(
        publish: @escaping @Sendable () async -> Void,
        tellClients: @escaping @Sendable (Bool) async -> Void
    ) async {
        self.publish = publish
        self.tellClients = tellClients
        await tellClients(self.watch != nil)
    }

    package func admit(_ rules: LoadedRules, after former: LoadedRules?) async -> RuleSet {
        let (terms, before) = (rules.definition.denialTerms, self.terms)
        let changed = former.map { former in
            let isLoaded = former.definition == self.loaded?.definition
            return rules.definition.changedTerms(
                terms,
                since: former.definition,
                isLoaded ? before : former.definition.denialTerms
            )
        }
        let watched = self.watch?.trial.suspects ?? []
        self.loaded = rules
        self.terms = terms
        self.dates = rules.definition.denialDates.filter { $0.time > self.lastLook }
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

    /// Resets all trips, and enforces the rules again without monitoring them.
    ///
    /// - Returns: The IDs of the active rules that had tripped.
    package func reset() async -> [String] {
        let names = self.trips.map(\.rule)
        self.record.reset()
        self.save()
        _ = self.act()
        self.logger.notice(
            "the circuit breaker was reset",
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

    /// Whether a time at which a rule starts to deny more clients has passed.
    var isDue: Bool { self.dates.first.map { $0.time <= self.now() } ?? false }

    /// Whether the counts should be evaluated now.
    package var wantsLook: Bool { self.watch != nil || self.isDue }

    /// Evaluates the counts since the last call.
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
            // The rules may have changed while the prediction was computed.
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
                "the change to the rules had the predicted effect",
                metadata: ["rules": "\(watch.trial.suspects.sorted().joined(separator: ","))"]
            )
            await self.end()
        }
    }
}

/// The monitored change.
extension Breaker {
    private var trips: [BreakerTrip] {
        self.record.trips(in: self.terms)
    }

    /// Updates the rules to apply, and returns them: the loaded rules, with tripped rules in
    /// observe mode.
    private func act() -> RuleSet {
        guard let loaded = self.loaded else { preconditionFailure("there are rules") }
        let names = Set(self.trips.map(\.rule))
        let acting =
            names.isEmpty ? loaded.ruleSet : RuleSet(loaded.definition.observing(names))
        self.acting = acting
        return acting
    }

    /// Monitors rules that have not tripped, from a given time on; ends the monitoring if no rule remains.
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
        // If clients were not distinguished before, all of the next counts come from requests after the change.
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
        for trip in trips {
            self.report(trip, "the circuit breaker tripped: the rule is now in observe mode")
        }
        await self.publish()
        await self.begin(watch.trial.suspects.subtracting(names), since: now)
        self.save()
        if let url = loaded.breaker.webhook {
            let webhook = self.webhook
            Task { await webhook.tell(url, trips) }
        }
    }

    private func report(_ trip: BreakerTrip, _ message: String) {
        let noun = trip.cause == .missingFields ? "without a version" : "denied"
        self.logger.error(
            "\(message)",
            metadata: [
                "rule": "\(trip.rule)", "cause": "\(trip.cause.rawValue)",
                "app": "\(trip.app ?? "all")", "platform": "\(trip.platform ?? "all")",
                "clients": "\(trip.clients)",
                "share": "\(ShareFormat.percent(trip.share)) \(noun)",
                "predicted": "\(ShareFormat.percent(trip.predicted))",
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
                "the state of the circuit breaker cannot be stored",
                metadata: ["error": "\(error)"]
            )
        }
    }
}

/// Reports trips to a webhook.
struct BreakerWebhook: Sendable {
    private struct Message: Encodable {
        let event = "breaker-tripped"
        let trips: [BreakerTrip]
    }

    private static let attempts = 3
    private static let pause = Duration.seconds(5)

    let trust: TrustedAuthorities
    let logger: Logger

    /// Sends trips to a webhook as JSON, with up to three attempts.
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
            "the circuit breaker's webhook could not be delivered",
            metadata: ["host": "\(url.host)", "error": "\(problem)"]
        )
    }
}
