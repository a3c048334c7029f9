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
    }

    private let load: @Sendable () throws(RulesFileErrors) -> LoadedRules
    private let publish: @Sendable (RuleSet) async -> Void
    private let logger: Logger
    private let now: @Sendable () -> Date

    /// The rules that are in force.
    package private(set) var current: LoadedRules?
    /// How the last reload went.
    package private(set) var status = ReloadStatus.notLoaded

    private var isReloading = false
    private(set) var waiting: [(reason: Reason, answer: CheckedContinuation<ReloadStatus, Never>)] =
        []

    /// Prepares to load; nothing is read yet.
    ///
    /// - Parameters:
    ///   - loader: Reads the rules.
    ///   - current: Rules that are in force already.
    ///   - logger: Gets one error per problem of a reload that failed.
    ///   - publish: Puts a rule set in force; called once per new revision, never side by side.
    package init(
        loader: RulesFileLoader,
        current: LoadedRules? = nil,
        logger: Logger,
        publish: @escaping @Sendable (RuleSet) async -> Void
    ) {
        self.init(
            current: current,
            logger: logger,
            load: { () throws(RulesFileErrors) in try loader.load() },
            publish: publish
        )
    }

    init(
        current: LoadedRules? = nil,
        logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() },
        load: @escaping @Sendable () throws(RulesFileErrors) -> LoadedRules,
        publish: @escaping @Sendable (RuleSet) async -> Void
    ) {
        self.current = current
        if let current {
            self.status = .succeeded(at: now(), revision: current.definition.revision)
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
        await self.reloadOnce(reason)
        let status = self.status
        // A reload that was asked for meanwhile may want what this one read too early to see.
        while let reason = self.waiting.first?.reason {
            let answered = self.waiting
            self.waiting = []
            await self.reloadOnce(reason)
            for (_, answer) in answered { answer.resume(returning: self.status) }
        }
        self.isReloading = false
        return status
    }

    private func reloadOnce(_ reason: Reason) async {
        let loaded: LoadedRules
        do {
            loaded = try self.load()
        } catch {
            self.keepCurrent(after: error, reason)
            return
        }
        let definition = loaded.definition
        let isNew = definition.revision != self.current?.definition.revision
        if isNew { await self.publish(RuleSet(definition)) }
        self.current = loaded
        self.status = .succeeded(at: self.now(), revision: definition.revision)
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
