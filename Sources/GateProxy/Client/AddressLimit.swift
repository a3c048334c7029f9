package import GateCensus
import Synchronization

/// A limit on the number of concurrent connections per client, shared by all threads.
///
/// The limit is checked once per connection, not once per request.
package final class AddressLimit: Sendable {
    private let limit: Int
    private let counts = Mutex<[ClientNetwork: Int]>([:])

    package init(limit: Int) {
        self.limit = limit
    }

    /// Counts a new connection, unless its client has reached the limit.
    ///
    /// - Returns: Whether the connection was counted.
    package func enter(_ client: ClientNetwork) -> Bool {
        self.counts.withLock { counts in
            let count = counts[client, default: 0]
            guard count < self.limit else { return false }
            counts[client] = count + 1
            return true
        }
    }

    /// Removes a closed connection from the count of its client.
    package func leave(_ client: ClientNetwork) {
        self.counts.withLock { counts in
            let count = counts[client, default: 0] - 1
            counts[client] = count > 0 ? count : nil
        }
    }

    /// The number of clients with at least one connection.
    var clientCount: Int { self.counts.withLock { $0.count } }
}

/// The unit that counts as one client: an IPv4 address, or the /64 network of an IPv6 address.
///
/// A client can use any of the 2^64 addresses of its IPv6 network.
package struct ClientNetwork: Hashable, Sendable {
    private let isIPv6: Bool
    private let bits: UInt64

    /// Parses an IP address, or returns `nil` for any other string.
    package init?(_ address: String) {
        guard let bytes = TrustedProxies.bytes(address) else { return nil }
        self.isIPv6 = bytes.count == 16
        self.bits = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ClientNetwork {
    /// The key under which the census counts the clients in this network.
    ///
    /// Private addresses (RFC 1918, RFC 4193, RFC 3927, RFC 4291) are marked as shared, because they usually belong to
    /// a proxy. With `--trusted-proxies`, the gate uses the clients' own addresses instead.
    package var place: ClientAddressKey {
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
        // The bits of an IPv6 network are inverted, so that they cannot equal the 32 bits of an IPv4 address.
        return ClientAddressKey(bits: self.isIPv6 ? ~self.bits : self.bits, isShared: isPrivate)
    }
}

/// A permit for one connection under the connection limit of its client.
final class ConnectionPermit {
    private let client: ClientNetwork
    /// The limit to return the permit to; `nil` once the permit has been returned or moved.
    private var limit: AddressLimit?

    private init(_ client: ClientNetwork, _ limit: AddressLimit) {
        self.client = client
        self.limit = limit
    }

    /// Returns a permit for a new connection, or `nil` if the client has reached the limit.
    static func take(for client: ClientNetwork, in limit: AddressLimit) -> ConnectionPermit? {
        limit.enter(client) ? ConnectionPermit(client, limit) : nil
    }

    /// Returns the permit to the limit; further calls have no effect.
    func leave() {
        self.limit.take()?.leave(self.client)
    }

    /// Moves the permit to a new object for another owner of the connection, or returns `nil` if no permit is left.
    func moved() -> ConnectionPermit? {
        self.limit.take().map { ConnectionPermit(self.client, $0) }
    }
}

@available(*, unavailable)
extension ConnectionPermit: Sendable {}
