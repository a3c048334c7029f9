import NIOCore
import Testing
import WireSamples

@testable import GateWire

/// The PROXY protocol as specified in HAProxy's proxy-protocol.txt.
struct ProxyHeaderParserTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var client: String?
    }

    private static func line(_ text: String) -> [UInt8] { Array("\(text)\r\n".utf8) }

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    private static func binary(
        _ family: UInt8,
        _ payload: [UInt8],
        command: UInt8 = 0x21,
        length: Int? = nil
    ) -> [UInt8] {
        let length = length ?? payload.count
        let lengthBytes = [UInt8(length >> 8), UInt8(length & 0xFF)]
        return Self.signature + [command, family] + lengthBytes + payload
    }

    private static let ipv4: [UInt8] = [203, 0, 113, 9, 10, 0, 0, 1, 0x12, 0x67, 0, 80]
    private static let ipv6: [UInt8] =
        [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [9]
        + [UInt8](repeating: 0, count: 15) + [1, 0x12, 0x67, 0, 80]
    private static let unix = [UInt8](repeating: 0x61, count: 216)
    /// Type 2 (authority) and type 4 (padding).
    private static let extensions: [UInt8] = [2, 0, 3, 0x61, 0x62, 0x63, 4, 0, 2, 0, 0]

    static let accepted: [Case] = [
        Case(
            testDescription: "TCP4",
            bytes: line("PROXY TCP4 203.0.113.9 10.0.0.1 4711 80"),
            client: "[IPv4]203.0.113.9:4711"
        ),
        Case(
            testDescription: "TCP4, the largest values",
            bytes: line("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535"),
            client: "[IPv4]255.255.255.255:65535"
        ),
        Case(
            testDescription: "TCP4, port 0",
            bytes: line("PROXY TCP4 203.0.113.9 10.0.0.1 0 0"),
            client: "[IPv4]203.0.113.9:0"
        ),
        Case(
            testDescription: "TCP6",
            bytes: line("PROXY TCP6 2001:db8::9 ::1 4711 80"),
            client: "[IPv6]2001:db8::9:4711"
        ),
        Case(testDescription: "UNKNOWN", bytes: line("PROXY UNKNOWN"), client: nil),
        Case(
            testDescription: "UNKNOWN with the maximum line length",
            bytes: line(
                "PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
                    + "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535"
            ),
            client: nil
        ),
        Case(
            testDescription: "v2 TCP4",
            bytes: binary(0x11, ipv4),
            client: "[IPv4]203.0.113.9:4711"
        ),
        Case(
            testDescription: "v2 UDP4",
            bytes: binary(0x12, ipv4),
            client: "[IPv4]203.0.113.9:4711"
        ),
        Case(
            testDescription: "v2 TCP6",
            bytes: binary(0x21, ipv6),
            client: "[IPv6]2001:db8::9:4711"
        ),
        Case(
            testDescription: "v2 UDP6",
            bytes: binary(0x22, ipv6),
            client: "[IPv6]2001:db8::9:4711"
        ),
        Case(testDescription: "v2 Unix stream", bytes: binary(0x31, unix), client: nil),
        Case(testDescription: "v2 Unix datagram", bytes: binary(0x32, unix), client: nil),
        Case(testDescription: "v2 UNSPEC", bytes: binary(0x00, []), client: nil),
        Case(
            testDescription: "v2 UNSPEC with content",
            bytes: binary(0x00, [1, 2, 3]),
            client: nil
        ),
        Case(
            testDescription: "v2 TCP4 with extensions",
            bytes: binary(0x11, ipv4 + extensions),
            client: "[IPv4]203.0.113.9:4711"
        ),
        Case(
            testDescription: "v2 TCP6 with extensions",
            bytes: binary(0x21, ipv6 + extensions),
            client: "[IPv6]2001:db8::9:4711"
        ),
        Case(
            testDescription: "v2 with the maximum length",
            bytes: binary(0x11, ipv4 + [UInt8](repeating: 4, count: 4096 - 16 - 12)),
            client: "[IPv4]203.0.113.9:4711"
        ),
        Case(testDescription: "v2 LOCAL", bytes: binary(0x00, [], command: 0x20), client: nil),
        Case(
            testDescription: "v2 LOCAL with addresses",
            bytes: binary(0x11, ipv4, command: 0x20),
            client: nil
        ),
        Case(
            testDescription: "v2 LOCAL with an unknown family",
            bytes: binary(0xFF, [1], command: 0x20),
            client: nil
        ),
    ]

    @Test(arguments: Self.accepted)
    func `a header is parsed correctly, wherever it is split`(_ sample: Case) {
        let bytes = sample.bytes
        for end in 0..<bytes.count {
            #expect(
                ProxyHeaderParser.parse(Array(bytes[..<end]).span) == .incomplete,
                "the first \(end) bytes"
            )
        }
        for rest in ["", "GET / HTTP/1.1\r\n"] {
            let progress = ProxyHeaderParser.parse((bytes + Array(rest.utf8)).span)
            guard case .complete(let header, let length) = progress else {
                Issue.record("\(progress)")
                continue
            }
            #expect(length == bytes.count)
            switch header {
            case .own: #expect(sample.client == nil)
            case .client(let address): #expect(address.description == sample.client)
            }
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String { String(decoding: self.bytes.prefix(60), as: UTF8.self) }
        var bytes: [UInt8]
        var fault: ProxyHeaderFault

        init(_ text: String, _ fault: ProxyHeaderFault) {
            self.bytes = Array(text.utf8)
            self.fault = fault
        }

        init(_ bytes: [UInt8], _ fault: ProxyHeaderFault) {
            self.bytes = bytes
            self.fault = fault
        }
    }

    static let refused: [Fault] = [
        Fault("PROXY \r\n", .malformed),
        Fault("PROXY TCP4\r\n", .malformed),
        Fault("PROXY TCP4 203.0.113.9 10.0.0.1 4711\r\n", .malformed),
        Fault("PROXY TCP4 203.0.113.9 10.0.0.1 4711 80 \r\n", .malformed),
        Fault("PROXY TCP4  203.0.113.9 10.0.0.1 4711 80\r\n", .malformed),
        Fault("PROXY TCP4\t203.0.113.9 10.0.0.1 4711 80\r\n", .malformed),
        Fault("PROXY TCP4 203.0.113.9 10.0.0.1 4711 80\n", .malformed),
        Fault("PROXY TCP4 203.0.113.9 10.0.0.1 4711 80\rX", .malformed),
        Fault("PROXY TCP4 203.0.113.9 10.0.0.1 4711 65536\r\n", .malformed),
        Fault("PROXY TCP4 203.0.113.9 10.0.0.1 65536 80\r\n", .malformed),
        Fault("PROXY TCP4 203.0.113.9 10.0.0.1 04711 80\r\n", .malformed),
        Fault("PROXY TCP4 203.0.113.9 10.0.0.1 +4711 80\r\n", .malformed),
        Fault("PROXY TCP4 203.0.113.9 10.0.0.1 -1 80\r\n", .malformed),
        Fault("PROXY TCP4 203.0.113.256 10.0.0.1 4711 80\r\n", .malformed),
        Fault("PROXY TCP4 203.0.113 10.0.0.1 4711 80\r\n", .malformed),
        Fault("PROXY TCP4 203.0.113.9 10.0.0 4711 80\r\n", .malformed),
        Fault("PROXY TCP4 2001:db8::9 ::1 4711 80\r\n", .malformed),
        Fault("PROXY TCP6 203.0.113.9 10.0.0.1 4711 80\r\n", .malformed),
        Fault("PROXY TCP6 2001:db8::9 10.0.0.1 4711 80\r\n", .malformed),
        Fault("PROXY TCP6 fe80::1%eth0 ::1 4711 80\r\n", .malformed),
        Fault("PROXY UDP4 203.0.113.9 10.0.0.1 4711 80\r\n", .unknownFamily),
        Fault("PROXY tcp4 203.0.113.9 10.0.0.1 4711 80\r\n", .unknownFamily),
        Fault("PROXY UNKNOWN \u{1}\r\n", .malformed),
        Fault("PROXY UNKNOWN é\r\n", .malformed),
        Fault("PROXY UNKNOWN " + String(repeating: "a", count: 92), .tooLong),
        Fault("PROXY UNKNOWN " + String(repeating: "a", count: 92) + "\r\n", .tooLong),
        Fault(binary(0x11, Array(ipv4.dropLast())), .tooShortForAddresses),
        Fault(binary(0x11, []), .tooShortForAddresses),
        Fault(binary(0x21, Array(ipv6.dropLast())), .tooShortForAddresses),
        Fault(binary(0x21, ipv4), .tooShortForAddresses),
        Fault(binary(0x31, Array(unix.dropLast())), .tooShortForAddresses),
        Fault(binary(0x11, ipv4, length: 4081), .tooLong),
        Fault(binary(0x00, [], command: 0x20, length: 65535), .tooLong),
        Fault(binary(0x01, ipv4), .unknownFamily),
        Fault(binary(0x10, ipv4), .unknownFamily),
        Fault(binary(0x13, ipv4), .unknownFamily),
        Fault(binary(0x41, ipv4), .unknownFamily),
        Fault(binary(0xFF, ipv4), .unknownFamily),
        Fault(binary(0x11, ipv4, command: 0x22), .unknownVersion),
        Fault(binary(0x11, ipv4, command: 0x11), .unknownVersion),
        Fault(binary(0x11, ipv4, command: 0x31), .unknownVersion),
        Fault(binary(0x11, ipv4, command: 0x00), .unknownVersion),
    ]

    @Test(arguments: Self.refused)
    func `an invalid header is refused, and never parsed differently`(_ sample: Fault) {
        #expect(ProxyHeaderParser.parse(sample.bytes.span) == .refused(sample.fault))
        for end in 0..<sample.bytes.count {
            let progress = ProxyHeaderParser.parse(Array(sample.bytes[..<end]).span)
            #expect(progress == .incomplete || progress == .refused(sample.fault))
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\n", "PROPFIND / HTTP/1.1\r\n", "PROXYX", "proxy ",
        "\r\nGET / HTTP/1.1\r\n", "\r\n\r\nGET", "\u{16}\u{3}\u{1}", "\r\n\r\n\0\r\nQUIT\r",
    ])
    func `data without a header is left unchanged`(_ text: String) {
        #expect(ProxyHeaderParser.parse(Array(text.utf8).span) == .absent)
    }
}
