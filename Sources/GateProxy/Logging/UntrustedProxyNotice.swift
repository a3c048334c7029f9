import Logging
import Synchronization

/// A one-time warning that requests arrive through a proxy that is not configured as trusted.
///
/// Without `--trusted-proxies`, all clients of the proxy share the proxy's address, and the proxy's `X-Forwarded-Proto`
/// is replaced. Only this warning indicates the problem.
final class UntrustedProxyNotice: Sendable {
    private let logger: Logger
    private let wasReported = Atomic(false)

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Reports a request with `X-Forwarded-For` from an untrusted address.
    func report(_ address: String) {
        guard !self.wasReported.load(ordering: .relaxed),
            !self.wasReported.exchange(true, ordering: .relaxed)
        else { return }
        self.logger.warning(
            """
            X-Forwarded-For was received from a peer that is not in --trusted-proxies: all clients \
            behind the peer count as one address in rollouts, and the backend gets the scheme of \
            the peer's connection; if the peer is your proxy, add --trusted-proxies \(address)
            """,
            metadata: ["address": "\(address)"]
        )
    }
}
