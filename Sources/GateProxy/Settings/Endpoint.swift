import GateWire
package import NIOCore

/// A host name or address with a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Creates an endpoint from an address; for a Unix socket, the host is empty and the port is 0.
    package init(_ address: SocketAddress) {
        self.init(host: address.ipAddress ?? "", port: address.port ?? 0)
    }

    /// Parses `HOST:PORT`; IPv6 addresses must be in brackets.
    ///
    /// `defaultPort` applies if the string contains no port. If `defaultPort` is `nil`, the port is required.
    package init?(_ text: String, defaultPort: Int? = nil) {
        var host = Substring(text)
        var port = defaultPort
        let afterAddress = text.hasPrefix("[") ? text.lastIndex(of: "]") : text.startIndex
        guard let afterAddress else { return nil }
        if let colon = text[afterAddress...].lastIndex(of: ":") {
            let digits = text[text.index(after: colon)...]
            port = digits.utf8.allSatisfy(ASCII.isDigit) ? Int(digits) : nil
            host = text[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(where: { "[]:".contains($0) }) {
            return nil
        }
        guard let port, (0...65535).contains(port), !host.isEmpty,
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x40 })
        else { return nil }
        self.host = String(host)
        self.port = port
    }

    /// Returns the end of an error message about a string that is not `HOST:PORT`.
    ///
    /// This is a suggested correction, or an empty string if there is none.
    package static func hint(for text: String) -> String {
        for (scheme, rest) in Self.schemes(of: text) where Endpoint(rest) != nil {
            return "; write \(rest), without \(scheme)"
        }
        if let number = Int(text) {
            guard (0...65535).contains(number) else { return self.portHint(text) }
            return
                "; write 127.0.0.1:\(number) for local clients, or 0.0.0.0:\(number) for all"
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 2, let port = Int(parts[1]), !(0...65535).contains(port) {
            return self.portHint(String(parts[1]))
        }
        if parts.count == 2, parts[0].isEmpty {
            return "; write 0.0.0.0:\(parts[1]) for all addresses"
        }
        if parts.count > 2, !text.contains("[") {
            return "; write an IPv6 address in brackets: [::1]:8080"
        }
        return parts.count == 1 ? "; add a port: \(text):8080" : ""
    }

    /// Returns the URL scheme that the string starts with, if any, and the rest of the string.
    private static func schemes(of text: String) -> [(scheme: String, rest: String)] {
        ["http://", "https://"].filter { text.hasPrefix($0) }.map { scheme in
            let rest = text.dropFirst(scheme.count)
            return (scheme, String(rest.hasSuffix("/") ? rest.dropLast() : rest))
        }
    }

    static func portHint(_ port: String) -> String {
        "; \(port) is not a valid port: ports range from 1 to 65535"
    }

    package var description: String {
        self.host.contains(":") ? "[\(self.host)]:\(self.port)" : "\(self.host):\(self.port)"
    }
}
