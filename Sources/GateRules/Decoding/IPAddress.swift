private import Glibc

/// The address of a client, in the notation that the gate uses for a connection's address.
package struct IPAddress: Sendable, Equatable {
    package let text: String

    /// Parses an IPv4 address, or an IPv6 address without a zone (RFC 4291 section 2.2).
    package init(parsing text: String) throws(InvalidText) {
        guard let text = Self.canonical(text, AF_INET) ?? Self.canonical(text, AF_INET6) else {
            throw InvalidText("expected an address such as '192.0.2.1' or '2001:db8::1'")
        }
        self.text = text
    }

    private static func canonical(_ text: String, _ family: Int32) -> String? {
        var bytes = in6_addr()
        guard unsafe inet_pton(family, text, &bytes) == 1 else { return nil }
        var spelling = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let size = socklen_t(spelling.count)
        guard unsafe inet_ntop(family, &bytes, &spelling, size) != nil else { return nil }
        let digits = spelling.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: digits, as: UTF8.self)
    }
}
