import NIOCore
import Testing
import WireSamples

@testable import GateWire

struct HTTP2OutboxTests {
    @Test func `a flush is scheduled once`() {
        var outbox = HTTP2Outbox()
        #expect(outbox.needsFlush() == true)
        #expect(outbox.needsFlush() == false)
        outbox.flushStarted()
        #expect(outbox.needsFlush() == true)
    }

    @Test func `no flush is scheduled while frames are read`() {
        var outbox = HTTP2Outbox()
        outbox.hold()
        #expect(outbox.needsFlush() == false)
        outbox.release()
        #expect(outbox.needsFlush() == true)
    }

    @Test func `taken frames are removed`() {
        var outbox = HTTP2Outbox()
        #expect(outbox.take() == nil)
        outbox.acknowledgeSettings()
        #expect(outbox.take()?.framesInShort == ["0: other 0 end"])
        #expect(outbox.take() == nil)
    }

    @Test(arguments: [(100, true), (2 * HTTP2Outbox.size, true), (4 * HTTP2Outbox.size, false)])
    func `a small buffer is reused, a large one is not`(_ count: Int, _ isReused: Bool) {
        var outbox = HTTP2Outbox()
        outbox.frames.writeRepeatingByte(0, count: count)
        guard var bytes = outbox.take() else { return #expect(Bool(false)) }
        outbox.reuse(&bytes)
        #expect(outbox.frames.readableBytes == 0)
        #expect((outbox.frames.capacity >= count) == isReused)
    }

    @Test func `frames written in the meantime survive the reuse of a buffer`() {
        var outbox = HTTP2Outbox()
        outbox.acknowledgeSettings()
        guard var bytes = outbox.take() else { return #expect(Bool(false)) }
        outbox.answerPing(ByteBuffer(repeating: 0, count: 8))
        outbox.reuse(&bytes)
        #expect(outbox.take()?.framesInShort == ["0: other 8 end"])
    }

    @Test func `only the first header section sets the table size`() {
        var outbox = HTTP2Outbox()
        for stream: UInt32 in [1, 3] {
            outbox.writeHeaders(stream: stream, endsStream: stream == 3, fields: 1, bytes: 0) {
                HPACKWriter.writeIndexed(2, into: &$0)
            }
        }
        #expect(outbox.take()?.framesInShort == ["1: headers 2", "3: headers 1 end"])
    }

    @Test func `the outbox is full at its size`() {
        var outbox = HTTP2Outbox()
        outbox.frames.writeRepeatingByte(0, count: HTTP2Outbox.size - 1)
        #expect(!outbox.isFull)
        outbox.frames.writeRepeatingByte(0, count: 1)
        #expect(outbox.isFull)
    }
}
