import GateWire
import Testing

@testable import GateProxy

struct ClosedStreamTrackerTests {
    @Test func `frames of a stream that was never there mean something`() throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        #expect(try closedStreams.passesOver(.data(0), of: 1, isLast: false) == false)
    }

    @Test func `a client has a moment to end what was answered`() throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        closedStreams.linger(1, length: nil)
        #expect(try closedStreams.passesOver(.data(9), of: 1, isLast: false) == true)
        #expect(try closedStreams.passesOver(.data(9), of: 1, isLast: true) == true)
        #expect(try closedStreams.passesOver(.data(0), of: 1, isLast: false) == false)
        #expect(closedStreams.endLingering(1) == false)
        closedStreams.linger(3, length: nil)
        #expect(closedStreams.endLingering(3) == true)
        #expect(closedStreams.endLingering(3) == false)
    }

    /// A client that has its answer need not send the rest.
    private static let bodies: [(pieces: [Int], isGood: Bool)] = [
        ([4], true), ([1, 3], true), ([0, 4, 0], true), ([5], false), ([2, 3], false), ([3], true),
        ([], true), ([0], true),
    ]

    @Test(arguments: bodies)
    func `a body that is answered already has no more bytes than were announced`(
        _ body: (pieces: [Int], isGood: Bool)
    ) {
        var closedStreams = ClosedStreamTracker(most: 2)
        closedStreams.linger(1, length: AnnouncedLength(4))
        let result = Result { () throws(HTTP2ErrorCode) in
            for count in body.pieces {
                _ = try closedStreams.passesOver(.data(count), of: 1, isLast: false)
            }
            return try closedStreams.passesOver(.data(0), of: 1, isLast: true)
        }
        #expect(result == (body.isGood ? .success(true) : .failure(.protocolError)))
    }

    @Test(arguments: [nil, AnnouncedLength(0), AnnouncedLength(4)])
    func `trailers end what was answered`(_ length: AnnouncedLength?) throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        closedStreams.linger(1, length: length)
        for (isSection, isLast) in [(true, false), (false, true), (false, false)] {
            #expect(throws: HTTP2ErrorCode.protocolError) {
                let trailers = ClosedStreamTracker.Frame.trailers(isSection: isSection)
                return try closedStreams.passesOver(trailers, of: 1, isLast: isLast)
            }
        }
        let trailers = ClosedStreamTracker.Frame.trailers(isSection: true)
        #expect(try closedStreams.passesOver(trailers, of: 1, isLast: true) == true)
        #expect(try closedStreams.passesOver(trailers, of: 1, isLast: true) == false)
    }

    @Test func `a stream that was reset is over, whatever length it had`() throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        closedStreams.linger(1, length: AnnouncedLength(4))
        closedStreams.wasReset(1)
        #expect(try closedStreams.passesOver(.data(9), of: 1, isLast: true) == true)
        #expect(closedStreams.endLingering(1) == false)
    }

    @Test func `the last resets are remembered, and no more of them`() throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        for stream: UInt32 in [1, 3, 5] { closedStreams.wasReset(stream) }
        #expect(try closedStreams.passesOver(.data(0), of: 1, isLast: false) == false)
        #expect(try closedStreams.passesOver(.data(0), of: 3, isLast: true) == true)
        #expect(try closedStreams.passesOver(.data(0), of: 3, isLast: true) == true)
        #expect(try closedStreams.passesOver(.data(0), of: 5, isLast: false) == true)
    }
}
