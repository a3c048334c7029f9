internal import GateProxy
internal import NIOCore

/// By which names operators may ask (`Host`, RFC 9110 section 7.2).
///
/// A stranger's page can have its own name lead to this machine, and would then read in an operator's
/// browser what is answered here (DNS rebinding). The browser still tells the name, and has one to
/// tell: whoever comes by an address is no such page.
struct AdminHosts: Sendable, Equatable {
    /// In lower case; `nil`: all.
    private let names: Set<String>?

    /// Those of a listener.
    ///
    /// - Parameters:
    ///   - address: Where it listens. Only of loopback is it known which names lead there.
    ///   - name: What it was told to listen on; `nil`: sockets that listened already.
    init(_ address: SocketAddress?, listeningOn name: String?) {
        if address?.isOfThisMachineAlone == true {
            self.names = ["localhost", name?.lowercased() ?? "localhost"]
        } else {
            self.names = nil
        }
    }

    /// Whether a request is meant for this listener, by the values of its `Host`; clients that are no
    /// browsers may send none.
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
    /// Whether nobody but this machine can connect there.
    var isOfThisMachineAlone: Bool {
        guard let address = self.ipAddress else { return true }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
