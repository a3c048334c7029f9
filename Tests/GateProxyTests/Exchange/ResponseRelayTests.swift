import GateWire
import NIOCore
import Testing
import WireSamples

@testable import GateProxy

struct ResponseRelayTests {
    /// Returns an HTTP/1.1 response head, and what follows from it.
    private static func read(_ lines: [String]) throws -> (ResponseHead, ResponseFacts) {
        var parser = ResponseHeadParser()
        let bytes = Array(wire(lines).utf8)
        #expect(parser.parse(bytes.span) == .complete)
        let head = parser.head
        return (head, try ResponseFacts(head, in: bytes.span, answersHead: false))
    }

    @Test(
        arguments: [
            (["HTTP/1.1 200 OK", "Content-Length: 3"], ResponseRelay.Framing.asReceived),
            (["HTTP/1.1 204 No Content"], .asReceived),
            (["HTTP/1.1 200 OK"], .untilClose),
            (["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"], .asReceived),
        ],
        [false, true]
    )
    func `an HTTP/1 1 response keeps its framing, but has no chunks for HTTP/1 0`(
        _ sample: ([String], ResponseRelay.Framing),
        _ isHTTP10: Bool
    ) throws {
        var relay = ResponseRelay()
        relay.begin(isHead: false, isHTTP10: isHTTP10)
        let (head, facts) = try Self.read(sample.0)
        let isDechunked = isHTTP10 && facts.framing == .chunked
        let framing = relay.framing(of: head, facts: facts)
        #expect(framing == (isDechunked ? .dechunked : sample.1))
        #expect(framing.endsByClose == (isDechunked || sample.1 == .untilClose))
    }

    @Test(
        arguments: [
            ([(":status", "200"), ("content-length", "3")], ResponseRelay.Framing.asReceived),
            ([(":status", "200")], .chunked), ([(":status", "304")], .asReceived),
        ],
        [false, true]
    )
    func `an HTTP/2 response without a length is sent in chunks`(
        _ sample: ([(String, String)], ResponseRelay.Framing),
        _ isHTTP10: Bool
    ) throws {
        var relay = ResponseRelay()
        relay.begin(isHead: false, isHTTP10: isHTTP10)
        var list = try HeaderList(sample.0)
        var head = ResponseHead()
        _ = try HTTP2ResponseHead.read(
            &list,
            endsStream: false,
            answersHead: false,
            limits: .defaults,
            into: &head
        )
        let facts = try ResponseFacts(head, in: list.bytes.span, answersHead: false)
        let isDechunked = isHTTP10 && sample.1 == .chunked
        #expect(relay.framing(of: head, facts: facts) == (isDechunked ? .dechunked : sample.1))
    }

    @Test func `a request waits until its response starts, and is counted once`() {
        var relay = ResponseRelay()
        #expect(!relay.isPending)
        #expect(relay.endPending() == false)
        #expect(relay.beginPending() == true)
        #expect(relay.isPending)
        // Another address is tried.
        #expect(relay.beginPending() == false)
        #expect(relay.endPending() == true)
        #expect(relay.endPending() == false)
        relay.relay(.chunked, upstreamKeepsAlive: true)
        #expect(!relay.isPending)
        #expect(relay.endPending() == false)
        #expect(relay.framing == .chunked)
        #expect(relay.upstreamKeepsAlive)
    }

    @Test func `nothing is known about a response's end before it starts`() {
        var relay = ResponseRelay()
        #expect(relay.framing == .asReceived)
        #expect(!relay.upstreamKeepsAlive)
        _ = relay.beginPending()
        #expect(relay.framing == .asReceived)
        #expect(!relay.upstreamKeepsAlive)
    }

    @Test func `a held response is written once`() {
        var relay = ResponseRelay()
        #expect(relay.takeHeld() == nil)
        let answer = RenderedAnswer(.badGateway)
        relay.hold(answer)
        #expect(!relay.isPending)
        #expect(relay.takeHeld() == answer)
        #expect(relay.takeHeld() == nil)
    }
}
