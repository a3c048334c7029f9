import NIOCore

/// An address of a target.
struct UpstreamAddress: Hashable, Sendable, CustomStringConvertible {
    let target: UpstreamTarget
    let socket: SocketAddress

    /// Whether it is a TCP address.
    var isInternet: Bool {
        switch self.target.place {
        case .endpoint: true
        case .unixSocket: false
        }
    }

    var description: String {
        switch self.target.place {
        case .unixSocket: return self.target.description
        case .endpoint(let endpoint):
            let host = self.socket.ipAddress ?? endpoint.host
            return Endpoint(host: host, port: self.socket.port ?? endpoint.port).description
        }
    }
}
