internal import FoundationEssentials
package import GatePolicy
package import Logging

/// Replaces the rules while requests flow, and keeps the last good ones when new ones are wrong.
///
/// Every way to a reload leads here. Reloads never run side by side; those that are asked for while
/// one runs are answered together by the next.
package actor RulesReloader {
    /// What asked for a reload.
    package enum Reason: String, Sendable {
        case start
        case signal
        case fileChanged
        case feed
    }

    /// Where the text of the rules comes from.
    enum Reading: Sendable {
        /// The file as it is.
        case file
        /// The file, unless it still says what these rules were made of.
        case fileUnlessUnchanged(LoadedRules)
        /// What these rules were made of.
        case again(LoadedRules)
    }

    /// Makes rules of a text and of what feeds say.
    typealias Load =
        @Sendable (_ reading: Reading, _ feeds: [String: FeedContribution])
        throws(RulesFileErrors) -> LoadedRules

    /// What a feed would like to say.
    private struct Offer {
        let contribution: FeedContribution
        let feed: FeedDefinition
        let answer: CheckedContinuation<[RulesFileError], Never>
    }

    private let load: Load
    private let publish: @Sendable (RuleSet) async -> Void
    private let logger: Logger
    private let now: @Sendable () -> Date

    /// The rules that are in force.
    package private(set) var current: LoadedRules?
    /// How the last reload went.
    package private(set) var status = ReloadStatus.notLoaded
    /// The feeds of the rules, again with every reload of the file that succeeds.
    nonisolated let feeds: AsyncStream<[FeedDefinition]>

    private let feedsContinuation: AsyncStream<[FeedDefinition]>.Continuation
    private var contributions: [String: FeedContribution]
    private var offers: [Offer] = []
    private var isReloading = false
    private(set) var waiting: [(reason: Reason, answer: CheckedContinuation<ReloadStatus, Never>)] =
        []

    /// Prepares to load; nothing is read yet.
    ///
    /// - Parameters:
    ///   - loader: Reads the rules.
    ///   - current: Rules that are in force already.
    ///   - contributions: What feeds have said so far, by their ids.
    ///   - logger: Gets one error per problem of a reload that failed.
    ///   - publish: Puts a rule set in force; called once per new revision, never side by side.
    package init(
        loader: RulesFileLoader,
        current: LoadedRules? = nil,
        contributions: [String: FeedContribution] = [:],
        logger: Logger,
        publish: @escaping @Sendable (RuleSet) async -> Void
    ) {
        self.init(
            current: current,
            contributions: contributions,
            logger: logger,
            load: { (reading, feeds) throws(RulesFileErrors) in
                switch reading {
                case .file: try loader.load(feeds: feeds)
                case .fileUnlessUnchanged(let loaded): try loader.load(feeds: feeds, after: loaded)
                case .again(let loaded): try loader.load(again: loaded, feeds: feeds)
                }
            },
            publish: publish
        )
    }

    init(
        current: LoadedRules? = nil,
        contributions: [String: FeedContribution] = [:],
        logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() },
        load: @escaping Load,
        publish: @escaping @Sendable (RuleSet) async -> Void
    ) {
        self.current = current
        self.contributions = contributions
        (self.feeds, self.feedsContinuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(1)
        )
        if let current {
            self.status = .succeeded(at: now(), revision: current.definition.revision)
            self.feedsContinuation.yield(current.feeds)
        }
        self.logger = logger
        self.now = now
        self.load = load
        self.publish = publish
    }

    /// Reads the rules as they are now and puts them in force if they are right and new.
    ///
    /// - Returns: How the reload went that began after this call.
    @discardableResult
    package func reload(reason: Reason) async -> ReloadStatus {
        guard !self.isReloading else {
            return await withCheckedContinuation { self.waiting.append((reason, $0)) }
        }
        self.isReloading = true
        await self.reloadOnce(self.reading(for: reason), reason)
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

    /// What a feed says at the moment; `nil` if it has said nothing, or by another entry.
    func contribution(of feed: FeedDefinition) -> FeedContribution? {
        self.contributions[feed.id].flatMap { $0.fingerprint == feed.fingerprint ? $0 : nil }
    }

    /// `hasJustRead`: whether the file was looked through while they waited.
    private func answerThoseWhoWait(hasJustRead: Bool) async {
        var hasJustRead = hasJustRead
        while true {
            if let reason = self.waiting.first?.reason {
                // A reload that was asked for meanwhile may want what the last one read too early
                // to see.
                let answered = self.waiting
                self.waiting = []
                await self.reloadOnce(self.reading(for: reason, hasJustRead: hasJustRead), reason)
                hasJustRead = true
                for (_, answer) in answered { answer.resume(returning: self.status) }
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
        contributions[feed.id] = contribution
        do throws(RulesFileErrors) {
            let reading = self.current.map(Reading.again) ?? .file
            let loaded = try await self.loaded(reading, contributions)
            self.contributions = contributions
            await self.use(loaded, .feed)
            // Whether the file is right is another question.
            self.status.use(revision: loaded.definition.revision)
            return []
        } catch {
            return error.errors
        }
    }

    private func reloadOnce(_ reading: Reading, _ reason: Reason) async {
        do throws(RulesFileErrors) {
            let loaded = try await self.loaded(reading, self.contributions)
            await self.use(loaded, reason)
            self.status = .succeeded(at: self.now(), revision: loaded.definition.revision)
            self.feedsContinuation.yield(loaded.feeds)
        } catch {
            self.keepCurrent(after: error, reason)
        }
    }

    private func loaded(
        _ reading: Reading,
        _ contributions: [String: FeedContribution]
    ) async throws(RulesFileErrors) -> LoadedRules {
        let load = self.load
        return try await BackgroundThread.run { () throws(RulesFileErrors) in
            try load(reading, contributions)
        }
    }

    private func reading(for reason: Reason, hasJustRead: Bool = false) -> Reading {
        // The watch also speaks at its beginning, and of every touch. Who sends a signal wants the
        // rules read, and their tests run; if that has happened since, a second time is no use.
        guard let current,
            reason == .fileChanged || hasJustRead && self.status.lastReloadSuccessful
        else { return .file }
        return .fileUnlessUnchanged(current)
    }

    private func use(_ loaded: LoadedRules, _ reason: Reason) async {
        let definition = loaded.definition
        let isNew = definition.revision != self.current?.definition.revision
        if isNew { await self.publish(BackgroundThread.run { RuleSet(definition) }) }
        let former = self.current
        self.current = loaded
        if isNew { BackgroundThread.release(former) }
        let metadata: Logger.Metadata = [
            "revision": "\(definition.revision)", "rules": "\(definition.rules.count)",
            "notices": "\(definition.notices.count)", "reason": "\(reason.rawValue)",
        ]
        if isNew {
            self.logger.info("rules loaded", metadata: metadata)
        } else {
            self.logger.debug("rules unchanged", metadata: metadata)
        }
    }

    private func keepCurrent(after failure: RulesFileErrors, _ reason: Reason) {
        self.status.fail(failure.errors)
        let metadata: Logger.Metadata = ["reason": "\(reason.rawValue)"]
        for error in failure.errors {
            self.logger.error("\(error)", metadata: metadata)
        }
        let count = failure.errors.count == 1 ? "1 error" : "\(failure.errors.count) errors"
        let kept = self.current.map { "keeping revision \($0.definition.revision)" }
        self.logger.error(
            "rules not loaded, \(count); \(kept ?? "there is no earlier revision to keep")",
            metadata: metadata
        )
    }
}
