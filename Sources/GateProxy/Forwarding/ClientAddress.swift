import GateWire
package import NIOCore

/// The origin of a client connection, as sent to the backend (`X-Forwarded-*`).
///
/// The type is a class so that all requests on a connection share one instance.
package final class ClientAddress: Sendable {
    /// The address without brackets or port; `unknown` for a Unix domain socket.
    package let address: String
    /// Whether the peer is a trusted proxy, whose `X-Forwarded-*` fields are forwarded.
    package let isTrusted: Bool
    /// Whether the client's connection is encrypted.
    package let isSecure: Bool
    /// Whether the peer is a gateway, which sends authorization requests for its clients.
    package let isGateway: Bool
    /// The field lines with the address and the protocol, used for all requests from an untrusted peer.
    let lines: [UInt8]

    package convenience init(
        _ peer: SocketAddress?,
        trusted: TrustedProxies,
        isSecure: Bool = false
    ) {
        self.init(
            address: peer?.ipAddress ?? "unknown",
            isTrusted: trusted.contains(peer),
            isSecure: isSecure
        )
    }

    /// Creates the address of a gateway, which is trusted.
    convenience init(gateway peer: SocketAddress?) {
        self.init(
            address: peer?.ipAddress ?? "unknown",
            isTrusted: true,
            isSecure: false,
            isGateway: true
        )
    }

    init(address: String, isTrusted: Bool, isSecure: Bool, isGateway: Bool = false) {
        self.isGateway = isGateway
        self.address = address
        self.isTrusted = isTrusted
        self.isSecure = isSecure
        self.lines = Array(
            "X-Forwarded-For: \(self.address)\r\n\(Self.protocolLine(isSecure: isSecure))".utf8
        )
    }

    /// Returns the limits for the request heads that the peer sends.
    func headLimits(_ settings: GateSettings) -> HeadLimits {
        self.isGateway ? settings.headLimits.forGateways : settings.headLimits
    }

    static func protocolLine(isSecure: Bool) -> String {
        isSecure ? "X-Forwarded-Proto: https\r\n" : "X-Forwarded-Proto: http\r\n"
    }
}

extension ClientAddress {
    /// Returns the client's address.
    ///
    /// The address is that of the peer, or the one in the `X-Forwarded-For` fields from a trusted proxy.
    func clientAddress(
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        trusted: TrustedProxies
    ) -> String {
        guard self.isTrusted, facts.forwardedForLine != nil else { return self.address }
        var addresses: [String] = []
        for line in head.fields.lines where line.role == .forwarded(.for) {
            bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
                addresses.append(bytes.text(from: start, to: end))
                return true
            }
        }
        return trusted.clientAddress(in: addresses) ?? self.address
    }
}
