import NIOCore
import Testing
import WireSamples

@testable import GateWire

struct HTTP2StreamOutputTests {
    private func output(_ count: Int, window: Int) -> HTTP2StreamOutput {
        var output = HTTP2StreamOutput()
        output.begin(window: window)
        output.append(count)
        return output
    }

    @Test(arguments: [
        (bytes: 10, window: 100, limit: 100, written: 10),
        (bytes: 10, window: 4, limit: 100, written: 4),
        (bytes: 10, window: 100, limit: 3, written: 3),
        (bytes: 10, window: 0, limit: 100, written: 0),
        (bytes: 10, window: -5, limit: 100, written: 0),
        (bytes: 10, window: 100, limit: 0, written: 0),
        (bytes: 10, window: 100, limit: -1, written: 0),
        (bytes: 0, window: 100, limit: 100, written: 0),
        (bytes: 20_000, window: 100_000, limit: 100_000, written: 16_384),
    ])
    func `a frame is limited by the data, the window and the limit`(
        _ bytes: Int,
        _ window: Int,
        _ limit: Int,
        _ written: Int
    ) {
        var output = self.output(bytes, window: window)
        var out = ByteBuffer()
        #expect(output.writeData(atMost: limit, stream: 3, into: &out) == written)
        #expect(out.framesInShort == (written > 0 ? ["3: data \(written)"] : []))
        #expect(output.count == bytes - written)
        #expect(!output.hasEnded)
    }

    @Test func `the last bytes have END_STREAM if the end is known`() {
        var output = self.output(10, window: 15)
        output.end(trailers: nil)
        #expect(output.hasMore)
        var out = ByteBuffer()
        #expect(output.writeData(atMost: 4, stream: 1, into: &out) == 4)
        #expect(!output.hasEnded)
        #expect(output.writeData(atMost: 100, stream: 1, into: &out) == 6)
        #expect(output.hasEnded)
        #expect(!output.hasMore)
        #expect(out.framesInShort == ["1: data 4", "1: data 6 end"])
        var outbox = HTTP2Outbox()
        #expect(output.writeEnd(of: 1, into: &outbox) == false)
        #expect(outbox.frames.readableBytes == 0)
    }

    @Test(arguments: [
        (bytes: 10, waiting: 0, window: 10, limit: 10, isWritten: true),
        (bytes: 10, waiting: 0, window: 9, limit: 10, isWritten: false),
        (bytes: 10, waiting: 0, window: 10, limit: 9, isWritten: false),
        (bytes: 1, waiting: 0, window: 0, limit: 10, isWritten: false),
        (bytes: 1, waiting: 0, window: 10, limit: -5, isWritten: false),
        (bytes: 0, waiting: 0, window: 10, limit: 10, isWritten: false),
        (bytes: 1, waiting: 1, window: 10, limit: 10, isWritten: false),
        (bytes: 16_384, waiting: 0, window: 20_000, limit: 20_000, isWritten: true),
        (bytes: 16_385, waiting: 0, window: 20_000, limit: 20_000, isWritten: false),
    ])
    func `the last content is written at once if it fits into a frame and the windows`(
        _ bytes: Int,
        _ waiting: Int,
        _ window: Int,
        _ limit: Int,
        _ isWritten: Bool
    ) {
        var output = self.output(waiting, window: window)
        let content = [UInt8](repeating: 1, count: bytes)
        var out = ByteBuffer()
        let result = output.writeLast(content.span, atMost: limit, stream: 3, into: &out)
        #expect(result == isWritten)
        #expect(out.framesInShort == (isWritten ? ["3: data \(bytes) end"] : []))
        #expect(output.hasEnded == isWritten)
        #expect(output.count == waiting)
    }

    @Test func `a late end is a separate frame, sent once`() {
        var output = self.output(10, window: 10)
        var outbox = HTTP2Outbox()
        #expect(output.writeData(atMost: 100, stream: 1, into: &outbox.frames) == 10)
        #expect(output.writeEnd(of: 1, into: &outbox) == false)
        #expect(!output.hasMore)
        output.end(trailers: nil)
        #expect(output.hasMore)
        #expect(output.writeEnd(of: 1, into: &outbox) == true)
        #expect(output.writeEnd(of: 1, into: &outbox) == false)
        #expect(outbox.frames.framesInShort == ["1: data 10", "1: data 0 end"])
    }

    @Test func `trailers end the stream instead of the last bytes`() {
        var output = self.output(10, window: 10)
        output.end(trailers: ByteBuffer(bytes: [0x88]))
        var outbox = HTTP2Outbox()
        #expect(output.writeData(atMost: 100, stream: 1, into: &outbox.frames) == 10)
        #expect(!output.hasEnded)
        #expect(output.writeEnd(of: 1, into: &outbox) == true)
        // The first byte of the block sets the size of the dynamic table to zero.
        #expect(outbox.frames.framesInShort == ["1: data 10", "1: headers 2 end"])
    }

    @Test func `the output is full at its limit until data is sent`() {
        var output = self.output(HTTP2StreamOutput.limit - 1, window: 10)
        #expect(output.hasRoom)
        output.append(1)
        #expect(!output.hasRoom)
        var out = ByteBuffer()
        #expect(output.writeData(atMost: .max, stream: 1, into: &out) == 10)
        #expect(output.hasRoom)
    }

    @Test(arguments: [1000, 16_384, 40_000])
    func `sent bytes are released, even if the output is never empty`(_ piece: Int) {
        var output = self.output(1, window: HTTP2SendWindow.largest)
        for _ in 0..<2000 {
            output.append(piece)
            var left = piece
            while left > 0 {
                var out = ByteBuffer()
                left -= output.writeData(atMost: left, stream: 1, into: &out)
            }
        }
        #expect(output.count == 1)
        #expect(output.capacity <= 4 * HTTP2StreamOutput.limit)
    }

    @Test(arguments: [(1000, true), (100_000, false)])
    func `only a small buffer is kept for the next exchange`(
        _ bytes: Int,
        _ isKept: Bool
    ) {
        var output = self.output(bytes, window: bytes)
        output.drop()
        #expect(output.isEmpty)
        #expect((output.capacity >= bytes) == isKept)
    }

    @Test func `a new exchange starts without the previous one's data`() {
        var output = self.output(10, window: 0)
        output.end(trailers: nil)
        output.begin(window: 5)
        #expect(output.isEmpty)
        #expect(!output.hasMore)
        output.append(7)
        var out = ByteBuffer()
        #expect(output.writeData(atMost: .max, stream: 1, into: &out) == 5)
        #expect(out.framesInShort == ["1: data 5"])
    }
}
