private import Glibc

/// The address of a client, spelt as the gate spells the one of a connection.
package struct IPAddress: Sendable, Equatable {
    /// Why a text is not an address.
    package enum Failure: Error, CustomStringConvertible {
        case shape

        package var description: String { "write one as '192.0.2.1' or '2001:db8::1'" }
    }

    package let text: String

    /// Reads an IPv4 address, or an IPv6 address without a zone (RFC 4291 section 2.2).
    package init(parsing text: String) throws(Failure) {
        guard let text = Self.canonical(text, AF_INET) ?? Self.canonical(text, AF_INET6) else {
            throw .shape
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
