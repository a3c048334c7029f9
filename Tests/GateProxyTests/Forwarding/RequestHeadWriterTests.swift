import GatePolicy
import GateWire
import NIOCore
import Testing
import WireSamples

@testable import GateProxy

struct RequestHeadWriterTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var received: String
        var sent: String
        var isTrusted = false
        var dropped: [String] = []
        var testDescription: String { self.name }
    }

    private static func request(_ sample: Case) throws -> ForwardedRequest {
        let read = try RequestSample(sample.received)
        let trusted: TrustedProxies =
            sample.isTrusted ? try #require(TrustedProxies(["192.0.2.0/24"])) : .none
        let peer = try SocketAddress(ipAddress: "192.0.2.9", port: 1)
        return ForwardedRequest(
            read.head,
            facts: try read.facts(),
            in: read.bytes.span,
            verdict: Verdict(
                decision: .preflight,
                upstreamIdentity: UpstreamIdentity(
                    drop: sample.dropped,
                    add: sample.dropped.map { HeaderField(name: $0.uppercased(), value: "new") }
                ),
                identityHeaderNames: RequestSample.identityNames
            ),
            origin: ClientAddress(peer, trusted: trusted),
            upstreamAuthority: "backend:8080",
            newRequestID: { RequestID(high: 0x0123_4567_89AB_CDEF, low: 0xF) }
        )
    }

    private static func write(_ sample: Case) throws -> String {
        var out = ByteBuffer()
        RequestHeadWriter.write(try Self.request(sample), into: &out)
        return String(buffer: out)
    }

    /// The fields that the gate adds to every head with the host `a` from an untrusted client.
    private static let added = """
        X-Forwarded-For: 192.0.2.9\r
        X-Forwarded-Proto: http\r
        X-Forwarded-Host: a\r
        X-Request-Id: 0123456789abcdef000000000000000f\r
        X-VersionGate-Decision: allow\r
        \r

        """

    @Test func `an added field with a very long name fits into the buffer`() throws {
        let name = "x-build-\(String(repeating: "n", count: 3_000))"
        var identity = IdentitySources.defaults
        identity.headers[.build] = [name]
        let ruleSet = RuleSet(RuleSetDefinition(revision: "1", identity: identity))
        let rules = WorkerRules(ruleSet, cacheCapacity: 8)
        let text = wire("GET / HTTP/1.1", "Host: a", "X-App-Version: 1.2 (3)")
        let received = Array(text.utf8)
        var parser = RequestHeadParser()
        try #require(parser.parse(received.span, table: rules.table) == .complete)
        let verdict = try rules.verdict(onFirst: text)
        try #require(verdict.members != nil)
        let peer = try SocketAddress(ipAddress: "192.0.2.9", port: 1)
        var out = ByteBuffer()
        let request = ForwardedRequest(
            parser.head,
            facts: try RequestFacts(parser.head, in: received.span),
            in: received.span,
            verdict: verdict,
            origin: ClientAddress(peer, trusted: .none),
            upstreamAuthority: "b",
            newRequestID: { RequestID(high: 1, low: 2) }
        )
        RequestHeadWriter.write(request, into: &out)
        #expect(String(buffer: out).contains("\r\n\(name): 3\r\n"))
        #expect(try HeaderBlock(of: request).fields.contains("\(name): 3"))
    }

    /// The test uses invalid UTF-8, because each such byte becomes three bytes when it is converted to text.
    @Test func `the longest possible head fits into the buffer`() throws {
        let protocols = String(repeating: "p\u{FF}", count: 2_000)
        let lines =
            ["GET / HTTP/1.1", "Host: \(String(repeating: "h", count: 250))"]
            + ["Connection: upgrade", "Upgrade: \(protocols)"]
            + (0..<50).map { _ in "X-Forwarded-For: \(String(repeating: "1", count: 100))" }
        let received = Array(wire(lines).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        var parser = RequestHeadParser()
        try #require(parser.parse(received.span, table: RequestSample.table) == .complete)
        let trusted = try #require(TrustedProxies(["192.0.2.0/24"]))
        let peer = try SocketAddress(ipAddress: "192.0.2.9", port: 1)
        var out = ByteBuffer()
        let request = ForwardedRequest(
            parser.head,
            facts: try RequestFacts(parser.head, in: received.span),
            in: received.span,
            verdict: Verdict(decision: .preflight),
            origin: ClientAddress(peer, trusted: trusted),
            upstreamAuthority: "b",
            newRequestID: { RequestID(high: 1, low: 2) }
        )
        RequestHeadWriter.write(request, into: &out)
        #expect(out.readableBytes > 2_000 * 4 + 50 * 100)
        #expect(try HeaderBlock(of: request).fields.contains { $0.utf8.count > 50 * 100 })
    }

    static let cases: [Case] = [
        Case(
            name: "other fields are unchanged",
            received: wire("GET /a?b=%20 HTTP/1.1", "hOsT:a", "X: \t y ", "Z:", "Cookie: c; d"),
            sent: "GET /a?b=%20 HTTP/1.1\r\nhOsT:a\r\nX: \t y \r\nZ:\r\nCookie: c; d\r\n" + added
        ),
        Case(
            name: "empty lines before the request are removed",
            received: "\r\n\r\n" + wire("GET / HTTP/1.1", "Host: a"),
            sent: "GET / HTTP/1.1\r\nHost: a\r\n" + added
        ),
        Case(
            name: "framing, origin and content fields are forwarded",
            received: wire(
                "POST / HTTP/1.1",
                "Host: a",
                "Content-Length: 3",
                "Content-Type: b",
                "Origin: https://c",
                "Access-Control-Request-Method: PUT"
            ),
            sent: "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Type: b\r\n"
                + "Origin: https://c\r\nAccess-Control-Request-Method: PUT\r\n" + added
        ),
        Case(
            name: "chunked stays chunked",
            received: wire(
                "POST / HTTP/1.1",
                "Host: a",
                "Transfer-Encoding: Chunked",
                "Trailer: X"
            ),
            sent: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\nTrailer: X\r\n"
                + added
        ),
        Case(
            name: "hop-by-hop fields are removed at any position",
            received: wire(
                "GET / HTTP/1.1",
                "Connection: keep-alive",
                "Keep-Alive: timeout=5",
                "Host: a",
                "TE: gzip;q=0.5",
                "Proxy-Connection: keep-alive",
                "A: b",
                "Upgrade: foo",
                "HTTP2-Settings: AAA"
            ),
            sent: "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n" + added
        ),
        Case(
            name: "TE: trailers is kept, and no other TE value",
            received: wire(
                "GET / HTTP/1.1",
                "Host: a",
                "TE: gzip;q=0.5, Trailers",
                "Connection: TE"
            ),
            sent: "GET / HTTP/1.1\r\nHost: a\r\nConnection: TE\r\nTE: trailers\r\n" + added
        ),
        Case(
            name: "nominated fields are removed, except those that the gate needs",
            received: wire(
                "GET / HTTP/1.1",
                "Host: a",
                "X-One: 1",
                "Connection: x-one, Host, X-App-Version",
                "x-ONE: 2",
                "X-App-Version: 1.0",
                "X-Two: 3",
                "Connection: Content-Length, x-two",
                "Content-Length: 0"
            ),
            sent: "GET / HTTP/1.1\r\nHost: a\r\nX-App-Version: 1.0\r\nContent-Length: 0\r\n" + added
        ),
        Case(
            name: "content fields can be nominated as hop-by-hop",
            received: wire(
                "POST / HTTP/1.1",
                "Host: a",
                "Accept: text/html",
                "Content-Type: b",
                "Origin: https://c",
                "Content-Length: 0",
                "Connection: accept, content-type, origin, max-forwards"
            ),
            sent: "POST / HTTP/1.1\r\nHost: a\r\nOrigin: https://c\r\nContent-Length: 0\r\n" + added
        ),
        Case(
            name: "Max-Forwards is decremented",
            received: wire("TRACE / HTTP/1.1", "Max-Forwards: 10", "Host: a"),
            sent: "TRACE / HTTP/1.1\r\nHost: a\r\nMax-Forwards: 9\r\n" + added
        ),
        Case(
            name: "Max-Forwards is ignored for other methods",
            received: wire("GET / HTTP/1.1", "Max-Forwards: 10", "Host: a"),
            sent: "GET / HTTP/1.1\r\nMax-Forwards: 10\r\nHost: a\r\n" + added
        ),
        Case(
            name: "all dropped identity fields are removed",
            received: wire(
                "GET / HTTP/1.1",
                "X-App-Version: 1",
                "Host: a",
                "x-app-version: 2",
                "X-App-Platform: ios"
            ),
            sent: "GET / HTTP/1.1\r\nHost: a\r\nX-App-Platform: ios\r\n"
                + added.replacing("X-V", with: "X-APP-VERSION: new\r\nX-V"),
            dropped: ["x-app-version"]
        ),
        Case(
            name: "reserved fields from a client are removed",
            received: wire(
                "GET / HTTP/1.1",
                "Host: a",
                "x-versiongate-decision: allow",
                "X-VersionGate: b"
            ),
            sent: "GET / HTTP/1.1\r\nHost: a\r\n" + added
        ),
        Case(
            name: "forwarded fields of an untrusted client are replaced",
            received: wire(
                "GET / HTTP/1.1",
                "X-Forwarded-For: 1.1.1.1",
                "X-Forwarded-Proto: https",
                "Host: a",
                "X-Forwarded-Host: evil",
                "Forwarded: for=1.1.1.1"
            ),
            sent: "GET / HTTP/1.1\r\nHost: a\r\n" + added
        ),
        Case(
            name: "fields of a trusted proxy are forwarded",
            received: wire(
                "GET / HTTP/1.1",
                "X-Forwarded-For: 1.1.1.1, 2.2.2.2",
                "X-Forwarded-For:",
                "X-Forwarded-For: 3.3.3.3",
                "X-Forwarded-Proto: https",
                "Host: a",
                "X-Forwarded-Host: public",
                "Forwarded: for=1.1.1.1"
            ),
            sent: "GET / HTTP/1.1\r\nX-Forwarded-Proto: https\r\nHost: a\r\n"
                + "X-Forwarded-Host: public\r\nForwarded: for=1.1.1.1\r\n"
                + "X-Forwarded-For: 1.1.1.1, 2.2.2.2, 3.3.3.3, 192.0.2.9\r\n"
                + "X-Request-Id: 0123456789abcdef000000000000000f\r\nX-VersionGate-Decision: allow\r\n\r\n",
            isTrusted: true
        ),
        Case(
            name: "fields missing from a trusted proxy are added",
            received: wire("GET / HTTP/1.1", "Host: a"),
            sent: "GET / HTTP/1.1\r\nHost: a\r\n" + added,
            isTrusted: true
        ),
        Case(
            name: "a request ID is kept",
            received: wire("GET / HTTP/1.1", "Host: a", "X-Request-ID: b-1"),
            sent: "GET / HTTP/1.1\r\nHost: a\r\nX-Request-ID: b-1\r\n"
                + added.replacing("X-Request-Id: 0123456789abcdef000000000000000f\r\n", with: "")
        ),
        Case(
            name: "the first of two request IDs is kept",
            received: wire("GET / HTTP/1.1", "Host: a", "X-Request-ID: b", "X-Request-ID: c"),
            sent: "GET / HTTP/1.1\r\nHost: a\r\nX-Request-ID: b\r\n"
                + added.replacing("X-Request-Id: 0123456789abcdef000000000000000f\r\n", with: "")
        ),
        Case(
            name: "an invalid request ID is replaced",
            received: wire("GET / HTTP/1.1", "X-Request-ID: b c", "Host: a"),
            sent: "GET / HTTP/1.1\r\nHost: a\r\n" + added
        ),
        Case(
            name: "the host of an absolute target replaces Host",
            received: wire("GET http://b:81/c?d HTTP/1.1", "A: b", "Host: a", "C: d"),
            sent: "GET /c?d HTTP/1.1\r\nA: b\r\nC: d\r\nHost: b:81\r\n"
                + added.replacing("Host: a\r\n", with: "Host: b:81\r\n")
        ),
        Case(
            name: "an absolute target without a path gets the root path",
            received: wire("GET http://b HTTP/1.1", "Host: a"),
            sent: "GET / HTTP/1.1\r\nHost: b\r\n"
                + added.replacing("Host: a\r\n", with: "Host: b\r\n")
        ),
        Case(
            name: "an absolute target with only a query gets the root path",
            received: wire("GET http://b?c HTTP/1.1", "Host: a"),
            sent: "GET /?c HTTP/1.1\r\nHost: b\r\n"
                + added.replacing("Host: a\r\n", with: "Host: b\r\n")
        ),
        Case(
            name: "the asterisk form is kept",
            received: wire("OPTIONS * HTTP/1.1", "Host: a"),
            sent: "OPTIONS * HTTP/1.1\r\nHost: a\r\n" + added
        ),
        Case(
            name: "HTTP 1.0 without Host gets the host of the backend",
            received: wire("GET / HTTP/1.0", "A: b"),
            sent: "GET / HTTP/1.1\r\nA: b\r\nHost: backend:8080\r\n"
                + added.replacing("X-Forwarded-Host: a\r\n", with: "")
        ),
        Case(
            name: "an expectation passes",
            received: wire(
                "PUT / HTTP/1.1",
                "Host: a",
                "Expect: 100-continue",
                "Content-Length: 1"
            ),
            sent: "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n"
                + added
        ),
        Case(
            name: "an expectation from an HTTP 1.0 client is not forwarded",
            received: wire(
                "PUT / HTTP/1.0",
                "Expect: 100-continue",
                "Host: a",
                "Content-Length: 1"
            ),
            sent: "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n" + added
        ),
        Case(
            name: "an upgrade is forwarded",
            received: wire(
                "GET / HTTP/1.1",
                "Host: a",
                "Connection: Upgrade",
                "Upgrade: WebSocket"
            ),
            sent: "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: WebSocket\r\n"
                + added
        ),
        Case(
            name: "upgrades that would hide requests are not forwarded",
            received: wire(
                "GET / HTTP/1.1",
                "Host: a",
                "Connection: Upgrade, HTTP2-Settings",
                "Upgrade: h2c, websocket, HTTP/2.0",
                "Upgrade: TLS/1.0 , foo/1",
                "HTTP2-Settings: AAA"
            ),
            sent:
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket, foo/1\r\n"
                + added
        ),
        Case(
            name: "without a remaining protocol, no upgrade is offered",
            received: wire("GET / HTTP/1.1", "Host: a", "Connection: Upgrade", "Upgrade: H2C"),
            sent: "GET / HTTP/1.1\r\nHost: a\r\n" + added
        ),
        Case(
            name: "HTTP 1.0 offers no upgrade",
            received: wire(
                "GET / HTTP/1.0",
                "Host: a",
                "Connection: upgrade",
                "Upgrade: websocket"
            ),
            sent: "GET / HTTP/1.1\r\nHost: a\r\n" + added
        ),
    ]

    @Test(arguments: Self.cases)
    func `a forwarded head has the expected lines`(_ sample: Case) throws {
        #expect(try Self.write(sample) == sample.sent)
    }

    @Test(arguments: Self.cases)
    func `an HTTP/2 backend gets the same fields`(_ sample: Case) throws {
        let text = try RequestSample(Self.write(sample))
        let kept = try HeaderBlock.fields(of: text)
        #expect(try HeaderBlock(of: Self.request(sample)).fields == kept)
    }

    @Test(arguments: Self.cases)
    func `a forwarded head is valid for the gate itself`(_ sample: Case) throws {
        #expect(throws: Never.self) { try RequestSample(Self.write(sample)).facts() }
    }

    @Test(arguments: [
        ("a", true), (String(repeating: "a", count: 128), true), ("!~", true), ("", false),
        (String(repeating: "a", count: 129), false), ("a b", false), ("a\tb", false),
        ("a\"b", false), ("é", false),
    ])
    func `a client's request ID is one short token`(_ id: String, _ isKept: Bool) throws {
        let read = try RequestSample(wire("GET / HTTP/1.1", "Host: a", "X-Request-Id: \(id)"))
        let bytes = read.bytes
        let line = ForwardedRequest.clientRequestID(
            read.head,
            facts: try read.facts(),
            bytes: bytes.span
        )
        #expect((line != nil) == isKept)
    }
}
