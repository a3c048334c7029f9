import Testing

@testable import GateProxy

struct HTTP2StreamAfterlifeTests {
    @Test func `frames of a stream that was never there mean something`() {
        var afterlife = HTTP2StreamAfterlife(most: 2)
        #expect(afterlife.passesOver(1, endsStream: false) == false)
    }

    @Test func `a client has a moment to end what was answered`() {
        var afterlife = HTTP2StreamAfterlife(most: 2)
        afterlife.linger(1)
        #expect(afterlife.passesOver(1, endsStream: false) == true)
        #expect(afterlife.passesOver(1, endsStream: true) == true)
        #expect(afterlife.passesOver(1, endsStream: false) == false)
        #expect(afterlife.endLingering(1) == false)
        afterlife.linger(3)
        #expect(afterlife.endLingering(3) == true)
        #expect(afterlife.endLingering(3) == false)
    }

    @Test func `the last resets are remembered, and no more of them`() {
        var afterlife = HTTP2StreamAfterlife(most: 2)
        for stream: UInt32 in [1, 3, 5] { afterlife.wasReset(stream) }
        #expect(afterlife.passesOver(1, endsStream: false) == false)
        #expect(afterlife.passesOver(3, endsStream: true) == true)
        #expect(afterlife.passesOver(3, endsStream: true) == true)
        #expect(afterlife.passesOver(5, endsStream: false) == true)
    }
}
