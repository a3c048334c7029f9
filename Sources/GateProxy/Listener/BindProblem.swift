import Glibc
import NIOCore

/// Why an address cannot be listened on, and the way out.
package struct BindProblem: Error, CustomStringConvertible {
    /// The address that was asked for.
    package let endpoint: Endpoint
    package let description: String

    package init(_ endpoint: Endpoint, _ error: any Error) {
        self.endpoint = endpoint
        self.description = Self.words(endpoint, error)
    }

    private static func words(_ endpoint: Endpoint, _ error: any Error) -> String {
        if error is SocketAddressError.UnknownHost {
            return "the name '\(endpoint.host)' is unknown: name an address of this machine, "
                + "or 0.0.0.0 for all of them"
        }
        guard let error = error as? IOError else { return "\(error)" }
        switch error.errnoCode {
        case EADDRINUSE:
            return
                "another program listens there, which 'ss -ltnp sport = :\(endpoint.port)' names: "
                + "stop it, or choose another port"
        case EADDRNOTAVAIL:
            return "this machine has no address \(endpoint.host): choose one of its own "
                + "('ip address' lists them), or 0.0.0.0 for all of them"
        case EACCES:
            return "ports below 1024 need the capability CAP_NET_BIND_SERVICE: grant it, "
                + "or choose a port from 1024 on"
        default:
            return "\(error)"
        }
    }
}
