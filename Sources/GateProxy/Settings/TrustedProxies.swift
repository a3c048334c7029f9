import GateWire
import Glibc
package import NIOCore

/// The addresses and CIDR ranges of the proxies that are trusted to report a client's address.
package struct TrustedProxies: Equatable, Sendable {
    private struct AddressRange: Equatable {
        var address: [UInt8]
        var prefixLength: Int
    }

    private var ranges: [AddressRange]

    package static let none = TrustedProxies(ranges: [])

    private init(ranges: [AddressRange]) {
        self.ranges = ranges
    }

    /// Parses addresses (`10.0.0.7`) and ranges (`10.0.0.0/8`, `fd00::/8`).
    ///
    /// - Returns: `nil` if any of the strings is invalid.
    package init?(_ texts: [String]) {
        self.ranges = []
        for text in texts {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard let first = parts.first, parts.count <= 2,
                let address = Self.bytes(String(first))
            else { return nil }
            let bits = address.count * 8
            guard parts.last?.utf8.first.map(ASCII.isDigit) == true || parts.count == 1,
                let length = parts.count == 2 ? Int(parts[1]) : bits, (0...bits).contains(length)
            else { return nil }
            self.ranges.append(AddressRange(address: address, prefixLength: length))
        }
    }

    package func contains(_ peer: SocketAddress?) -> Bool {
        peer?.ipAddress.map(self.contains) ?? false
    }

    /// Returns whether a string is the address of a trusted proxy.
    func contains(_ text: String) -> Bool {
        guard !self.ranges.isEmpty, let address = Self.bytes(text) else { return false }
        return self.ranges.contains { range in
            range.address.count == address.count
                && (0..<range.prefixLength).allSatisfy { bit in
                    let mask = UInt8(0x80) >> UInt8(bit % 8)
                    return range.address[bit / 8] & mask == address[bit / 8] & mask
                }
        }
    }

    /// Parses an address and returns it in network byte order; IPv4-mapped IPv6 addresses are returned as IPv4.
    static func bytes(_ text: String) -> [UInt8]? {
        var v4 = [UInt8](repeating: 0, count: 4)
        if unsafe inet_pton(AF_INET, text, &v4) == 1 { return v4 }
        var v6 = [UInt8](repeating: 0, count: 16)
        return unsafe inet_pton(AF_INET6, text, &v6) == 1 ? Self.unmapped(v6) : nil
    }

    /// Returns the client's address, given the addresses that a request has passed through, the nearest last.
    ///
    /// The result is the last entry that is not a trusted proxy, or `nil` if there is none or if
    /// that entry is not an address.
    func clientAddress(in list: [String]) -> String? {
        list.last { !self.contains($0) }.flatMap { Self.bytes($0) == nil ? nil : $0 }
    }

    private static func unmapped(_ address: [UInt8]) -> [UInt8] {
        let prefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return Array(address.prefix(12)) == prefix ? Array(address.suffix(4)) : address
    }
}
