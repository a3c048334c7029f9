import Testing

@testable import GateProxy

struct WebSocketRelayTests {
    /// The start and the end of a text frame of five bytes.
    private static let frameStart: [UInt8] = [0x81, 5, 0x68]
    private static let frameEnd: [UInt8] = [0x65, 0x6C, 0x6C, 0x6F]

    @Test func `all bytes pass in both directions until the WebSocket is revoked`() {
        var relay = WebSocketRelay()
        #expect(relay.receiveFromBackend(Self.frameStart.span) == 3)
        #expect(relay.receiveFromBackend(Self.frameEnd.span) == 4)
        relay.receiveFromClient(Self.frameStart.span)
        #expect(!relay.mayCloseBackend)
        relay.receiveFromClient(Self.frameEnd.span)
        #expect(relay.mayCloseBackend)
        #expect(relay.closeFrame == nil)
    }

    @Test(
        arguments: [
            (WebSocketRelay.Revocation.upgrade, UInt16(1008)), (.brownout, 1013),
            (.maintenance, 1013), (.shutdown, 1001),
        ]
    )
    func `a close frame follows the frame that the backend is sending`(
        _ revocation: WebSocketRelay.Revocation,
        _ code: UInt16
    ) throws {
        var relay = WebSocketRelay()
        _ = relay.receiveFromBackend(Self.frameStart.span)
        relay.revoke(revocation)
        #expect(relay.closeFrame == nil)
        let rest = Self.frameEnd + Self.frameStart
        #expect(relay.receiveFromBackend(rest.span) == Self.frameEnd.count)
        let frame = try #require(relay.closeFrame)
        #expect(frame[0] == 0x88)
        #expect(UInt16(frame[2]) << 8 | UInt16(frame[3]) == code)
    }

    @Test(arguments: WebSocketRelay.Revocation.allCases)
    func `between two frames, a WebSocket is closed at once`(
        _ revocation: WebSocketRelay.Revocation
    ) {
        var relay = WebSocketRelay()
        relay.revoke(revocation)
        #expect(relay.closeFrame != nil)
    }
}
