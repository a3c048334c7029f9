package import GatePolicy
package import GateRecords
internal import GateRules
package import Logging

/// Applies the values of feeds: merges and checks them, stores them, and tracks the status of each
/// feed.
package actor FeedCoordinator {
    /// The minimum time in seconds between two writes that only update the time of confirmation.
    private static let touchInterval: Int64 = 300
    /// The maximum number of errors that are logged for one value.
    private static let loggedErrors = 20

    private let reloader: RulesReloader
    private let store: FeedStore?
    private let logger: Logger
    private let confirmed: @Sendable (String, Timestamp) async -> Void

    private struct RefusedValue {
        let feed: FeedDefinition
        let value: FeedValue
        /// Whether the value is complete.
        let isWhole: Bool
        let error: String
    }

    private var entries: [String: FeedStatus] = [:]
    /// The times at which the stored entries were written.
    private var savedAt: [String: Int64] = [:]
    /// The rejected values by feed ID; a change to the rules may make them valid.
    private var refused: [String: RefusedValue] = [:]
    /// Whether a task is deciding, based on the active rules, whether to apply a value.
    private var isDeciding = false
    /// The tasks that wait for their turn to decide, in FIFO order.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a coordinator without feeds.
    ///
    /// - Parameters:
    ///   - reloader: Merges the values with the rules files.
    ///   - store: Keeps the values for a restart; `nil` to store none.
    ///   - logger: The log for changes and failures of feeds.
    ///   - confirmed: Called with a feed's ID and the time at which its value was last confirmed.
    package init(
        reloader: RulesReloader,
        store: FeedStore?,
        logger: Logger,
        confirmed: @escaping @Sendable (String, Timestamp) async -> Void = { _, _ in }
    ) {
        self.reloader = reloader
        self.store = store
        self.logger = logger
        self.confirmed = confirmed
    }

    /// The statuses of all feeds, sorted by ID.
    package var statuses: [FeedStatus] { self.entries.values.sorted { $0.id < $1.id } }

    /// Registers a feed, and returns the time at which its last applied value was confirmed.
    func begin(_ feed: FeedDefinition) async -> Int64? {
        let known = await self.reloader.contribution(of: feed)
            .flatMap { $0.isValid(for: feed) ? $0 : nil }
        var status = FeedStatus(feed)
        status.revision = known.map { Self.revision(of: $0.value, feed) }
        status.notes = known?.value.notes ?? []
        status.confirmedAt = known == nil ? nil : self.entries[feed.id]?.confirmedAt
        let remembered = self.store?.entries { _ in }[feed.id]
        if known != nil, remembered?.fingerprint == feed.fingerprint {
            status.confirmedAt = status.confirmedAt ?? remembered?.confirmedAt
        }
        self.entries[feed.id] = status
        await self.tell(status)
        return status.confirmedAt
    }

    /// Records that the source of a feed is being fetched.
    func beginFetch(to feed: FeedDefinition, at time: Int64) {
        self.change(feed) { ($0.askedAt, $0.nextAt) = (time, nil) }
    }

    /// Records the time of a feed's next fetch.
    func rest(_ feed: FeedDefinition, until time: Int64) {
        self.change(feed) { $0.nextAt = time }
    }

    /// Returns the most recently applied value of a feed.
    func last(of feed: FeedDefinition) async -> FeedValue? {
        await self.reloader.contribution(of: feed)?.value
    }

    /// Applies a feed's result.
    ///
    /// - Returns: `false` if it is invalid or rejected, in which case the active rules do not change.
    func take(_ answer: FeedResult, of feed: FeedDefinition, at time: Int64) async -> Bool {
        await self.acquireDecision()
        defer { self.releaseDecision() }
        let known = await self.reloader.contribution(of: feed)
        switch answer {
        case .nonsense(let failure):
            self.fail(failure, of: feed, failures: 1)
            return false
        case .alive where self.entries[feed.id]?.lastError != nil:
            // A keep-alive event neither makes a rejected value valid nor corrects a failure.
            return false
        case .unchanged, .alive:
            self.refused[feed.id] = nil
            guard let known else { return true }
            return await self.settle(known.value, of: feed, at: time, known: known)
        case .value(let value):
            return await self.settle(value, of: feed, at: time, known: known)
        case .part(let value):
            return await self.settle(value, of: feed, at: time, known: known, isWhole: false)
        }
    }

    /// Retries the rejected values after a change to the rules.
    func retryRefused(at time: Int64) async {
        await self.acquireDecision()
        defer { self.releaseDecision() }
        for refused in self.refused.values {
            let known = await self.reloader.contribution(of: refused.feed)
            _ = await self.settle(
                refused.value,
                of: refused.feed,
                at: time,
                known: known,
                isWhole: refused.isWhole
            )
        }
    }

    /// Records a failed fetch.
    func fail(_ failure: FeedFailure, of feed: FeedDefinition, failures: Int) {
        let rejection = failure.isPartial ? self.refused[feed.id]?.error : nil
        let former = self.entries[feed.id]?.lastError
        self.change(feed) { status in
            (status.rejection, status.failure) = (rejection, "\(failure)")
            status.failures = failures
        }
        let text = self.entries[feed.id]?.lastError ?? "\(failure)"
        let metadata = self.metadata(
            of: feed,
            ["error": "\(text)", "failures": .stringConvertible(failures)]
        )
        if text != former {
            self.logger.warning("feed failed; its last value stays active", metadata: metadata)
        } else {
            self.logger.debug("feed failed again", metadata: metadata)
        }
    }

    /// Marks a feed as stale if its value has not been confirmed for `staleAfter`, and applies its `whenStale` setting.
    func turnStale(_ feed: FeedDefinition, at time: Int64) async {
        await self.acquireDecision()
        defer { self.releaseDecision() }
        guard let confirmedAt = self.entries[feed.id]?.confirmedAt,
            let staleAfter = feed.timing.staleAfter, time - confirmedAt >= staleAfter
        else { return }
        self.change(feed) { $0.isStale = true }
        self.logger.warning(
            "feed is stale",
            metadata: self.metadata(of: feed, ["then": "\(feed.timing.whenStale.rawValue)"])
        )
        guard feed.timing.whenStale == .observe,
            var known = await self.reloader.contribution(of: feed)
        else { return }
        known.isObserved = true
        let errors = await self.reloader.offer(known, of: feed)
        self.log(errors, of: feed)
        if errors.isEmpty { self.change(feed) { $0.isObserved = true } }
    }

    /// Removes feeds that are no longer in the rules file.
    func keepOnly(_ feeds: [FeedDefinition]) {
        let ids = Set(feeds.map(\.id))
        self.entries = self.entries.filter { ids.contains($0.key) }
        self.refused = self.refused.filter { feeds.contains($0.value.feed) }
    }

    /// Waits until no other task is deciding whether to apply a value.
    ///
    /// The actor is reentrant, so another task could otherwise run between reading the active rules
    /// and offering a value.
    private func acquireDecision() async {
        guard self.isDeciding else { return self.isDeciding = true }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    private func releaseDecision() {
        guard !self.waiting.isEmpty else { return self.isDeciding = false }
        self.waiting.removeFirst().resume()
    }

    private func settle(
        _ value: FeedValue,
        of feed: FeedDefinition,
        at time: Int64,
        known: FeedContribution?,
        isWhole: Bool = true
    ) async -> Bool {
        let isNew =
            known?.value.files != value.files || known?.isObserved == true
            || known?.isValid(for: feed) == false
        let contribution = FeedContribution(fingerprint: feed.fingerprint, value: value)
        if known?.value != value || known?.isObserved == true {
            let errors = await self.reloader.offer(contribution, of: feed)
            guard errors.isEmpty else {
                self.refuse(value, of: feed, errors, isWhole: isWhole)
                return false
            }
        }
        self.refused[feed.id] = nil
        let isMended = isWhole && self.entries[feed.id]?.lastError != nil
        self.change(feed) { status in
            status.revision = Self.revision(of: value, feed)
            status.confirmedAt = time
            status.notes = value.notes ?? []
            if isNew { status.changedAt = time }
            status.rejection = nil
            // The error about a missing part is kept, so that it is logged only once.
            if isWhole { (status.failure, status.failures) = (nil, 0) }
            status.isStale = false
            status.isObserved = false
        }
        let observed = await self.reloader.observedFeeds
        for id in self.entries.keys { self.entries[id]?.isObserved = observed.contains(id) }
        if let status = self.entries[feed.id] { await self.tell(status) }
        for note in value.notes ?? [] where known?.value.notes?.contains(note) != true {
            self.logger.warning("\(note)", metadata: self.metadata(of: feed))
        }
        if isNew {
            self.logger.info("feed applied", metadata: self.metadata(of: feed))
        } else if isMended {
            self.logger.info("feed recovered", metadata: self.metadata(of: feed))
        }
        await self.save(of: feed, at: time, isNew: known?.value != value)
        return true
    }

    private func tell(_ status: FeedStatus) async {
        guard let time = status.confirmedAt else { return }
        await self.confirmed(status.id, Timestamp(secondsSinceEpoch: time))
    }

    private func refuse(
        _ value: FeedValue,
        of feed: FeedDefinition,
        _ errors: [RulesFileError],
        isWhole: Bool
    ) {
        let isNews = self.refused[feed.id]?.value != value
        let error = "\(FeedFailure(.rejected(errors)))"
        self.refused[feed.id] = RefusedValue(
            feed: feed,
            value: value,
            isWhole: isWhole,
            error: error
        )
        if isNews || isWhole {
            self.change(feed) { ($0.rejection, $0.failure) = (error, nil) }
        }
        if isNews { self.log(errors, of: feed) }
    }

    private func log(_ errors: [RulesFileError], of feed: FeedDefinition) {
        guard !errors.isEmpty else { return }
        for error in errors.prefix(Self.loggedErrors) {
            self.logger.error("\(error)", metadata: ["feed": "\(feed.id)"])
        }
        self.logger.error(
            "feed rejected; its last value stays active",
            metadata: self.metadata(of: feed, ["errors": .stringConvertible(errors.count)])
        )
    }

    private func save(of feed: FeedDefinition, at time: Int64, isNew: Bool) async {
        guard let store = self.store,
            // `abs` ensures that values are also written after the clock has been set back.
            isNew || abs(time - (self.savedAt[feed.id] ?? 0)) >= Self.touchInterval,
            let known = await self.reloader.contribution(of: feed)
        else { return }
        do throws(StateFolder.Failure) {
            try store.save(FeedStore.Entry(known, confirmedAt: time), of: feed.id)
            self.savedAt[feed.id] = time
        } catch {
            self.logger.error(
                "feed cannot be stored; a restart will not restore its current value",
                metadata: self.metadata(of: feed, ["error": "\(error)"])
            )
        }
    }

    private func change(_ feed: FeedDefinition, _ change: (inout FeedStatus) -> Void) {
        change(&self.entries[feed.id, default: FeedStatus(feed)])
    }

    private func metadata(of feed: FeedDefinition, _ more: Logger.Metadata = [:]) -> Logger.Metadata
    {
        var metadata: Logger.Metadata = ["feed": "\(feed.id)", "source": "\(feed.summary)"]
        if let revision = self.entries[feed.id]?.revision {
            metadata["feedRevision"] = "\(revision)"
        }
        return metadata.merging(more) { _, new in new }
    }

    private static func revision(of value: FeedValue, _ feed: FeedDefinition) -> String {
        Revision(of: value.sources(ofFeed: feed.id)).text
    }
}
