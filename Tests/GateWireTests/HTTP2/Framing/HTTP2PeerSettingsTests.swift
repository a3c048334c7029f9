import NIOCore
import Testing

@testable import GateWire

struct HTTP2PeerSettingsTests {
    private static func payload(_ settings: (UInt16, UInt32)...) -> ByteBuffer {
        var payload = ByteBuffer()
        for (name, value) in settings { payload.writeMultipleIntegers(name, value) }
        return payload
    }

    @Test func `empty SETTINGS change nothing`() throws {
        var settings = HTTP2PeerSettings(isClient: true)
        #expect(try settings.apply(ByteBuffer()) == 0)
        #expect(settings == HTTP2PeerSettings(isClient: true))
    }

    @Test func `the window changes by the difference from the last value`() throws {
        var settings = HTTP2PeerSettings(isClient: true)
        #expect(try settings.apply(Self.payload((4, 10), (4, 70_000))) == 70_000 - 65_535)
        #expect(try settings.apply(Self.payload((4, 0))) == -70_000)
        #expect(settings.initialWindow == 0)
    }

    @Test func `a peer can limit the number of streams`() throws {
        var settings = HTTP2PeerSettings(isClient: false)
        #expect(settings.maxStreams == nil)
        _ = try settings.apply(Self.payload((3, 0)))
        #expect(settings.maxStreams == 0)
    }

    @Test(
        arguments: [
            (true, 2, 0, nil), (true, 2, 1, nil), (true, 2, 2, HTTP2ErrorCode.protocolError),
            (false, 2, 0, nil), (false, 2, 1, .protocolError),
            (true, 4, 0x7FFF_FFFF, nil), (true, 4, 0x8000_0000, .flowControlError),
            (true, 5, 16_383, .protocolError), (true, 5, 16_384, nil),
            (true, 5, 0xFF_FFFF, nil), (true, 5, 0x100_0000, .protocolError),
            (true, 99, 0xFFFF_FFFF, nil),
        ] as [(Bool, UInt16, UInt32, HTTP2ErrorCode?)]
    )
    func `values out of range are rejected`(
        _ isClient: Bool,
        _ name: UInt16,
        _ value: UInt32,
        _ fault: HTTP2ErrorCode?
    ) {
        var settings = HTTP2PeerSettings(isClient: isClient)
        let thrown: HTTP2ErrorCode?
        do throws(HTTP2ErrorCode) {
            _ = try settings.apply(Self.payload((name, value)))
            thrown = nil
        } catch {
            thrown = error
        }
        #expect(thrown == fault)
    }

    @Test func `an incomplete setting is rejected`() {
        var settings = HTTP2PeerSettings(isClient: true)
        #expect(throws: HTTP2ErrorCode.frameSizeError) {
            try settings.apply(ByteBuffer(bytes: [0]))
        }
    }
}
