import NIOCore

/// A backend that is the gate itself: each request to it would come again, until nothing is left.
package struct UpstreamLoop: Error, CustomStringConvertible {
    /// The backend, as the operator named it.
    let target: UpstreamTarget
    /// The listener's own address that the upstream's is the same as.
    let address: SocketAddress

    package var description: String {
        "--upstream \(self.target) is the gate itself, which listens on \(Endpoint(self.address)): "
            + "name the port of the backend, or another one in --listen"
    }

    /// Looks for a backend among the addresses that the gate listens on; `nil`: there is none.
    ///
    /// - Parameters:
    ///   - backends: The addresses of the backends, as far as they are known.
    ///   - listeners: Where the gate listens.
    ///   - interfaces: The addresses of this machine, beside its loopback ones.
    init?(
        among backends: [UpstreamAddress],
        listeners: [SocketAddress],
        interfaces: [SocketAddress]
    ) {
        for backend in backends {
            let listener = listeners.first { listener in
                guard let port = listener.port, port == backend.socket.port else { return false }
                if listener.ipAddress == backend.socket.ipAddress { return true }
                guard listener.ipAddress.map(["0.0.0.0", "::"].contains) == true else {
                    return false
                }
                return backend.socket.isOfLoopback
                    || interfaces.contains { $0.ipAddress == backend.socket.ipAddress }
            }
            guard let listener else { continue }
            self.target = backend.target
            self.address = listener
            return
        }
        return nil
    }
}

extension SocketAddress {
    fileprivate var isOfLoopback: Bool {
        guard let text = self.ipAddress else { return false }
        return text == "::1" || text == "0.0.0.0" || text == "::" || text.hasPrefix("127.")
    }
}
