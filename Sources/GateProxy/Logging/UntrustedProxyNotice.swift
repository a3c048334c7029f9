import Logging
import Synchronization

/// Says once that requests come through a proxy of which the settings know nothing.
///
/// Without `--trusted-proxies` all of its clients have one address, that of the proxy, and what it says
/// of the scheme is replaced; nothing else shows that.
final class UntrustedProxyNotice: Sendable {
    private let logger: Logger
    private let wasSaid = Atomic(false)

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// A request with `X-Forwarded-For` came from an address that is not trusted.
    func report(_ address: String) {
        guard !self.wasSaid.load(ordering: .relaxed),
            !self.wasSaid.exchange(true, ordering: .relaxed)
        else { return }
        self.logger.warning(
            """
            X-Forwarded-For comes from a peer that is not among --trusted-proxies: to roll-outs its \
            clients are one address, and the backend is told its scheme; if it is your proxy, add \
            --trusted-proxies \(address)
            """,
            metadata: ["address": "\(address)"]
        )
    }
}
