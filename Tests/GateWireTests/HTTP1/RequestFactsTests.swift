import Testing
import WireSamples

@testable import GateWire

struct RequestFactsTests {
    /// Returns the facts about a request with these field lines after `Host`.
    private static func facts(
        _ lines: String...,
        method: String = "POST",
        version: String = "HTTP/1.1"
    ) throws -> RequestFacts {
        try RequestSample(wire(["\(method) / \(version)", "Host: a"] + lines)).facts()
    }

    @Test(
        arguments: [
            ([], .none),
            (["Content-Length: 0"], .none),
            (["Content-Length: 1"], .length(1)),
            (["content-length:007 "], .length(7)),
            (["Content-Length: 9223372036854775807"], .length(9_223_372_036_854_775_807)),
            (["Transfer-Encoding: chunked"], .chunked),
            (["transfer-encoding:\tCHUNKED\t"], .chunked),
        ] as [([String], BodyFraming)]
    )
    func `the framing of a body is the one that its request states`(
        _ lines: [String],
        _ framing: BodyFraming
    ) throws {
        let sample = try RequestSample(wire(["POST / HTTP/1.1", "Host: a"] + lines))
        #expect(try sample.facts().framing == framing)
    }

    static let ambiguous: [([String], MessageFault)] = [
        (["Content-Length:"], .contentLength),
        (["Content-Length: +1"], .contentLength),
        (["Content-Length: -1"], .contentLength),
        (["Content-Length: 0x1"], .contentLength),
        (["Content-Length: 1a"], .contentLength),
        (["Content-Length: 1 2"], .contentLength),
        (["Content-Length: 1,1"], .contentLength),
        (["Content-Length: 1", "Content-Length: 1"], .contentLength),
        (["Content-Length: 1", "Content-Length: 2"], .contentLength),
        (["Content-Length: 0", "content-length: 0"], .contentLength),
        (["Content-Length: 9223372036854775808"], .contentLength),
        (["Content-Length: 18446744073709551615"], .contentLength),
        (["Content-Length: 18446744073709551616"], .contentLength),
        (["Content-Length: 18446744073709551619"], .contentLength),
        (["Content-Length: 18446744073709551620"], .contentLength),
        (["Content-Length: 184467440737095516160"], .contentLength),
        (["Content-Length: 99999999999999999999999"], .contentLength),
        (["Content-Length: 1", "Transfer-Encoding: chunked"], .bothLengths),
        (["Transfer-Encoding: chunked", "Content-Length: 0"], .bothLengths),
        (["Transfer-Encoding:"], .transferEncoding),
        (["Transfer-Encoding: identity"], .transferEncoding),
        (["Transfer-Encoding: xchunked"], .transferEncoding),
        (["Transfer-Encoding: chunked;a=b"], .transferEncoding),
        (["Transfer-Encoding: \"chunked\""], .transferEncoding),
        (["Transfer-Encoding: chunked, chunked"], .transferEncoding),
        (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], .transferEncoding),
        (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], .transferEncoding),
        (["Transfer-Encoding: chunked, gzip"], .transferEncoding),
        (["Transfer-Encoding: gzip"], .transferEncoding),
        (["Transfer-Encoding: ,chunked"], .unsupportedTransferCoding),
        (["Transfer-Encoding: gzip, chunked"], .unsupportedTransferCoding),
        (["Transfer-Encoding: GZIP,deflate ,compress, Chunked"], .unsupportedTransferCoding),
    ]

    @Test(arguments: Self.ambiguous)
    func `an ambiguous body length is rejected`(
        _ lines: [String],
        _ fault: MessageFault
    ) throws {
        let sample = try RequestSample(wire(["POST / HTTP/1.1", "Host: a"] + lines))
        #expect(throws: fault) { try sample.facts() }
    }

    @Test func `transfer codings are rejected in HTTP 1_0`() throws {
        #expect(throws: MessageFault.transferEncoding) {
            try Self.facts("Transfer-Encoding: chunked", version: "HTTP/1.0")
        }
        #expect(try Self.facts("Content-Length: 5", version: "HTTP/1.0").framing == .length(5))
    }

    @Test(arguments: [
        (wire("GET / HTTP/1.1"), true),
        (wire("GET / HTTP/1.1", "Host: a", "Host: a"), true),
        (wire("GET / HTTP/1.1", "Host: a", "HOST: b"), true),
        (wire("GET / HTTP/1.1", "Host: a, b"), true),
        (wire("GET / HTTP/1.1", "Host: a b"), true),
        (wire("GET / HTTP/1.1", "Host: u@a"), true),
        (wire("GET / HTTP/1.1", "Host: a/b"), true),
        (wire("GET http://a/ HTTP/1.1"), true),
        (wire("GET / HTTP/1.0", "Host: a", "Host: a"), true),
        (wire("GET / HTTP/1.1", "Host:"), false),
        (wire("GET / HTTP/1.1", "Host: a:80"), false),
        (wire("GET / HTTP/1.0"), false),
    ])
    func `a request with no host or several hosts is rejected`(_ text: String, _ isRefused: Bool)
        throws
    {
        let sample = try RequestSample(text)
        var fault: MessageFault?
        do throws(MessageFault) { _ = try sample.facts() } catch { fault = error }
        #expect(fault == (isRefused ? .host : nil))
    }

    @Test(arguments: [
        ("HTTP/1.1", [], true),
        ("HTTP/1.1", ["Connection: close"], false),
        ("HTTP/1.1", ["Connection: CLOSE"], false),
        ("HTTP/1.1", ["Connection: keep-alive, close"], false),
        ("HTTP/1.1", ["Connection: a,,\tclose\t,"], false),
        ("HTTP/1.1", ["Connection: a", "Connection: close"], false),
        ("HTTP/1.1", ["Connection: closed"], true),
        ("HTTP/1.1", ["Connection: keep-alive"], true),
        ("HTTP/1.1", ["Proxy-Connection: close"], true),
        ("HTTP/1.0", [], false),
        ("HTTP/1.0", ["Connection: Keep-Alive"], true),
        ("HTTP/1.0", ["Connection: keep-alive, close"], false),
        ("HTTP/1.0", ["Connection: close", "Connection: keep-alive"], false),
        ("HTTP/1.0", ["Proxy-Connection: keep-alive"], false),
        ("HTTP/1.2", [], true),
    ])
    func `keep-alive depends on the version and the Connection options`(
        _ version: String,
        _ lines: [String],
        _ keepsAlive: Bool
    ) throws {
        let sample = try RequestSample(wire(["GET / \(version)", "Host: a"] + lines))
        #expect(try sample.facts().keepsAlive == keepsAlive)
    }

    @Test(arguments: [
        ("HTTP/1.1", "100-continue", true),
        ("HTTP/1.1", "100-Continue", true),
        ("HTTP/1.1", "100-continue, x", false),
        ("HTTP/1.1", "200-ok", false),
        ("HTTP/1.1", "", false),
        ("HTTP/1.0", "100-continue", false),
    ])
    func `only HTTP 1_1 requests can expect a 100`(
        _ version: String,
        _ value: String,
        _ expects: Bool
    ) throws {
        let facts = try Self.facts("Expect: \(value)", "Content-Length: 1", version: version)
        #expect(facts.expectsContinue == expects)
    }

    @Test(arguments: [
        ("HTTP/1.1", ["Connection: Upgrade", "Upgrade: websocket"], true),
        ("HTTP/1.1", ["Connection: keep-alive, upgrade", "Upgrade: websocket"], true),
        ("HTTP/1.1", ["Upgrade: websocket"], false),
        ("HTTP/1.1", ["Connection: upgrade"], false),
        ("HTTP/1.0", ["Connection: upgrade", "Upgrade: websocket"], false),
        ("HTTP/1.1", ["Connection: upgrade", "Upgrade: websocket", "Content-Length: 1"], false),
        ("HTTP/1.1", ["Connection: upgrade", "Upgrade: websocket", "Content-Length: 0"], true),
        (
            "HTTP/1.1",
            ["Connection: upgrade", "Upgrade: websocket", "Transfer-Encoding: chunked"],
            false
        ),
    ])
    func `an upgrade needs both fields and no body`(
        _ version: String,
        _ lines: [String],
        _ offers: Bool
    ) throws {
        let sample = try RequestSample(wire(["GET / \(version)", "Host: a"] + lines))
        #expect(try sample.facts().offersUpgrade == offers)
    }

    private static let preflight = ["Origin: https://a", "Access-Control-Request-Method: PUT"]

    @Test(arguments: [
        ("OPTIONS", Self.preflight, true),
        ("OPTIONS", ["Origin: https://a"], false),
        ("OPTIONS", ["Access-Control-Request-Method: PUT"], false),
        ("GET", Self.preflight, false),
        ("options", Self.preflight, false),
        ("OPTIONS", Self.preflight + ["Content-Length: 0"], true),
        ("OPTIONS", Self.preflight + ["Content-Length: 1"], false),
        ("OPTIONS", Self.preflight + ["Transfer-Encoding: chunked"], false),
        ("OPTIONS", ["Upgrade: websocket"] + Self.preflight, false),
    ])
    func `a preflight is OPTIONS with an origin and a method`(
        _ method: String,
        _ lines: [String],
        _ isPreflight: Bool
    ) throws {
        let sample = try RequestSample(wire(["\(method) / HTTP/1.1", "Host: a"] + lines))
        #expect(try sample.facts().isPreflight == isPreflight)
    }

    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("OPTIONS", true), ("PUT", true), ("DELETE", true),
        ("TRACE", true), ("POST", false), ("PATCH", false), ("get", false), ("GETS", false),
        ("PURGE", false),
    ])
    func `only idempotent methods can be retried`(
        _ method: String,
        _ isIdempotent: Bool
    ) throws {
        let facts = try Self.facts(method: method)
        #expect(facts.isIdempotent == isIdempotent)
        #expect(facts.isHead == (method == "HEAD"))
    }

    @Test func `the line numbers of known fields are recorded`() throws {
        let sample = try RequestSample(
            wire(
                "GET / HTTP/1.1",
                "A: b",
                "Upgrade: x",
                "X-Request-Id: 1",
                "Host: h",
                "Origin: o",
                "X-Forwarded-For: f",
                "X-App-Version: 1",
                "X-Request-Id: 2",
                "Upgrade: y",
                "Origin: p",
                "X-Forwarded-For: g"
            )
        )
        let facts = try sample.facts()
        #expect(facts.upgradeLine == 1)
        #expect(facts.requestIDLine == 2)
        #expect(facts.hostLine == 3)
        #expect(facts.originLine == 4)
        #expect(facts.forwardedForLine == 5)
        #expect(facts.identityFields == 0b10)
    }

    @Test func `absent fields have no line number`() throws {
        let facts = try Self.facts("A: b")
        #expect(facts.upgradeLine == nil && facts.requestIDLine == nil && facts.originLine == nil)
        #expect(facts.forwardedForLine == nil && facts.identityFields == 0)
    }

    @Test(
        arguments: [
            ("TRACE", ["Max-Forwards: 0"], 0), ("OPTIONS", ["max-forwards: 7"], 7),
            ("TRACE", ["Max-Forwards: 007 "], 7), ("GET", ["Max-Forwards: 0"], nil),
            ("GET", ["Max-Forwards: a", "Max-Forwards: 0"], nil), ("TRACE", ["A: b"], nil),
        ] as [(String, [String], UInt64?)]
    )
    func `Max-Forwards applies only to TRACE and OPTIONS`(
        _ method: String,
        _ lines: [String],
        _ left: UInt64?
    ) throws {
        let sample = try RequestSample(wire(["\(method) / HTTP/1.1", "Host: a"] + lines))
        #expect(try sample.facts().forwardsLeft == left)
    }

    @Test(arguments: [20, 21, 400])
    func `a Max-Forwards value beyond the range remains large`(_ digits: Int) throws {
        let field = "Max-Forwards: " + String(repeating: "9", count: digits)
        let sample = try RequestSample(wire("TRACE / HTTP/1.1", "Host: a", field))
        #expect(try #require(sample.facts().forwardsLeft) > 1_000_000)
    }

    @Test(arguments: [
        ["Max-Forwards:"], ["Max-Forwards: -1"], ["Max-Forwards: +1"], ["Max-Forwards: 1 1"],
        ["Max-Forwards: 1, 1"], ["Max-Forwards: 1", "Max-Forwards: 1"], ["Max-Forwards: 0x1"],
    ])
    func `an invalid Max-Forwards is rejected`(_ lines: [String]) throws {
        let sample = try RequestSample(wire(["TRACE / HTTP/1.1", "Host: a"] + lines))
        #expect(throws: MessageFault.maxForwards) { try sample.facts() }
    }

    @Test func `Connection nominates only fields that have no meaning to the gate`() throws {
        let sample = try RequestSample(
            wire(
                "GET / HTTP/1.1",
                "Connection: x-ONE, close,, Host , x-app-version, content-length",
                "Connection: two",
                "X-One: 1",
                "TWO: 2",
                "Three: 3",
                "Host: a",
                "X-App-Version: 1",
                "Content-Length: 0"
            )
        )
        let facts = try sample.facts()
        let bytes = sample.bytes
        let nominated = sample.head.fields.lines.filter { line in
            facts.connection.nominates(line, in: bytes.span)
        }
        #expect(
            nominated.map { bytes.text(from: $0.start, to: $0.nameEnd) } == ["X-One", "TWO"]
        )
    }
}
