import GateFuzzing
import GateTestSupport
import Testing
import WireSamples

@testable import GateWire

/// Compares the gate's parser with NIO's, for the heads in the tables and for mutations of them.
@Suite(.ownThread)
struct RequestHeadPeerTests {
    static let heads: [String] =
        RequestHeadParserTests.good.map(\.text) + RequestHeadParserTests.bad.map(\.0)
        + RequestFactsTests.ambiguous.map { lines, _ in
            "POST / HTTP/1.1\r\nHost: a\r\n\(lines.map { "\($0)\r\n" }.joined())\r\n"
        } + Self.forwarded.map { wire($0) }

    /// Heads with fields that a proxy removes or changes.
    private static let forwarded = [
        ["GET /a?b=%20 HTTP/1.1", "hOsT:a", "X: \t y ", "Z:", "Cookie: c; d"],
        ["", "", "GET / HTTP/1.1", "Host: a"],
        [
            "POST / HTTP/1.1", "Host: a", "Content-Length: 3", "Content-Type: b",
            "Origin: https://c", "Access-Control-Request-Method: PUT",
        ],
        ["POST / HTTP/1.1", "Host: a", "Transfer-Encoding: Chunked", "Trailer: X"],
        [
            "GET / HTTP/1.1", "Connection: keep-alive", "Keep-Alive: timeout=5", "Host: a",
            "TE: gzip;q=0.5", "Proxy-Connection: keep-alive",
        ],
        ["GET / HTTP/1.1", "Host: a", "TE: gzip;q=0.5, Trailers", "Connection: TE"],
        [
            "GET / HTTP/1.1", "Host: a", "X-One: 1", "Connection: x-one, Host, X-App-Version",
            "x-ONE: 2", "X-App-Version: 1.0",
        ],
        ["POST / HTTP/1.1", "Host: a", "Accept: text/html", "Content-Length: 0"],
        ["TRACE / HTTP/1.1", "Max-Forwards: 10", "Host: a"],
        ["GET / HTTP/1.1", "Max-Forwards: 10", "Host: a"],
        [
            "GET / HTTP/1.1", "X-App-Version: 1", "Host: a", "x-app-version: 2",
            "X-App-Platform: ios",
        ],
        ["GET / HTTP/1.1", "Host: a", "x-versiongate-decision: allow", "X-VersionGate: b"],
        [
            "GET / HTTP/1.1", "X-Forwarded-For: 1.1.1.1", "X-Forwarded-Proto: https", "Host: a",
            "X-Forwarded-Host: evil", "Forwarded: for=1.1.1.1",
        ],
        [
            "GET / HTTP/1.1", "X-Forwarded-For: 1.1.1.1, 2.2.2.2", "X-Forwarded-For:",
            "X-Forwarded-For: 3.3.3.3", "Host: a",
        ],
        ["GET / HTTP/1.1", "Host: a", "X-Request-ID: b", "X-Request-ID: c"],
        ["GET / HTTP/1.1", "X-Request-ID: b c", "Host: a"],
        ["GET http://b:81/c?d HTTP/1.1", "A: b", "Host: a", "C: d"],
        ["GET http://b HTTP/1.1", "Host: a"],
    ]

    @Test(arguments: Self.heads)
    func `NIO parses accepted heads with the same result`(_ head: String) {
        #expect(RequestHeadPeer.disagreement(Array(head.utf8)) == nil)
    }

    @Test func `NIO accepts most of the heads in the tables`() {
        let both = Self.heads.count {
            let bytes = Array($0.utf8)
            return RequestHeadPeer.gate(bytes) != nil && RequestHeadPeer.nio(bytes) != nil
        }
        #expect(both >= 30)
    }

    /// Bytes that parsers have interpreted differently in the past, and other bytes.
    private static let insertions: [[UInt8]] =
        [
            "\r", "\n", "\r\n", "\r\n\r\n", " ", "\t", ":", ",", ";", "\0", "\u{B}", "\u{7F}", "é",
            "chunked", "Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n", "Host: b\r\n",
            "Connection: close\r\n", "Upgrade: websocket\r\n", "CONNECT", "OPTIONS", "HEAD", "PUT",
            "HTTP/1.0", "HTTP/1.1", "http://", "*", "/", "?", "#", "%0a", "@", "[", "]", "_", "-",
            "0", "9", "+", "\"", "\\",
        ].map { Array($0.utf8) } + [[0x80], [0xFF], [0xC0, 0x8A], [0x85], [0xA0]]

    private static func mutated(
        _ head: [UInt8],
        using generator: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = head
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            let insertion =
                Self.insertions[Int.random(in: 0..<Self.insertions.count, using: &generator)]
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes.insert(contentsOf: insertion, at: position)
            case 1: bytes.replaceSubrange(position...position, with: insertion)
            case 2: bytes.remove(at: position)
            case 3: bytes[position] = UInt8.random(in: .min ... .max, using: &generator)
            case 4: bytes[position] ^= 0x20
            default:
                let end = Swift.min(bytes.count, position + 12)
                bytes.insert(contentsOf: Array(bytes[position..<end]), at: position)
            }
            if bytes.isEmpty { bytes = head }
        }
        return bytes
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `NIO parses 2500 mutated heads with the same result`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let heads = Self.heads.map { Array($0.utf8) }
        var accepted = 0
        var disagreements: [String] = []
        for _ in 0..<2500 {
            let head = heads[Int.random(in: 0..<heads.count, using: &generator)]
            let bytes = Self.mutated(head, using: &generator)
            if RequestHeadPeer.gate(bytes) != nil { accepted += 1 }
            if let disagreement = RequestHeadPeer.disagreement(bytes) {
                disagreements.append(disagreement)
            }
        }
        #expect(disagreements.prefix(3).joined(separator: "\n\n") == "")
        // If all mutations were rejected, nothing would be compared.
        #expect(accepted > 100)
    }
}
