package import NIOCore

/// The PROXY protocol's word on a connection before its first own byte.
package enum ProxyHeader: Equatable, Sendable {
    /// The proxy speaks for itself (a health check), or for a client that has no address: the
    /// connection is what it seems to be.
    case own
    /// The connection is that of a client that stands behind the proxy.
    case client(SocketAddress)
}

/// Why a PROXY protocol header is refused; the words go to the log.
package enum ProxyHeaderFault: String, Error, Equatable, Sendable {
    case missing = "the header is missing"
    case tooLong = "the header is too long"
    case malformed = "the header is malformed"
    case unknownVersion = "the header has an unknown version or command"
    case unknownFamily = "the header has an unknown address family"
    case tooShortForAddresses = "the header is too short for its addresses"
}
