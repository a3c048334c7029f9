import GatePolicy
import GateWire
import NIOCore
import Testing
import WireSamples

@testable import GateProxy

/// CONNECT for a WebSocket (RFC 8441), converted to the handshake for a backend.
struct WebSocketHandshakeTests {
    private typealias Field = (String, String)

    private static let start: [Field] = [
        (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"),
        (":path", "/chat?a=b"), (":authority", "a"),
    ]

    private struct Reading {
        var head = RequestHead()
        var list: HeaderList
        var body: HTTP2RequestHead.Body?

        init(_ fields: [Field], endsStream: Bool = false) throws {
            self.list = try HeaderList(fields, names: .request(identityHeaderNames: []))
            self.body = try HTTP2RequestHead.read(
                &self.list,
                endsStream: endsStream,
                limits: .defaults,
                into: &self.head
            )
        }

        /// Returns the head for a backend.
        func written() throws -> [String] {
            let facts = try RequestFacts(self.head, in: self.list.bytes.span)
            #expect(facts.offersUpgrade && facts.framing == .none)
            var out = ByteBuffer()
            let request = ForwardedRequest(
                self.head,
                facts: facts,
                in: self.list.bytes.span,
                verdict: Verdict(decision: .preflight),
                origin: ClientAddress(nil, trusted: .none),
                upstreamAuthority: "b",
                webSocketKey: WebSocketKey(high: 0, low: 0),
                newRequestID: { RequestID(high: 1, low: 2) }
            )
            RequestHeadWriter.write(request, into: &out)
            return String(buffer: out).components
        }
    }

    @Test(arguments: [false, true])
    func `CONNECT becomes a GET that offers an upgrade`(_ endsStream: Bool) throws {
        let fields: [Field] = [
            ("cookie", "a=1"), ("sec-websocket-version", "13"), ("sec-websocket-key", "mine"),
            ("sec-websocket-protocol", "chat"), ("cookie", "b=2"), ("origin", "https://a"),
            ("content-type", "application/grpc"),
        ]
        let reading = try Reading(Self.start + fields, endsStream: endsStream)
        #expect(reading.body == .webSocket)
        let lines = try reading.written()
        #expect(lines.first == "GET /chat?a=b HTTP/1.1")
        let expected = [
            "host: a", "sec-websocket-version: 13", "sec-websocket-protocol: chat",
            "cookie: a=1; b=2", "origin: https://a", "content-type: application/grpc",
            "Connection: upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        ]
        for line in expected { #expect(lines.count { $0 == line } == 1, "\(line)") }
        #expect(!lines.contains { $0.contains("mine") || $0.hasPrefix(":") })
        let facts = try RequestFacts(reading.head, in: reading.list.bytes.span)
        // The status of a denial must not be 200, which would open the WebSocket.
        #expect(!facts.isCall)
    }

    @Test(arguments: ["websocket", "WebSocket"])
    func `other fields are optional, and the protocol is case-insensitive`(_ name: String) throws {
        var fields = Self.start
        fields[1].1 = name
        let lines = try Reading(fields).written()
        #expect(lines.first == "GET /chat?a=b HTTP/1.1")
        #expect(lines.contains("Upgrade: websocket"))
    }
}

extension String {
    fileprivate var components: [String] { self.split(separator: "\r\n").map(String.init) }
}
