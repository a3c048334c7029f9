package import GateRules
package import Logging
internal import Synchronization

/// Takes the webhooks of sources: one that is signed makes its feed be asked at once.
///
/// Nothing in a webhook is believed beyond that: what it says may be old, and can be sent again by
/// whoever has seen it.
package final class FeedHooks: Sendable {
    /// The fate of a webhook.
    package enum Outcome: Sendable, Hashable {
        case taken
        /// There is no such feed, or none that has a webhook.
        case unknown
        case unsigned
        case wronglySigned
        /// Whether it is signed could not be found out.
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
        /// When it was last logged that webhooks were refused, and why.
        var loggedAt: [Outcome: ContinuousClock.Instant] = [:]
    }

    /// Strangers cannot fill the log faster than that.
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

    /// Takes the webhooks of these feeds, and of no other, from now on.
    package func use(_ hooks: [String: Hook]) {
        self.state.withLock { $0.hooks = hooks }
    }

    /// Takes a webhook.
    ///
    /// - Parameters:
    ///   - body: Every byte as it came.
    ///   - feed: For whom it is.
    ///   - peer: Who has sent it, for the log.
    ///   - values: The values of a header field.
    /// - Returns: What became of it.
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
            self.logger.debug("webhook taken", metadata: ["feed": "\(feed)"])
            hook.wakeup.wake()
        case .unsigned, .wronglySigned:
            self.logRefusal(outcome, feed, peer)
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
            // With two of them, somebody else could mean the other one.
            return isSigned && signatures.count == 1 ? .taken : .wronglySigned
        } catch {
            self.logger.log(
                level: self.isTimeToLog(.secretMissing) ? .error : .debug,
                "webhooks cannot be checked",
                metadata: ["feed": "\(feed)", "error": "\(error)"]
            )
            return .secretMissing
        }
    }

    private func logRefusal(_ outcome: Outcome, _ feed: String, _ peer: String) {
        self.logger.log(
            level: self.isTimeToLog(outcome) ? .warning : .debug,
            "webhook refused",
            metadata: [
                "feed": "\(feed)", "client": "\(peer)",
                "reason": outcome == .unsigned ? "it is not signed" : "its signature is wrong",
            ]
        )
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
