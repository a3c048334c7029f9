package import GateRules
package import Logging
internal import Synchronization

/// Handles the webhooks of sources: a signed webhook triggers an immediate fetch of its feed.
///
/// The content of a webhook is not used: it may be outdated, and an observer could replay it.
package final class FeedHooks: Sendable {
    /// The outcome of a webhook.
    package enum Outcome: Sendable, Hashable {
        case taken
        /// No feed has the ID, or the feed has no webhook.
        case unknown
        case unsigned
        case invalidSignature
        /// The signature could not be verified, because the secret is not available.
        case secretMissing
    }

    package struct Hook: Sendable {
        let webhook: FeedWebhook
        let wakeup: FeedWakeup

        package init(webhook: FeedWebhook, wakeup: FeedWakeup) {
            self.webhook = webhook
            self.wakeup = wakeup
        }
    }

    private struct State {
        var hooks: [String: Hook] = [:]
        /// The time at which each kind of rejected webhook was last logged.
        var loggedAt: [Outcome: ContinuousClock.Instant] = [:]
    }

    /// The minimum time between two log entries of the same kind, so that unauthenticated clients
    /// cannot flood the log.
    private static let logInterval = Duration.seconds(10)

    private let state = Mutex(State())
    private let logger: Logger
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(
        logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.logger = logger
        self.now = now
    }

    /// Replaces the feeds whose webhooks are accepted.
    package func use(_ hooks: [String: Hook]) {
        self.state.withLock { $0.hooks = hooks }
    }

    /// Handles a webhook.
    ///
    /// `body` must be unmodified, because the signature covers it. `peer` is the address of the
    /// sender for the log. `values` returns the values of a header field.
    package func take(
        _ body: [UInt8],
        for feed: String,
        from peer: String,
        values: (_ field: String) -> [String]
    ) -> Outcome {
        guard let hook = self.state.withLock({ $0.hooks[feed] }) else { return .unknown }
        let outcome = self.outcome(
            of: hook,
            body,
            signatures: values(hook.webhook.form.field),
            feed
        )
        switch outcome {
        case .taken:
            self.logger.debug("webhook accepted", metadata: ["feed": "\(feed)"])
            hook.wakeup.wake()
        case .unsigned, .invalidSignature:
            self.logger.log(
                level: self.isTimeToLog(outcome) ? .warning : .debug,
                "webhook rejected",
                metadata: [
                    "feed": "\(feed)", "client": "\(peer)",
                    "reason": outcome == .unsigned
                        ? "the signature is missing" : "the signature is invalid",
                ]
            )
        case .unknown, .secretMissing:
            break
        }
        return outcome
    }

    private func outcome(
        of hook: Hook,
        _ body: [UInt8],
        signatures: [String],
        _ feed: String
    ) -> Outcome {
        guard let signature = signatures.first else { return .unsigned }
        do throws(FeedFailure) {
            let isSigned = try hook.webhook.isSigned(body, by: signature)
            // With two signatures, the gate and another recipient could verify different ones, and
            // reach different results.
            return isSigned && signatures.count == 1 ? .taken : .invalidSignature
        } catch {
            self.logger.log(
                level: self.isTimeToLog(.secretMissing) ? .error : .debug,
                "webhooks cannot be verified",
                metadata: ["feed": "\(feed)", "error": "\(error)"]
            )
            return .secretMissing
        }
    }

    private func isTimeToLog(_ outcome: Outcome) -> Bool {
        let now = self.now()
        return self.state.withLock { state in
            if let last = state.loggedAt[outcome], last.duration(to: now) < Self.logInterval {
                return false
            }
            state.loggedAt[outcome] = now
            return true
        }
    }
}
