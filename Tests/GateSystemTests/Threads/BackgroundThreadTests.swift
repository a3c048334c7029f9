import Dispatch
import Glibc
import Synchronization
import Testing

@testable import GateSystem

struct BackgroundThreadTests {
    private struct Fault: Error {}

    /// The gate's threads are shared with all other suites, whose reloads would wait for these jobs.
    private let thread = BackgroundThread()

    /// The nice value of the calling thread.
    private static func niceness() -> CInt {
        getpriority(CInt(PRIO_PROCESS.rawValue), 0)
    }

    @Test func `work runs on a thread with lower priority`() async {
        let before = Self.niceness()
        let niceness = await self.thread.run { Self.niceness() }
        #expect(niceness == min(19, before + BackgroundThread.niceness))
        #expect(Self.niceness() <= before)
    }

    @Test func `an error is thrown to the caller`() async {
        await #expect(throws: Fault.self) {
            try await self.thread.run { () throws(Fault) -> Int in throw Fault() }
        }
    }

    /// The current and the maximum number of concurrent jobs.
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

    @Test func `jobs run one after another`() async {
        let tally = Tally()
        let pieces = (0..<50).map { _ in
            Task { await self.thread.run { tally.work() } }
        }
        for piece in pieces { await piece.value }
        #expect(tally.most.withLock(\.self) == 1)
    }

    @Test func `a reload does not wait for jobs on the records thread`() async {
        let isOver = DispatchSemaphore(value: 0)
        BackgroundThread.records.add { isOver.wait() }
        #expect(await BackgroundThread.reloads.run { true })
        isOver.signal()
    }

    @Test func `a released value is deallocated on the background thread`() async {
        final class Relic: Sendable {
            let end: @Sendable (CInt) -> Void
            init(_ end: @escaping @Sendable (CInt) -> Void) { self.end = end }
            deinit { self.end(BackgroundThreadTests.niceness()) }
        }
        let before = Self.niceness()
        let (ends, end) = AsyncStream<CInt>.makeStream()
        self.thread.release(Relic { end.yield($0) })
        for await niceness in ends {
            #expect(niceness > before || before == 19)
            break
        }
    }
}
