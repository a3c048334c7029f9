import GateWire
import Testing

@testable import GateProxy

struct ClosedStreamTrackerTests {
    @Test func `frames for an unknown stream are not ignored`() throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        #expect(try closedStreams.passesOver(.data(0, length: 0), of: 1, isLast: false) == false)
    }

    @Test func `a client may end a request that has its response`() throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        closedStreams.unfinished[1] = .sample(length: nil)
        #expect(try closedStreams.passesOver(.data(9, length: 9), of: 1, isLast: false) == true)
        #expect(try closedStreams.passesOver(.data(9, length: 9), of: 1, isLast: true) == true)
        #expect(try closedStreams.passesOver(.data(0, length: 0), of: 1, isLast: false) == false)
        #expect(closedStreams.unfinished.isEmpty)
    }

    /// A client with an early response does not need to send the rest.
    private static let bodies: [(pieces: [Int], isGood: Bool)] = [
        ([4], true), ([1, 3], true), ([0, 4, 0], true), ([5], false), ([2, 3], false), ([3], true),
        ([], true), ([0], true),
    ]

    @Test(arguments: bodies)
    func `a body whose request has its response may not exceed its announced length`(
        _ body: (pieces: [Int], isGood: Bool)
    ) {
        var closedStreams = ClosedStreamTracker(most: 2)
        closedStreams.unfinished[1] = .sample(length: AnnouncedLength(4))
        let result = Result { () throws(HTTP2ErrorCode) in
            for count in body.pieces {
                _ = try closedStreams.passesOver(.data(count, length: count), of: 1, isLast: false)
            }
            return try closedStreams.passesOver(.data(0, length: 0), of: 1, isLast: true)
        }
        #expect(result == (body.isGood ? .success(true) : .failure(.protocolError)))
    }

    @Test(arguments: [nil, AnnouncedLength(0), AnnouncedLength(4)])
    func `trailers end a request that has its response`(_ length: AnnouncedLength?) throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        closedStreams.unfinished[1] = .sample(length: length)
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

    @Test func `a stream that was reset has ended, whatever its announced length`() throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        closedStreams.unfinished[1] = .sample(length: AnnouncedLength(4))
        closedStreams.wasReset(1)
        #expect(try closedStreams.passesOver(.data(9, length: 9), of: 1, isLast: true) == true)
        #expect(closedStreams.unfinished.isEmpty)
    }

    @Test func `only the last resets are remembered`() throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        for stream: UInt32 in [1, 3, 5] { closedStreams.wasReset(stream) }
        #expect(try closedStreams.passesOver(.data(0, length: 0), of: 1, isLast: false) == false)
        #expect(try closedStreams.passesOver(.data(0, length: 0), of: 3, isLast: true) == true)
        #expect(try closedStreams.passesOver(.data(0, length: 0), of: 3, isLast: true) == true)
        #expect(try closedStreams.passesOver(.data(0, length: 0), of: 5, isLast: false) == true)
    }

    @Test func `a client that exceeds its flow-control window violates the protocol`() throws {
        var closedStreams = ClosedStreamTracker(most: 2)
        closedStreams.unfinished[1] = .sample(length: nil, room: 10)
        #expect(try closedStreams.passesOver(.data(8, length: 10), of: 1, isLast: false) == true)
        #expect(throws: HTTP2ErrorCode.flowControlError) {
            try closedStreams.passesOver(.data(0, length: 1), of: 1, isLast: false)
        }
    }
}
