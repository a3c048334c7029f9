import NIOCore

/// A resolved address of a target.
struct UpstreamAddress: Hashable, Sendable, CustomStringConvertible {
    let target: UpstreamTarget
    let socket: SocketAddress

    /// Whether this is a TCP address, not a Unix socket.
    var isInternet: Bool { self.target.endpoint != nil }

    var description: String {
        guard let endpoint = self.target.endpoint else { return self.target.description }
        let host = self.socket.ipAddress ?? endpoint.host
        return Endpoint(host: host, port: self.socket.port ?? endpoint.port).description
    }
}
