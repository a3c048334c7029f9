import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import GateProxy

/// The gate's parser against NIO's, which is llhttp.
///
/// Whatever the gate accepts, NIO accepts and reads the same. The other way round nothing is asked:
/// the gate is the stricter one.
struct RequestHeadPeerTests {
    /// What both parsers can say of a head.
    private struct Reading: Equatable {
        var method: String
        var target: String
        var minorVersion: Int
        var fields: [TextField]
    }

    /// What the gate reads, or `nil` if it refuses the head.
    private static func gate(_ bytes: [UInt8]) -> (Reading, end: Int)? {
        var parser = RequestHeadParser()
        guard parser.parse(bytes, table: RequestSample.table) == .complete,
            (try? RequestFacts(parser.head, in: bytes.span)) != nil
        else { return nil }
        let head = parser.head
        // The target as it was sent: that of an absolute form begins before its path.
        let targetStart = head.methodEnd + 1
        let reading = Reading(
            method: bytes.text(from: head.methodStart, to: head.methodEnd),
            target: bytes.text(from: targetStart, to: head.target.end),
            minorVersion: head.minorVersion,
            fields: bytes.fields(head.fields)
        )
        return (reading, head.end)
    }

    /// What NIO reads, or `nil` if it refuses the head or waits for more.
    private static func nio(_ bytes: [UInt8]) -> Reading? {
        let channel = EmbeddedChannel()
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        do {
            try channel.pipeline.syncOperations.addHandler(
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes))
            )
            try channel.writeInbound(ByteBuffer(bytes: bytes))
            guard case .head(let head)? = try channel.readInbound(as: HTTPServerRequestPart.self)
            else { return nil }
            return Reading(
                method: head.method.rawValue,
                target: head.uri,
                minorVersion: head.version.minor,
                // llhttp leaves the blanks behind a value, which are no part of it (RFC 9112 5.1).
                fields: head.headers.map { field in
                    let value = field.value.utf8.reversed().drop { $0 == 0x20 || $0 == 0x09 }
                    return TextField(
                        name: field.name,
                        value: String(decoding: value.reversed(), as: UTF8.self)
                    )
                }
            )
        } catch {
            return nil
        }
    }

    /// Methods and versions that llhttp does not know at all; the gate passes any method, and reads
    /// HTTP/1.2 and later as HTTP/1.1 (RFC 9110 2.5).
    private static func isBeyondPeer(_ bytes: [UInt8], _ reading: Reading) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        let versions = (2...9).map { " HTTP/1.\($0)\r\n" }
        return !Self.peerMethods.contains(reading.method) || versions.contains { text.contains($0) }
    }

    private static let peerMethods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PURGE", "PROPFIND",
        "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH",
    ]

    private static func disagreement(_ bytes: [UInt8]) -> String? {
        guard let (gate, end) = Self.gate(bytes), !Self.isBeyondPeer(bytes, gate) else {
            return nil
        }
        let nio = Self.nio(Array(bytes[..<end]))
        guard nio != gate else { return nil }
        return "\(String(reflecting: String(decoding: bytes, as: UTF8.self)))\n"
            + "gate: \(gate)\nNIO: \(nio.map(String.init(describing:)) ?? "refused")"
    }

    static let heads: [String] =
        RequestHeadParserTests.good.map(\.text) + RequestHeadParserTests.bad.map(\.0)
        + RequestFactsTests.ambiguous.map { lines, _ in
            "POST / HTTP/1.1\r\nHost: a\r\n\(lines.map { "\($0)\r\n" }.joined())\r\n"
        } + RequestHeadWriterTests.cases.map(\.received)

    @Test(arguments: Self.heads)
    func `NIO reads what the gate accepts, and reads the same`(_ head: String) {
        #expect(Self.disagreement(Array(head.utf8)) == nil)
    }

    @Test func `NIO accepts most heads of the tables, so that the comparison is one`() {
        let both = Self.heads.count {
            let bytes = Array($0.utf8)
            return Self.gate(bytes) != nil && Self.nio(bytes) != nil
        }
        #expect(both >= 30)
    }

    /// Bytes that parsers have disagreed on before, and some that they have not.
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
    func `NIO reads what the gate accepts of 2500 mutated heads`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let heads = Self.heads.map { Array($0.utf8) }
        var accepted = 0
        var disagreements: [String] = []
        for _ in 0..<2500 {
            let head = heads[Int.random(in: 0..<heads.count, using: &generator)]
            let bytes = Self.mutated(head, using: &generator)
            if Self.gate(bytes) != nil { accepted += 1 }
            if let disagreement = Self.disagreement(bytes) { disagreements.append(disagreement) }
        }
        #expect(disagreements.prefix(3).joined(separator: "\n\n") == "")
        // Mutations that are all refused would compare nothing.
        #expect(accepted > 100)
    }
}
