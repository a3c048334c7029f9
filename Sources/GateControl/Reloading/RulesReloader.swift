internal import FoundationEssentials
package import GateCensus
package import GatePolicy
package import GateRecords
package import GateRules
internal import GateSystem
package import Logging

/// Replaces the rules while requests flow, and keeps the last good ones when new ones are wrong.
///
/// Every way to a reload leads here. Reloads never run side by side; those that are asked for while
/// one runs are answered together by the next.
package actor RulesReloader {
    /// More than anybody goes back in one night.
    private static let mostFormerRevisions = 100

    let load: Load
    private let publish: @Sendable (RuleSet) async -> Void
    let logger: Logger
    private let now: @Sendable () -> Date
    private let keep: @Sendable (LoadedRules) -> Void
    private let census: (@Sendable (Timestamp) -> [CensusRow])?
    private let note: @Sendable (RulesChange) -> Void
    private let filter: (any RulesFilter)?
    let archive: RulesArchive?

    /// The rules that are in force.
    package private(set) var current: LoadedRules?
    /// How the last reload went.
    package internal(set) var status = ReloadStatus.notLoaded
    /// When the rules that are in force were put in force.
    private(set) var inForceSince: Timestamp?
    /// Whether they are of the file, as it is or was, and not of the state folder.
    private(set) var areOfFile: Bool
    /// When the file was last read, and why; `nil`: not since the start.
    private(set) var lastReload: (time: Timestamp, origin: RulesChange.Origin)?
    /// How often the rules were read since the start, and found right, or not.
    package private(set) var counts = ReloadCounts()
    /// The feeds of the rules, again with every reload of the file that succeeds.
    nonisolated let feeds: AsyncStream<[FeedDefinition]>

    private let feedsContinuation: AsyncStream<[FeedDefinition]>.Continuation
    /// The revisions that were in force since the start, the newest last.
    private var formerRevisions: [String] = []
    /// What feeds have said so far, by their ids.
    package private(set) var contributions: [String: FeedContribution]
    private var offers: [Offer] = []
    var undos: [Undo] = []
    var isReloading = false
    private var mustPublish = false
    private(set) var waiting: [Request] = []
    /// Why the last reload failed; `nil` if it did not.
    private(set) var failure: LoadFailure?

    /// Prepares to load; nothing is read yet.
    ///
    /// - Parameters:
    ///   - loader: Reads the rules.
    ///   - current: Rules that are in force already.
    ///   - contributions: What feeds have said so far, by their ids.
    ///   - failure: Why what stands in the file is not in force; `nil`: it is.
    ///   - census: The clients since a second, whom new rules are held against; `nil`: none.
    ///   - filter: Decides which of the rules act; `nil`: all of them.
    ///   - archive: Remembers rules for an undo; `nil`: nothing can be undone.
    ///   - logger: Gets one error per problem of a reload that failed.
    ///   - keep: Remembers rules of the file that were found good, for the next start.
    ///   - note: Told of every change, also of one that is refused.
    ///   - publish: Puts a rule set in force; called once per new revision, never side by side.
    package init(
        loader: RulesFileLoader,
        current: LoadedRules? = nil,
        contributions: [String: FeedContribution] = [:],
        failure: LoadFailure? = nil,
        census: (@Sendable (Timestamp) -> [CensusRow])? = nil,
        filter: (any RulesFilter)? = nil,
        archive: RulesArchive? = nil,
        logger: Logger,
        keep: @escaping @Sendable (LoadedRules) -> Void = { _ in },
        note: @escaping @Sendable (RulesChange) -> Void = { _ in },
        publish: @escaping @Sendable (RuleSet) async -> Void
    ) {
        self.init(
            current: current,
            contributions: contributions,
            failure: failure,
            census: census,
            filter: filter,
            archive: archive,
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
            keep: keep,
            note: note,
            publish: publish
        )
    }

    init(
        current: LoadedRules? = nil,
        contributions: [String: FeedContribution] = [:],
        failure: LoadFailure? = nil,
        census: (@Sendable (Timestamp) -> [CensusRow])? = nil,
        filter: (any RulesFilter)? = nil,
        archive: RulesArchive? = nil,
        logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() },
        load: @escaping Load,
        keep: @escaping @Sendable (LoadedRules) -> Void = { _ in },
        note: @escaping @Sendable (RulesChange) -> Void = { _ in },
        publish: @escaping @Sendable (RuleSet) async -> Void
    ) {
        self.current = current
        self.contributions = contributions
        (self.feeds, self.feedsContinuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        self.areOfFile = failure == nil
        if let current {
            self.inForceSince = Self.second(now())
            self.status = .succeeded(at: now(), current)
            self.feedsContinuation.yield(current.feeds)
        }
        if let failure { self.status.fail(failure) }
        self.failure = failure
        self.logger = logger
        self.now = now
        self.load = load
        self.keep = keep
        self.note = note
        self.census = census
        self.filter = filter
        self.archive = archive
        self.publish = publish
    }

    /// Reads the rules as they are now and puts them in force if they are right and new.
    ///
    /// - Parameters:
    ///   - reason: Who asks.
    ///   - name: The name under which an operator asks.
    ///   - sighting: What the watch has seen. If the rules are no longer so, nothing is done: the
    ///     watch is going to say when whoever writes them is done.
    /// - Returns: How the reload went that began after this call.
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
        await self.answerThoseWhoWait(hasJustRead: true)
        self.isReloading = false
        return status
    }

    /// Puts in force what a feed says, beside the file as it was last found right.
    ///
    /// - Returns: What is wrong with the whole, and then nothing has changed; empty if nothing is.
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
        await self.answerThoseWhoWait(hasJustRead: false)
        self.isReloading = false
        return errors
    }

    /// Puts the rules in force once more, as they are to act by now.
    package func publishAgain() async {
        self.mustPublish = true
        guard !self.isReloading else { return }
        self.isReloading = true
        await self.answerThoseWhoWait(hasJustRead: false)
        self.isReloading = false
    }

    /// The feeds whose rules are only counted and logged.
    var observedFeeds: Set<String> {
        Set(self.contributions.filter(\.value.isObserved).keys)
    }

    /// The share of a feed at the moment; `nil` if it has said nothing, or by another entry.
    func contribution(of feed: FeedDefinition) -> FeedContribution? {
        self.contributions[feed.id].flatMap { $0.fingerprint == feed.fingerprint ? $0 : nil }
    }

    /// `hasJustRead`: whether the file was looked through while they waited.
    func answerThoseWhoWait(hasJustRead: Bool) async {
        var hasJustRead = hasJustRead
        while true {
            if self.mustPublish, let current {
                self.mustPublish = false
                let acting = await self.filter?.acting(current) ?? current
                await self.publish(acting.ruleSet)
            } else if !self.undos.isEmpty {
                let undo = self.undos.removeFirst()
                undo.answer.resume(returning: await self.putBack(undo))
            } else if let first = self.waiting.first?.origin {
                // A reload that was asked for meanwhile may want what the last one read too early
                // to see.
                let answered = self.waiting
                self.waiting = []
                // A signal is answered nowhere but in the log.
                let origin = answered.map(\.origin).first { $0.reason == .signal } ?? first
                // A sender of a signal wants the rules as they are; there is one watch at most.
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
            // Without a sighting there is always an answer.
            guard var loaded = try await self.loaded(reading, contributions) else { return [] }
            for (other, finding) in loaded.lockoutsByFeeds where other != feed.id {
                // Its source asked for it before anybody knew what the store has.
                self.logger.error(
                    "a feed locks everybody out: its rules are only observed",
                    metadata: ["feed": "\(other)", "error": "\(finding.asError)"]
                )
                contributions[other]?.isObserved = true
                loaded = try await self.loaded(.again(loaded), contributions) ?? loaded
            }
            contributions[feed.id]?.earlier = loaded.earlier[feed.id] ?? []
            self.contributions = contributions
            await self.use(loaded, RulesChange.Origin(.feed, name: feed.id))
            // Whether the file is right is another question.
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
                self.logger.debug("the rules are being written again")
                return
            }
            self.lastReload = (self.second, origin)
            self.areOfFile = true
            await self.use(loaded, origin)
            self.failure = nil
            self.counts.succeeded += 1
            self.status = .succeeded(at: self.now(), loaded)
            self.feedsContinuation.yield(loaded.feeds)
        } catch {
            self.lastReload = (self.second, origin)
            self.keepCurrent(after: error, origin)
        }
    }

    /// `isUndo`: the rules were in force before; no client that they refuse keeps them out, and nobody
    /// waits until all are counted.
    func loaded(
        _ reading: Reading,
        _ contributions: [String: FeedContribution],
        isUndo: Bool = false
    ) async throws(LoadFailure) -> LoadedRules? {
        let (load, current, former) = (self.load, self.current, self.formerRevisions)
        let census = isUndo ? nil : self.census
        let now = self.second
        var acting = current
        if let current { acting = await self.filter?.acting(current) ?? current }
        return try await BackgroundThread.reloads.run { [acting] () throws(LoadFailure) in
            let read: LoadedRules?
            do throws(RulesFileErrors) {
                read = try load(reading, contributions, current)
            } catch {
                throw .unreadable(error)
            }
            guard let read else { return nil }
            let isReturn = isUndo || former.contains(read.definition.revision)
            return try read.judged(
                against: acting,
                isReturn: isReturn,
                census: census,
                at: now
            )
        }
    }

    var second: Timestamp { Self.second(self.now()) }

    private static func second(_ date: Date) -> Timestamp {
        Timestamp(secondsSinceEpoch: Int64(date.timeIntervalSince1970))
    }

    func use(_ loaded: LoadedRules, _ origin: RulesChange.Origin) async {
        let definition = loaded.definition
        let isNew = definition.revision != self.current?.definition.revision
        if isNew {
            await self.publish(
                await self.filter?.admit(loaded, after: self.current) ?? loaded.ruleSet
            )
        }
        let former = self.current
        self.current = loaded
        if origin.reason != .feed, isNew || former?.pin != loaded.pin { self.keep(loaded) }
        self.tellPin(of: loaded, after: former, origin)
        if isNew {
            self.archive?.keep(loaded)
            self.inForceSince = self.second
            self.note(RulesChange(at: self.second, by: origin, before: former, .applied(loaded)))
            self.formerRevisions += [former?.definition.revision].compactMap(\.self)
            self.formerRevisions = self.formerRevisions.suffix(Self.mostFormerRevisions)
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

    func tell(_ failure: LoadFailure, _ origin: RulesChange.Origin) {
        let before = self.current
        self.note(RulesChange(at: self.second, by: origin, before: before, .refused(failure)))
    }

    private func keepCurrent(after failure: LoadFailure, _ origin: RulesChange.Origin) {
        let reason = origin.reason
        self.status.fail(failure)
        self.counts.failed += 1
        let metadata: Logger.Metadata = ["reason": "\(reason.rawValue)"]
        // The watch and an operator often ask for the same text at the same time.
        let isKnown = failure == self.failure
        self.failure = failure
        guard !isKnown || reason == .signal else {
            self.logger.debug("rules not loaded again, by the same errors", metadata: metadata)
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
