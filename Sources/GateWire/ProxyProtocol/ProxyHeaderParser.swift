package import NIOCore

/// The content of a PROXY protocol header, which precedes all other bytes of a connection.
package enum ProxyHeader: Equatable, Sendable {
    /// The connection is the proxy's own, for example for a health check, or the client has no address.
    ///
    /// The peer address of the connection is used.
    case own
    /// The connection is from a client with this address.
    case client(SocketAddress)
}

/// The reason why a PROXY protocol header is rejected; the raw value is written to the log.
package enum ProxyHeaderFault: String, Error, Equatable, Sendable {
    case missing = "the header is missing"
    case tooLong = "the header is too long"
    case malformed = "the header is malformed"
    case unknownVersion = "the header has an unknown version or command"
    case unknownFamily = "the header has an unknown address family"
    case tooShortForAddresses = "the header is too short for its addresses"
}

/// A parser for version 1 (a line of text) and version 2 (binary) of the PROXY protocol.
///
/// Section numbers in comments refer to HAProxy's proxy-protocol.txt. The parser is stateless,
/// because a header is short and nearly always complete in the first read.
package enum ProxyHeaderParser {
    package enum Progress: Equatable, Sendable {
        /// The bytes are the start of a header, or no bytes have arrived yet.
        case incomplete
        case complete(ProxyHeader, length: Int)
        /// The bytes are not a header, so the connection does not use the PROXY protocol.
        case absent
        case refused(ProxyHeaderFault)
    }

    /// The maximum size of a version 1 header, in bytes, including CR LF (section 2.1).
    static let longestLine = 107
    /// The maximum size of a version 2 header, in bytes.
    ///
    /// The format allows 64 KiB, most of it for extensions that the gate ignores.
    static let longestBinary = 4096

    private static let lineStart = Array("PROXY ".utf8)
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]

    package static func parse(_ bytes: Span<UInt8>) -> Progress {
        do throws(ProxyHeaderFault) {
            switch Self.beginning(of: bytes, with: Self.signature) {
            case .whole: return try Self.binary(bytes)
            case .partial: return .incomplete
            case .different: break
            }
            switch Self.beginning(of: bytes, with: Self.lineStart) {
            case .whole: return try Self.line(bytes)
            case .partial: return .incomplete
            case .different: return .absent
            }
        } catch {
            return .refused(error)
        }
    }

    private enum Beginning {
        case whole
        case partial
        case different
    }

    private static func beginning(of bytes: Span<UInt8>, with prefix: [UInt8]) -> Beginning {
        let count = Swift.min(bytes.count, prefix.count)
        for index in 0..<count where bytes[index] != prefix[index] { return .different }
        return count == prefix.count ? .whole : .partial
    }
}

/// Methods that parse version 1 (section 2.1).
extension ProxyHeaderParser {
    private static func line(_ bytes: Span<UInt8>) throws(ProxyHeaderFault) -> Progress {
        var end = Self.lineStart.count
        while end < bytes.count, bytes[end] != 0x0D {
            // A line cannot contain control characters or bytes outside ASCII.
            guard bytes[end] >= 0x20, bytes[end] < 0x7F else { throw .malformed }
            end += 1
        }
        guard end + 2 <= Self.longestLine else { throw .tooLong }
        guard end + 1 < bytes.count else { return .incomplete }
        guard bytes[end + 1] == 0x0A else { throw .malformed }
        let text = bytes.text(from: Self.lineStart.count, to: end)
        return .complete(try Self.header(text), length: end + 2)
    }

    private static func header(_ text: String) throws(ProxyHeaderFault) -> ProxyHeader {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        // Anything after UNKNOWN must be ignored.
        if words.first == "UNKNOWN" { return .own }
        // A zone index is only meaningful on the proxy's machine.
        guard words.count == 5, !text.utf8.contains(UInt8(ascii: "%")) else { throw .malformed }
        let isIPv6: Bool
        switch words[0] {
        case "TCP4": isIPv6 = false
        case "TCP6": isIPv6 = true
        default: throw .unknownFamily
        }
        guard let port = Self.port(words[3]), Self.port(words[4]) != nil,
            let source = try? SocketAddress(ipAddress: String(words[1]), port: port),
            let destination = try? SocketAddress(ipAddress: String(words[2]), port: 0),
            source.protocol == (isIPv6 ? .inet6 : .inet), destination.protocol == source.protocol
        else { throw .malformed }
        return .client(source)
    }

    private static func port(_ text: Substring) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit),
            text == "0" || text.utf8.first != 0x30, let port = Int(text), port <= 65535
        else { return nil }
        return port
    }
}

/// The types and methods for version 2 (section 2.2).
extension ProxyHeaderParser {
    private static let fixedLength = 16

    private enum Family {
        case unspecified
        case ipv4
        case ipv6
        case unix

        /// The total size in bytes of the two addresses and ports.
        var length: Int {
            switch self {
            case .unspecified: 0
            case .ipv4: 12
            case .ipv6: 36
            case .unix: 216
            }
        }

        /// Creates a family from the byte that states the address family and the transport protocol.
        ///
        /// Fails for undefined values, which must be rejected.
        init?(_ byte: UInt8) {
            switch byte {
            case 0x00: self = .unspecified
            case 0x11, 0x12: self = .ipv4
            case 0x21, 0x22: self = .ipv6
            case 0x31, 0x32: self = .unix
            default: return nil
            }
        }
    }

    private static func binary(_ bytes: Span<UInt8>) throws(ProxyHeaderFault) -> Progress {
        guard bytes.count > 12 else { return .incomplete }
        let isLocal: Bool
        switch bytes[12] {
        case 0x20: isLocal = true
        case 0x21: isLocal = false
        default: throw .unknownVersion
        }
        guard bytes.count >= Self.fixedLength else { return .incomplete }
        let rest = Int(bytes[14]) << 8 | Int(bytes[15])
        let length = Self.fixedLength + rest
        guard length <= Self.longestBinary else { throw .tooLong }
        // With the command LOCAL, the address block is ignored, including its family.
        var family = Family.unspecified
        if !isLocal {
            guard let stated = Family(bytes[13]) else { throw .unknownFamily }
            guard rest >= stated.length else { throw .tooShortForAddresses }
            family = stated
        }
        guard bytes.count >= length else { return .incomplete }
        return .complete(try Self.header(family, bytes), length: length)
    }

    private static func header(
        _ family: Family,
        _ bytes: Span<UInt8>
    ) throws(ProxyHeaderFault) -> ProxyHeader {
        let size: Int
        switch family {
        // A client on the proxy's own machine is treated like the proxy itself.
        case .unspecified, .unix: return .own
        case .ipv4: size = 4
        case .ipv6: size = 16
        }
        var address = ByteBuffer()
        for index in 0..<size { address.writeInteger(bytes[Self.fixedLength + index]) }
        let portAt = Self.fixedLength + 2 * size
        let port = Int(bytes[portAt]) << 8 | Int(bytes[portAt + 1])
        guard let source = try? SocketAddress(packedIPAddress: address, port: port)
        else { throw .malformed }
        return .client(source)
    }
}
