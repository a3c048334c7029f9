import Testing

@testable import GateProxy

struct ClosedStreamTrackerTests {
    @Test func `frames of a stream that was never there mean something`() {
        var closedStreams = ClosedStreamTracker(most: 2)
        #expect(closedStreams.passesOver(1, endsStream: false) == false)
    }

    @Test func `a client has a moment to end what was answered`() {
        var closedStreams = ClosedStreamTracker(most: 2)
        closedStreams.linger(1)
        #expect(closedStreams.passesOver(1, endsStream: false) == true)
        #expect(closedStreams.passesOver(1, endsStream: true) == true)
        #expect(closedStreams.passesOver(1, endsStream: false) == false)
        #expect(closedStreams.endLingering(1) == false)
        closedStreams.linger(3)
        #expect(closedStreams.endLingering(3) == true)
        #expect(closedStreams.endLingering(3) == false)
    }

    @Test func `the last resets are remembered, and no more of them`() {
        var closedStreams = ClosedStreamTracker(most: 2)
        for stream: UInt32 in [1, 3, 5] { closedStreams.wasReset(stream) }
        #expect(closedStreams.passesOver(1, endsStream: false) == false)
        #expect(closedStreams.passesOver(3, endsStream: true) == true)
        #expect(closedStreams.passesOver(3, endsStream: true) == true)
        #expect(closedStreams.passesOver(5, endsStream: false) == true)
    }
}
