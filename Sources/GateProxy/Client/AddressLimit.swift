package import GateCensus
import Synchronization

/// How many connections one client may have at the same time, over all threads.
///
/// The only thing that event loops share besides the rules; it is asked once for each connection,
/// never for a request.
package final class AddressLimit: Sendable {
    private let limit: Int
    private let counts = Mutex<[ClientNetwork: Int]>([:])

    package init(limit: Int) {
        self.limit = limit
    }

    /// Counts one connection more; `false` if there are as many as there may be.
    package func enter(_ client: ClientNetwork) -> Bool {
        self.counts.withLock { counts in
            let count = counts[client, default: 0]
            guard count < self.limit else { return false }
            counts[client] = count + 1
            return true
        }
    }

    /// Counts one less.
    package func leave(_ client: ClientNetwork) {
        self.counts.withLock { counts in
            let count = counts[client, default: 0] - 1
            counts[client] = count > 0 ? count : nil
        }
    }

    /// Clients that have a connection.
    var clientCount: Int { self.counts.withLock { $0.count } }
}

/// The unit that counts as one client: an IPv4 address, or the /64 of an IPv6 address, of which a
/// client has 2^64 to choose from.
package struct ClientNetwork: Hashable, Sendable {
    private let isIPv6: Bool
    private let bits: UInt64

    /// - Returns: `nil` for text that is no IP address.
    package init?(_ address: String) {
        guard let bytes = TrustedProxies.bytes(address) else { return nil }
        self.isIPv6 = bytes.count == 16
        self.bits = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ClientNetwork {
    /// The place of a client in this network.
    ///
    /// A private address is a proxy's more often than a client's (RFC 1918, RFC 4193, RFC 3927, RFC 4291):
    /// whoever names the proxies in `--trusted-proxies` has the clients' own addresses.
    package var place: ClientPlace {
        let isPrivate: Bool
        if self.isIPv6 {
            let isUniqueLocal = self.bits >> 57 == 0xFC >> 1
            let isLinkLocal = self.bits >> 54 == 0xFE80 >> 6
            isPrivate = isUniqueLocal || isLinkLocal || self.bits == 0
        } else {
            let (first, second) = (self.bits >> 24, self.bits >> 16 & 0xFF)
            isPrivate =
                first == 10 || first == 127 || first == 172 && second >> 4 == 1
                || first == 192 && second == 168 || first == 169 && second == 254
        }
        // An IPv6 network never looks like an IPv4 address: those have 32 bits.
        return ClientPlace(bits: self.isIPv6 ? ~self.bits : self.bits, isShared: isPrivate)
    }
}

/// The permit of a connection among those of its client.
final class ConnectionPermit {
    private let client: ClientNetwork
    /// `nil` once the permit is free, or another's.
    private var limit: AddressLimit?

    private init(_ client: ClientNetwork, _ limit: AddressLimit) {
        self.client = client
        self.limit = limit
    }

    /// Takes a permit; `nil` if the client has as many connections as it may.
    static func take(for client: ClientNetwork, in limit: AddressLimit) -> ConnectionPermit? {
        limit.enter(client) ? ConnectionPermit(client, limit) : nil
    }

    /// Makes it free, once.
    func leave() {
        self.limit.take()?.leave(self.client)
    }

    /// The same permit for whoever holds the connection from now on.
    func moved() -> ConnectionPermit? {
        self.limit.take().map { ConnectionPermit(self.client, $0) }
    }
}

@available(*, unavailable)
extension ConnectionPermit: Sendable {}
