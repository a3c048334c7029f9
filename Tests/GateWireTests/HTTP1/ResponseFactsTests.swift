import Testing
import WireSamples

@testable import GateWire

struct ResponseFactsTests {
    private static func sample(
        _ lines: [String],
        status: Int = 200,
        version: String = "HTTP/1.1"
    ) throws -> ResponseSample {
        try ResponseSample(wire(["\(version) \(status) X"] + lines))
    }

    @Test(
        arguments: [
            (200, [], .untilClose),
            (200, ["Content-Length: 0"], .none),
            (200, ["Content-Length: 12"], .length(12)),
            (200, ["Transfer-Encoding: chunked"], .chunked),
            (404, ["Content-Length: 12"], .length(12)),
            (205, [], .untilClose),
            (100, ["Content-Length: 12"], .none),
            (101, ["Transfer-Encoding: chunked"], .none),
            (103, [], .none),
            (199, [], .none),
            (204, ["Content-Length: 12"], .none),
            (204, ["Transfer-Encoding: chunked"], .none),
            (304, ["Content-Length: 12"], .none),
            (304, [], .none),
            (999, [], .untilClose),
        ] as [(Int, [String], BodyFraming)]
    )
    func `the framing of a body follows RFC 9112 6_3`(
        _ status: Int,
        _ lines: [String],
        _ framing: BodyFraming
    ) throws {
        let sample = try Self.sample(lines, status: status)
        #expect(try sample.facts().framing == framing)
        #expect(try sample.facts(answersHead: true).framing == .none)
    }

    @Test(
        arguments: [
            (["Content-Length: 1", "Content-Length: 1"], .contentLength),
            (["Content-Length: 1, 1"], .contentLength),
            (["Content-Length: -1"], .contentLength),
            (["Content-Length: 18446744073709551616"], .contentLength),
            (["Content-Length: 1", "Transfer-Encoding: chunked"], .bothLengths),
            (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], .transferEncoding),
            (["Transfer-Encoding: identity"], .transferEncoding),
            (["Transfer-Encoding: gzip, chunked"], .unsupportedTransferCoding),
        ] as [([String], MessageFault)]
    )
    func `an ambiguous length is rejected, even without a body`(
        _ lines: [String],
        _ fault: MessageFault
    ) throws {
        for status in [200, 304] {
            let sample = try Self.sample(lines, status: status)
            #expect(throws: fault) { try sample.facts() }
            #expect(throws: fault) { try sample.facts(answersHead: true) }
        }
    }

    @Test func `transfer codings are rejected in HTTP 1_0`() throws {
        let sample = try Self.sample(["Transfer-Encoding: chunked"], version: "HTTP/1.0")
        #expect(throws: MessageFault.transferEncoding) { try sample.facts() }
    }

    @Test(arguments: [
        ("HTTP/1.1", [], true),
        ("HTTP/1.1", ["Connection: close"], false),
        ("HTTP/1.1", ["Connection: x, Close"], false),
        ("HTTP/1.0", [], false),
        ("HTTP/1.0", ["Connection: keep-alive"], true),
        ("HTTP/1.0", ["Connection: keep-alive", "Connection: close"], false),
    ])
    func `keep-alive depends on the version and the Connection options`(
        _ version: String,
        _ lines: [String],
        _ keepsAlive: Bool
    ) throws {
        let sample = try Self.sample(lines, version: version)
        #expect(try sample.facts().keepsAlive == keepsAlive)
    }

    @Test func `the first Upgrade line counts`() throws {
        let sample = try Self.sample(["A: b", "Upgrade: c", "upgrade: d"], status: 101)
        #expect(try sample.facts().upgradeLine == 1)
        #expect(try Self.sample([]).facts().upgradeLine == nil)
    }
}
