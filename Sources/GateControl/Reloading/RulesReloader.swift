package import GatePolicy
internal import GateRecords
package import GateRules
internal import GateSystem
package import Logging

/// Replaces the rules at run time, and keeps the active ones if the new ones are invalid.
///
/// All kinds of reloads use this actor. Reloads never run concurrently; requests during a reload
/// are served together by the next reload.
package actor RulesReloader {
    /// The maximum number of earlier revisions to remember, which is sufficient for any rollback.
    private static let mostFormerRevisions = 100

    let load: Load
    private let publish: @Sendable (RuleSet) async -> Void
    let logger: Logger
    let now: @Sendable () -> Timestamp
    let collaborators: Collaborators

    /// The active rules.
    package private(set) var current: LoadedRules?
    /// The result of the last reload.
    package internal(set) var status = ReloadStatus.notLoaded
    /// The time at which the active rules took effect; `nil` if no rules are active.
    private(set) var inForceSince: Timestamp?
    /// Whether the rules come from the file, in its current or an earlier state, rather than from
    /// the state folder.
    private(set) var areOfFile: Bool
    /// The time and the origin of the last read of the file; `nil` if it has not been read since
    /// startup.
    private(set) var lastReload: (time: Timestamp, origin: RulesChange.Origin)?
    /// The numbers of successful and failed reloads since startup.
    package private(set) var counts = ReloadCounts()
    /// The feeds in the rules, emitted after each successful reload of the file.
    nonisolated let feeds: AsyncStream<[FeedDefinition]>

    private let feedsContinuation: AsyncStream<[FeedDefinition]>.Continuation
    /// The revisions that have been active since startup, newest last.
    private var formerRevisions: [FormerRevision] = []
    /// The values of feeds, by feed ID.
    package private(set) var contributions: [String: FeedContribution]
    private var offers: [Offer] = []
    var undos: [Undo] = []
    var isReloading = false
    private var mustPublish = false
    private(set) var waiting: [Request] = []
    /// The reason why the last reload failed; `nil` if it succeeded.
    private(set) var failure: LoadFailure?

    /// Creates a reloader, without reading the rules.
    ///
    /// - Parameters:
    ///   - loader: Loads the rules.
    ///   - initial: The rules that are already active.
    ///   - collaborators: The objects and functions that check, store and record rules.
    ///   - logger: Logs an error for each problem in a failed reload.
    ///   - publish: Applies a rule set; called once for each new revision, never concurrently.
    package init(
        loader: RulesFileLoader,
        initial: Initial = Initial(),
        collaborators: Collaborators = Collaborators(),
        logger: Logger,
        publish: @escaping @Sendable (RuleSet) async -> Void
    ) {
        self.init(
            initial: initial,
            collaborators: collaborators,
            logger: logger,
            load: { (reading, feeds, current) throws(RulesFileErrors) in
                switch reading {
                case .file: try loader.load(feeds: feeds, after: current)
                case .fileUnlessUnchanged(let loaded, let sighting):
                    try loader.load(feeds: feeds, unlessUnchanged: loaded, seen: sighting)
                case .again(let loaded): try loader.load(again: loaded, feeds: feeds)
                case .archived(let texts, let pin):
                    try loader.load(kept: texts.sources, feeds: feeds, after: current, pin: pin)
                }
            },
            publish: publish
        )
    }

    init(
        initial: Initial = Initial(),
        collaborators: Collaborators = Collaborators(),
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp = SystemClock.now,
        load: @escaping Load,
        publish: @escaping @Sendable (RuleSet) async -> Void
    ) {
        let (current, failure) = (initial.rules, initial.failure)
        self.current = current
        self.contributions = initial.contributions
        (self.feeds, self.feedsContinuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        self.areOfFile = failure == nil
        if let current {
            self.inForceSince = now()
            self.status = .succeeded(at: now(), current)
            self.feedsContinuation.yield(current.feeds)
        }
        if let failure { self.status.fail(failure) }
        self.failure = failure
        self.logger = logger
        self.now = now
        self.load = load
        self.collaborators = collaborators
        self.publish = publish
    }

    /// Reads the rules, and applies them if they are valid and new.
    ///
    /// - Parameters:
    ///   - reason: The event that caused the reload.
    ///   - name: The name of the operator.
    ///   - sighting: The state that the watcher has seen. If the files have changed since then, the
    ///     reload has no effect: the watcher reports again when the writer has finished.
    /// - Returns: The result of a reload that started after this call.
    @discardableResult
    package func reload(
        reason: RulesChange.Reason,
        by name: String? = nil,
        seen sighting: RulesSighting? = nil
    ) async -> ReloadStatus {
        let origin = RulesChange.Origin(reason, name: name)
        guard !self.isReloading else {
            return await withCheckedContinuation { answer in
                self.waiting.append(Request(origin: origin, sighting: sighting, answer: answer))
            }
        }
        self.isReloading = true
        await self.reloadOnce(self.reading(for: reason, seen: sighting), origin)
        let status = self.status
        await self.servePendingRequests(hasJustRead: true)
        return status
    }

    /// Applies a new value of a feed, together with the last valid state of the file.
    ///
    /// - Returns: The errors that caused the value to be rejected; empty on success.
    func offer(
        _ contribution: FeedContribution,
        of feed: FeedDefinition
    ) async -> [RulesFileError] {
        guard !self.isReloading else {
            return await withCheckedContinuation { answer in
                self.offers.append(Offer(contribution: contribution, feed: feed, answer: answer))
            }
        }
        self.isReloading = true
        let errors = await self.take(contribution, of: feed)
        await self.servePendingRequests(hasJustRead: false)
        return errors
    }

    /// Applies the active rules again, with the filter's current decisions.
    package func republish() async {
        self.mustPublish = true
        guard !self.isReloading else { return }
        self.isReloading = true
        await self.servePendingRequests(hasJustRead: false)
    }

    /// The IDs of feeds whose rules are in observe mode.
    var observedFeeds: Set<String> {
        Set(self.contributions.filter(\.value.isObserved).keys)
    }

    /// Returns the current value of a feed; `nil` if the feed has no value, or only a value for a
    /// different entry in the rules file.
    func contribution(of feed: FeedDefinition) -> FeedContribution? {
        self.contributions[feed.id].flatMap { $0.fingerprint == feed.fingerprint ? $0 : nil }
    }

    /// Serves all pending requests, and then ends the reload.
    ///
    /// `hasJustRead` indicates whether the file was read while the requests were waiting.
    func servePendingRequests(hasJustRead: Bool) async {
        var hasJustRead = hasJustRead
        while true {
            if self.mustPublish, let current {
                self.mustPublish = false
                let acting = await self.collaborators.filter?.acting(current) ?? current
                await self.publish(acting.ruleSet)
                await self.publishToModule()
            } else if !self.undos.isEmpty {
                let undo = self.undos.removeFirst()
                undo.answer.resume(returning: await self.putBack(undo))
            } else if let first = self.waiting.first?.origin {
                // A request that arrived during the last reload may have been sent after a change
                // that the reload did not read, so the file is read again.
                let answered = self.waiting
                self.waiting = []
                // The log is the only place that shows the result of a reload by signal, so the log
                // must name the signal as the reason.
                let origin = answered.map(\.origin).first { $0.reason == .signal } ?? first
                // A request without a sighting, such as a signal, is for the current state. There
                // is at most one watcher, so the last sighting is the newest.
                let isSeen = answered.allSatisfy { $0.sighting != nil }
                let reading = self.reading(
                    for: origin.reason,
                    hasJustRead: hasJustRead,
                    seen: isSeen ? answered.last?.sighting : nil
                )
                await self.reloadOnce(reading, origin)
                hasJustRead = true
                for request in answered { request.answer.resume(returning: self.status) }
            } else if !self.offers.isEmpty {
                let offer = self.offers.removeFirst()
                let errors = await self.take(offer.contribution, of: offer.feed)
                offer.answer.resume(returning: errors)
            } else {
                self.isReloading = false
                return
            }
        }
    }

    private func take(
        _ contribution: FeedContribution,
        of feed: FeedDefinition
    ) async -> [RulesFileError] {
        var contributions = self.contributions
        contributions[feed.id] = contribution.following(self.contribution(of: feed))
        do throws(LoadFailure) {
            let reading = self.current.map(Reading.again) ?? .file
            // The result can be `nil` only for readings with a sighting.
            guard var loaded = try await self.loaded(reading, contributions) else { return [] }
            for (other, finding) in loaded.lockoutsByFeeds where other != feed.id {
                // The other feed provided this floor before the store data from this feed was known.
                self.logger.error(
                    "a feed locks out all clients: its rules are now in observe mode",
                    metadata: ["feed": "\(other)", "error": "\(finding.asError)"]
                )
                contributions[other]?.isObserved = true
                loaded = try await self.loaded(.again(loaded), contributions) ?? loaded
            }
            contributions[feed.id]?.earlier = loaded.earlier[feed.id] ?? []
            self.contributions = contributions
            await self.use(loaded, RulesChange.Origin(.feed, name: feed.id))
            // A feed does not change the result of the last read of the file.
            self.status.use(loaded)
            return []
        } catch {
            self.tell(error, RulesChange.Origin(.feed, name: feed.id))
            return error.errors
        }
    }

    private func reloadOnce(_ reading: Reading, _ origin: RulesChange.Origin) async {
        do throws(LoadFailure) {
            guard let loaded = try await self.loaded(reading, self.contributions) else {
                self.logger.debug("the rules files changed while they were being read")
                return
            }
            self.lastReload = (self.now(), origin)
            self.areOfFile = true
            await self.use(loaded, origin)
            self.failure = nil
            self.counts.succeeded += 1
            self.status = .succeeded(at: self.now(), loaded)
            self.feedsContinuation.yield(loaded.feeds)
        } catch {
            self.lastReload = (self.now(), origin)
            self.keepCurrent(after: error, origin)
        }
    }

    /// Loads and checks rules on a background thread.
    ///
    /// `isUndo` indicates whether the rules were active before. Such rules are not checked against the
    /// census, to save time.
    func loaded(
        _ reading: Reading,
        _ contributions: [String: FeedContribution],
        isUndo: Bool = false
    ) async throws(LoadFailure) -> LoadedRules? {
        let (load, current, former) = (self.load, self.current, self.formerRevisions)
        let census = isUndo ? nil : self.collaborators.census
        let now = self.now()
        var acting = current
        if let current { acting = await self.collaborators.filter?.acting(current) ?? current }
        return try await BackgroundThread.reloads.run { [acting] () throws(LoadFailure) in
            let read: LoadedRules?
            do throws(RulesFileErrors) {
                read = try load(reading, contributions, current)
            } catch {
                throw .unreadable(error)
            }
            guard let read else { return nil }
            let isReturn = isUndo || former.contains { $0.revision == read.definition.revision }
            return try read.judged(
                against: acting,
                isReturn: isReturn,
                census: census,
                at: now
            )
        }
    }

    /// Passes the active rules on to the module in Envoy.
    package func publishToModule() async {
        guard let publish = self.collaborators.publishToModule, let current else { return }
        let acting = await self.collaborators.filter?.acting(current) ?? current
        await publish(PublishedRules(current, acting: acting.ruleSet, self.contributions))
    }

    func use(_ loaded: LoadedRules, _ origin: RulesChange.Origin) async {
        let definition = loaded.definition
        let isNew = definition.revision != self.current?.definition.revision
        if isNew {
            await self.publish(
                await self.collaborators.filter?.admit(loaded, after: self.current)
                    ?? loaded.ruleSet
            )
        }
        let former = self.current
        self.current = loaded
        // The module's file may be missing, so even unchanged rules are passed on.
        await self.publishToModule()
        if origin.reason != .feed, isNew || former?.pin != loaded.pin {
            self.collaborators.keep(loaded)
        }
        self.logPin(of: loaded, after: former, origin)
        if isNew {
            self.collaborators.archive?.keep(loaded)
            self.inForceSince = self.now()
            self.collaborators.note(
                RulesChange(at: self.now(), by: origin, before: former, .applied(loaded))
            )
            self.remember(former, isUndone: origin.reason == .undo)
            BackgroundThread.reloads.release(former)
        }
        let metadata: Logger.Metadata = [
            "revision": "\(definition.revision)", "reason": "\(origin.reason.rawValue)",
            "rules": .stringConvertible(definition.rules.count),
            "notices": .stringConvertible(definition.notices.count),
        ]
        if isNew {
            FindingsLog(self.logger).report(loaded.findings, after: former?.findings)
            self.logger.info("rules loaded", metadata: metadata)
        } else {
            self.logger.debug("rules unchanged", metadata: metadata)
        }
    }

    /// Remembers rules that were active, except rules that were undone.
    private func remember(_ former: LoadedRules?, isUndone: Bool) {
        guard let former else { return }
        guard !isUndone else {
            return self.formerRevisions.removeAll { $0.files == former.filesRevision }
        }
        let revision = former.definition.revision
        self.formerRevisions.append(.init(revision: revision, files: former.filesRevision))
        self.formerRevisions = self.formerRevisions.suffix(Self.mostFormerRevisions)
    }

    func tell(_ failure: LoadFailure, _ origin: RulesChange.Origin) {
        self.collaborators.note(
            RulesChange(at: self.now(), by: origin, before: self.current, .refused(failure))
        )
    }

    private func keepCurrent(after failure: LoadFailure, _ origin: RulesChange.Origin) {
        let reason = origin.reason
        self.status.fail(failure)
        self.counts.failed += 1
        let metadata: Logger.Metadata = ["reason": "\(reason.rawValue)"]
        // The watcher and an operator often request a reload of the same content at the same time.
        let isKnown = failure == self.failure
        self.failure = failure
        guard !isKnown || reason == .signal else {
            self.logger.debug("rules not loaded; same errors as before", metadata: metadata)
            return
        }
        self.tell(failure, origin)
        FindingsLog(self.logger).report(failure, metadata)
        let count = failure.errors.count == 1 ? "1 error" : "\(failure.errors.count) errors"
        let kept = self.current.map { "keeping revision \($0.definition.revision)" }
        self.logger.error(
            "rules not loaded, \(count); \(kept ?? "there is no earlier revision to keep")",
            metadata: metadata
        )
    }
}
