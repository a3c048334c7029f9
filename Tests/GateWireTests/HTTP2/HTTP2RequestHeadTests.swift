import Testing
import WireSamples

@testable import GateWire

/// CONNECT for a WebSocket (RFC 8441), converted to the equivalent handshake.
struct HTTP2RequestHeadTests {
    private typealias Field = (String, String)

    private static let start: [Field] = [
        (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "https"),
        (":path", "/chat?a=b"), (":authority", "a"),
    ]

    private struct Reading {
        var head = RequestHead()
        var list: HeaderList
        var body: HTTP2RequestHead.Body?
        var fault: HTTP2RequestHead.Fault?

        init(_ fields: [Field], endsStream: Bool = false) throws {
            self.list = try HeaderList(fields, names: .request(identityHeaderNames: []))
            do throws(HTTP2RequestHead.Fault) {
                self.body = try HTTP2RequestHead.read(
                    &self.list,
                    endsStream: endsStream,
                    limits: .defaults,
                    into: &self.head
                )
            } catch {
                self.fault = error
            }
        }
    }

    @Test(arguments: [
        (0, "GET"), (0, "connect"), (1, ""), (1, "web socket"), (2, "wss"), (3, ""), (3, "*"),
        (3, "chat"), (4, ""),
    ])
    func `a pseudo-header with an invalid value is malformed`(_ place: Int, _ value: String) throws
    {
        var fields = Self.start
        fields[place].1 = value
        #expect(try Reading(fields).fault == .malformed)
    }

    @Test(arguments: [2, 3])
    func `scheme and path are required`(_ place: Int) throws {
        var fields = Self.start
        fields.remove(at: place)
        #expect(try Reading(fields).fault == .malformed)
    }

    @Test(arguments: [
        (":protocol", "websocket"), ("connection", "upgrade"), ("upgrade", "websocket"),
        ("content-length", "0"), ("transfer-encoding", "chunked"),
    ])
    func `a field that is not allowed in CONNECT is malformed`(_ name: String, _ value: String)
        throws
    {
        #expect(try Reading(Self.start + [(name, value)]).fault == .malformed)
    }

    @Test(arguments: ["connect-udp", "webtransport", "websockets"])
    func `another protocol is refused`(_ name: String) throws {
        var fields = Self.start
        fields[1].1 = name
        #expect(try Reading(fields).fault == .refused(.unsupportedProtocol))
    }

    @Test func `CONNECT to an authority is refused`() throws {
        let fields = [Self.start[0], Self.start[4]]
        #expect(try Reading(fields).fault == .refused(.unsupportedMethod))
    }
}
