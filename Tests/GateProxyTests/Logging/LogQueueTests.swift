import NIOCore
import Testing

@testable import GateProxy

struct LogQueueTests {
    private func append(_ text: String, to queue: inout LogQueue, keeping reserve: Int = 0)
        -> LogQueue.AppendAction
    {
        let bytes = Array(text.utf8)
        return queue.append(bytes.span, keeping: reserve)
    }

    private func take(from queue: inout LogQueue) -> (LogQueue.TakeAction, String) {
        var batch = ByteBuffer(string: "left from before")
        let action = queue.take(into: &batch)
        return (action, action == .sleep ? "" : String(buffer: batch))
    }

    @Test func `the thread is woken once, and takes all lines in the queue`() {
        var queue = LogQueue(capacity: 100)
        #expect(self.append("a\n", to: &queue) == .wake)
        #expect(self.append("b\n", to: &queue) == .doNothing)
        #expect(self.take(from: &queue) == (.write(dropped: 0), "a\nb\n"))
        #expect(self.append("c\n", to: &queue) == .doNothing)
        #expect(self.take(from: &queue) == (.write(dropped: 0), "c\n"))
        #expect(self.take(from: &queue) == (.sleep, ""))
        #expect(self.append("d\n", to: &queue) == .wake)
        #expect(queue.dropped == 0)
    }

    @Test func `lines beyond the capacity are dropped, counted and reported once`() {
        var queue = LogQueue(capacity: 8)
        _ = self.append("123456\n", to: &queue)
        _ = self.append("a\nb\nc\n", to: &queue)
        #expect(queue.dropped == 3)
        // One byte is left.
        _ = self.append("\n", to: &queue)
        _ = self.append("d\n", to: &queue)
        #expect(self.take(from: &queue) == (.write(dropped: 4), "123456\n\n"))
        #expect(self.take(from: &queue) == (.sleep, ""))
        #expect(queue.dropped == 4)
    }

    @Test func `a line beyond the total capacity is reported`() {
        var queue = LogQueue(capacity: 4)
        #expect(self.append("12345\n", to: &queue) == .wake)
        #expect(self.take(from: &queue) == (.write(dropped: 1), ""))
        #expect(self.take(from: &queue) == (.sleep, ""))
    }

    @Test func `some lines keep a reserve free for others`() {
        var queue = LogQueue(capacity: 8)
        _ = self.append("1\n", to: &queue, keeping: 4)
        _ = self.append("2\n", to: &queue, keeping: 4)
        _ = self.append("3\n", to: &queue, keeping: 4)
        _ = self.append("4\n", to: &queue)
        #expect(self.take(from: &queue) == (.write(dropped: 1), "1\n2\n4\n"))
    }

    @Test func `lines that a log refused are reported with the next line`() {
        var queue = LogQueue(capacity: 100)
        _ = self.append("1\n2\n", to: &queue)
        #expect(self.take(from: &queue) == (.write(dropped: 0), "1\n2\n"))
        queue.refused(2, unreported: 0)
        #expect(self.take(from: &queue) == (.sleep, ""))
        #expect(self.append("3\n", to: &queue) == .wake)
        #expect(self.take(from: &queue) == (.write(dropped: 2), "3\n"))
        // Neither this line nor the report about the other two was written.
        queue.refused(1, unreported: 2)
        #expect(self.take(from: &queue) == (.sleep, ""))
        _ = self.append("4\n", to: &queue)
        #expect(self.take(from: &queue) == (.write(dropped: 3), "4\n"))
        #expect(queue.dropped == 3)
    }
}
