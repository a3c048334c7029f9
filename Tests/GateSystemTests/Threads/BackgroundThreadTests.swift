import Dispatch
import Glibc
import Synchronization
import Testing

@testable import GateSystem

struct BackgroundThreadTests {
    private struct Fault: Error {}

    /// How far the calling thread stands back.
    private static func niceness() -> CInt {
        getpriority(CInt(PRIO_PROCESS.rawValue), 0)
    }

    @Test func `work is done on a thread that stands back, and only there`() async {
        let before = Self.niceness()
        let niceness = await BackgroundThread.reloads.run { Self.niceness() }
        #expect(niceness == min(19, before + BackgroundThread.niceness))
        #expect(Self.niceness() <= before)
    }

    @Test func `what goes wrong is thrown to whoever asked for it`() async {
        await #expect(throws: Fault.self) {
            try await BackgroundThread.reloads.run { () throws(Fault) -> Int in throw Fault() }
        }
    }

    /// How many pieces of work are under way, and were at most.
    private final class Tally: Sendable {
        let underWay = Mutex(0)
        let most = Mutex(0)

        func work() {
            let now = self.underWay.withLock { count in
                count += 1
                return count
            }
            self.most.withLock { $0 = max($0, now) }
            for _ in 0..<100 { sched_yield() }
            self.underWay.withLock { $0 -= 1 }
        }
    }

    @Test func `one piece of work is done after the other`() async {
        let tally = Tally()
        let pieces = (0..<50).map { _ in
            Task { await BackgroundThread.reloads.run { tally.work() } }
        }
        for piece in pieces { await piece.value }
        #expect(tally.most.withLock(\.self) == 1)
    }

    @Test func `a reload does not wait for what is read of the records`() async {
        let isOver = DispatchSemaphore(value: 0)
        BackgroundThread.records.add { isOver.wait() }
        #expect(await BackgroundThread.reloads.run { true })
        isOver.signal()
    }

    @Test func `a value that is let go of ends on that thread, and soon`() async {
        final class Relic: Sendable {
            let end: @Sendable (CInt) -> Void
            init(_ end: @escaping @Sendable (CInt) -> Void) { self.end = end }
            deinit { self.end(BackgroundThreadTests.niceness()) }
        }
        let before = Self.niceness()
        let (ends, end) = AsyncStream<CInt>.makeStream()
        BackgroundThread.reloads.release(Relic { end.yield($0) })
        for await niceness in ends {
            #expect(niceness > before || before == 19)
            break
        }
    }
}
