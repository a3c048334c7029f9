import NIOCore

/// An error for a backend that is the gate itself, so that requests would be forwarded in an endless loop.
package struct UpstreamLoop: Error, CustomStringConvertible {
    /// The backend as configured by the operator.
    let target: UpstreamTarget
    /// The address that the backend and a listener share.
    let address: SocketAddress

    package var description: String {
        "--upstream \(self.target) is the gate itself, which listens on \(Endpoint(self.address)): "
            + "set the backend's port in --upstream, or another port in --listen"
    }

    /// Searches the backends for an address that the gate listens on, and returns `nil` if there is none.
    ///
    /// `interfaces` contains the addresses of this machine, in addition to loopback addresses.
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
