internal import GateProxy
internal import NIOCore

/// The values of `Host` that requests from operators may have (RFC 9110 section 7.2).
///
/// The check protects against DNS rebinding: a malicious page can point its own host name to this machine, and could
/// then read responses from this listener in an operator's browser. The browser still sends the page's host name as
/// `Host`. A request to an IP address cannot come from such a page.
struct AdminHosts: Sendable, Equatable {
    /// The allowed names in lower case; `nil` to allow all.
    private let names: Set<String>?

    /// Creates the allowed names for a listener.
    ///
    /// - Parameters:
    ///   - address: The address of the listener. The names are known only for loopback addresses; for other
    ///     addresses, all names are allowed.
    ///   - name: The configured host; `nil` for inherited sockets.
    init(_ address: SocketAddress?, listeningOn name: String?) {
        let names: Set = ["localhost", name?.lowercased() ?? "localhost"]
        self.names = address?.isLoopbackOnly == true ? names : nil
    }

    /// Returns whether the values of `Host` are allowed; clients other than browsers may omit the field.
    func admits(_ values: [String]) -> Bool {
        guard let names = self.names else { return true }
        return values.allSatisfy { value in
            guard let host = Endpoint(value, defaultPort: 80)?.host.lowercased() else {
                return false
            }
            return names.contains(host) || (try? SocketAddress(ipAddress: host, port: 0)) != nil
        }
    }
}

extension SocketAddress {
    /// Whether only this machine can connect to the address.
    var isLoopbackOnly: Bool {
        guard let address = self.ipAddress else { return true }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
