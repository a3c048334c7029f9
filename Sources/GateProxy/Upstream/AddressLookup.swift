import Glibc
package import NIOCore

/// Blocking lookups of host names with the system's resolver.
package enum AddressLookup {
    package typealias Function = @Sendable (Endpoint) -> Result<[SocketAddress], LookupFailure>

    /// Returns all addresses of a host, in the system's order of preference (RFC 6724).
    static func addresses(of name: Endpoint) -> Result<[SocketAddress], LookupFailure> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(name.host, String(name.port), &hints, &list)
        guard status == 0 else { return .failure(LookupFailure(status: status)) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            unsafe Self.append(entry, to: &addresses)
            unsafe next = entry.ai_next
        }
        return addresses.isEmpty
            ? .failure(LookupFailure(status: EAI_NONAME)) : .success(addresses)
    }

    private static func append(_ entry: addrinfo, to addresses: inout [SocketAddress]) {
        guard let bytes = unsafe UnsafeRawPointer(entry.ai_addr) else { return }
        switch unsafe entry.ai_family {
        case AF_INET:
            unsafe addresses.append(SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self)))
        case AF_INET6:
            unsafe addresses.append(SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self)))
        default:
            break
        }
    }
}

/// The reason why a lookup failed.
package struct LookupFailure: Error, Equatable, CustomStringConvertible {
    package let description: String
}

extension LookupFailure {
    fileprivate init(status: Int32) {
        let words = unsafe String(cString: gai_strerror(status))
        self.description =
            switch status {
            case EAI_NONAME: "unknown host name: check its spelling (\(words))"
            case EAI_AGAIN: "no name server is responding: check /etc/resolv.conf (\(words))"
            default: words
            }
    }
}
