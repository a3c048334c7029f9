import NIOCore

/// A backend as configured by the operator.
package struct UpstreamTarget: Hashable, Sendable, CustomStringConvertible {
    /// The address of the backend, or its Unix socket.
    package enum Place: Hashable, Sendable {
        case endpoint(Endpoint)
        case unixSocket(path: String)
    }

    package var place: Place
    /// Whether the connection uses TLS.
    package var isSecure: Bool
    package var speaks: UpstreamProtocol

    package init(_ place: Place, isSecure: Bool = false, speaks: UpstreamProtocol = .http1) {
        self.place = place
        self.isSecure = isSecure
        self.speaks = speaks
    }

    /// Parses `http://HOST[:PORT]`, `https://HOST[:PORT]`, `h2c://HOST[:PORT]` or `unix:/PATH`.
    package init?(_ text: String) {
        if let path = Self.rest(of: text, behind: "unix:") {
            guard path.hasPrefix("/"), !path.hasSuffix("/"),
                (try? SocketAddress(unixDomainSocketPath: path)) != nil
            else { return nil }
            self.init(.unixSocket(path: path))
            return
        }
        for (scheme, port, isSecure, speaks) in Self.schemes {
            guard var authority = Self.rest(of: text, behind: scheme) else { continue }
            if authority.hasSuffix("/") { authority.removeLast() }
            guard !authority.contains(where: { "?#".contains($0) }),
                let endpoint = Endpoint(authority, defaultPort: port)
            else { return nil }
            self.init(.endpoint(endpoint), isSecure: isSecure, speaks: speaks)
            return
        }
        return nil
    }

    private static let schemes: [(String, port: Int, isSecure: Bool, UpstreamProtocol)] = [
        ("https://", 443, true, .negotiated), ("http://", 80, false, .http1),
        ("h2c://", 80, false, .http2),
    ]

    /// Parses a comma-separated list of targets.
    package static func list(_ text: String) -> [UpstreamTarget]? {
        let items = self.items(of: text)
        let targets = items.compactMap { UpstreamTarget($0) }
        return targets.count == items.count ? targets : nil
    }

    private static func items(of list: String) -> [String] {
        list.split(separator: ",", omittingEmptySubsequences: false)
            .map { String($0.trimmingPrefix { $0 == " " }) }
    }

    /// Returns the end of an error message about a list that contains an invalid target.
    ///
    /// This is a suggested correction, or an empty string if there is none.
    package static func hint(for list: String) -> String {
        let items = self.items(of: list)
        guard let text = items.first(where: { UpstreamTarget($0) == nil }) else { return "" }
        let said = items.count > 1 ? " instead of '\(text)'" : ""
        guard let start = text.firstRange(of: "://") else {
            if text.isEmpty { return "; the list contains an empty entry" }
            if text.hasPrefix("unix:") {
                return "; a socket path must start with /: unix:/run/app.sock"
            }
            if UpstreamTarget("http://\(text)") != nil { return "; write http://\(text)\(said)" }
            return text.hasPrefix("/") ? "; write unix:\(text)\(said)" : ""
        }
        let scheme = text[..<start.lowerBound]
        guard ["http", "https", "h2c"].contains(scheme.lowercased()) else {
            return "; the scheme '\(scheme)' is not supported"
        }
        let authority = text[start.upperBound...].prefix { !"/?#".contains($0) }
        let port = authority.split(separator: ":").last.flatMap { Int($0) }
        if let port, !(1...65535).contains(port) { return Endpoint.portHint(String(port)) }
        let bare = "\(scheme)://\(authority)"
        guard bare != text, UpstreamTarget(bare) != nil else { return "" }
        return "; write \(bare)\(said): the backend gets the request path, "
            + "and a prefix cannot be added"
    }

    private static func rest(of text: String, behind scheme: String) -> String? {
        guard text.lowercased().hasPrefix(scheme) else { return nil }
        return String(text.dropFirst(scheme.count))
    }

    /// Returns the target with the chosen protocol, or `nil` if the choice contradicts the scheme.
    package func speaking(_ choice: UpstreamProtocolChoice) -> UpstreamTarget? {
        var target = self
        switch choice {
        case .auto: break
        case .http1:
            guard self.speaks != .http2 else { return nil }
            target.speaks = .http1
        case .http2:
            target.speaks = .http2
        }
        return target
    }

    /// The `Host` value for requests that lack the field.
    var authority: String {
        // RFC 9112 defines no host for a Unix socket; curl sends the same value.
        self.endpoint?.description ?? "localhost"
    }

    /// The host and the port, or `nil` for a Unix socket.
    var endpoint: Endpoint? {
        if case .endpoint(let endpoint) = self.place { endpoint } else { nil }
    }

    /// The address, or `nil` if it must be looked up.
    var literalAddress: SocketAddress? {
        switch self.place {
        case .endpoint(let endpoint):
            try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port)
        case .unixSocket(let path):
            try? SocketAddress(unixDomainSocketPath: path)
        }
    }

    package var description: String {
        switch self.place {
        case .endpoint(let endpoint): "\(self.scheme)://\(endpoint)"
        case .unixSocket(let path): "unix:\(path)"
        }
    }

    private var scheme: String {
        if self.isSecure { return "https" }
        return self.speaks == .http2 ? "h2c" : "http"
    }
}

/// The protocol of a backend.
package enum UpstreamProtocol: Hashable, Sendable {
    case http1
    /// HTTP/2 with prior knowledge or, over TLS, as the only protocol offered (RFC 9113 section 3.3).
    case http2
    /// The protocol that the backend selects over TLS (ALPN, RFC 7301).
    case negotiated

    /// The protocols to offer over TLS, in order of preference.
    var names: [String] {
        switch self {
        case .http1: ["http/1.1"]
        case .http2: ["h2"]
        case .negotiated: ["h2", "http/1.1"]
        }
    }
}

/// The operator's choice of protocol.
package enum UpstreamProtocolChoice: String, CaseIterable, Sendable {
    case auto
    case http1
    case http2
}
