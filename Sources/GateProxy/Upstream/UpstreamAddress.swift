import NIOCore

/// An address of a target.
struct UpstreamAddress: Hashable, Sendable, CustomStringConvertible {
    let target: UpstreamTarget
    let socket: SocketAddress

    /// Whether it is a TCP address.
    var isInternet: Bool { self.target.endpoint != nil }

    var description: String {
        guard let endpoint = self.target.endpoint else { return self.target.description }
        let host = self.socket.ipAddress ?? endpoint.host
        return Endpoint(host: host, port: self.socket.port ?? endpoint.port).description
    }
}
