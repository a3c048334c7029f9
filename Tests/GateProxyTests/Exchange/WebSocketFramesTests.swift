import GateTestSupport
import Testing
import WireSamples

@testable import GateProxy

struct WebSocketFramesTests {
    private static func frame(_ length: Int, masked: Bool = false) -> [UInt8] {
        let mask: UInt8 = masked ? 0x80 : 0
        let header: [UInt8] =
            switch length {
            case 0..<126: [0x82, mask | UInt8(length)]
            case 126..<65_536: [0x82, mask | 126, UInt8(length >> 8), UInt8(length & 0xFF)]
            default:
                [0x82, mask | 127]
                    + (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
            }
        return header + (masked ? [1, 2, 3, 4] : []) + Array(repeating: 0x82, count: length)
    }

    @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000], [false, true])
    func `a frame ends according to its length`(_ length: Int, _ masked: Bool) {
        let frame = Self.frame(length, masked: masked)
        var frames = WebSocketFrames()
        #expect(frames.isBetweenFrames)
        #expect(frames.follow(frame.span.extracting(first: frame.count - 1)) == frame.count - 1)
        #expect(!frames.isBetweenFrames)
        #expect(frames.follow(frame.span.extracting(last: 1)) == 1)
        #expect(frames.isBetweenFrames)
    }

    @Test func `frames are followed wherever they are split`() {
        let lengths = [0, 3, 125, 126, 300, 0, 65_536, 1]
        let bytes = lengths.flatMap { Self.frame($0, masked: $0 % 2 == 0) }
        var ends: Set<Int> = [0]
        var end = 0
        for length in lengths {
            end += Self.frame(length, masked: length % 2 == 0).count
            ends.insert(end)
        }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            var frames = WebSocketFrames()
            var index = 0
            while index < bytes.count {
                let count = min(Int.random(in: 1...900, using: &random), bytes.count - index)
                _ = frames.follow(bytes.span.extracting(index..<index + count))
                index += count
                #expect(frames.isBetweenFrames == ends.contains(index))
            }
        }
    }

    @Test func `if requested, following stops at the first end of a frame`() {
        let bytes = Self.frame(10) + Self.frame(20)
        var frames = WebSocketFrames()
        _ = frames.follow(bytes.span.extracting(first: 5))
        let rest = Array(bytes[5...])
        #expect(frames.follow(rest.span, stopsBetweenFrames: true) == 7)
        #expect(frames.isBetweenFrames)
    }

    @Test func `after an invalid length, there is no position between frames`() {
        let bytes: [UInt8] = [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]
        var frames = WebSocketFrames()
        #expect(frames.follow(bytes.span) == bytes.count)
        #expect(!frames.isBetweenFrames)
        #expect(frames.follow(bytes.span, stopsBetweenFrames: true) == bytes.count)
        #expect(!frames.isBetweenFrames)
    }

    @Test func `a close frame has a code and a reason`() {
        #expect(WebSocketFrames.close(1008, "no") == [0x88, 4, 0x03, 0xF0, 0x6E, 0x6F])
    }

    @Test func `a client's close frame is masked`() {
        let masked: [UInt8] = [0x88, 0x85, 1, 2, 3, 4, 0x02, 0xEB, 0x61, 0x7D, 0x64]
        #expect(WebSocketFrames.close(1001, "bye", maskedBy: 0x0102_0304) == masked)
        var frames = WebSocketFrames()
        let bytes = WebSocketFrames.close(1001, "bye", maskedBy: 1)
        #expect(frames.follow(bytes.span) == bytes.count)
        #expect(frames.isBetweenFrames)
    }
}
