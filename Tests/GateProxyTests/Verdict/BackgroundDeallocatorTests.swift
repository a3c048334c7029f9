import Synchronization
import Testing

@testable import GateProxy

struct BackgroundDeallocatorTests {
    /// Counts the instances that are not deallocated yet.
    private final class DeallocationCounter: Sendable {
        private let alive: Alive

        init(_ alive: Alive) {
            self.alive = alive
            alive.count.add(1, ordering: .relaxed)
        }

        deinit {
            self.alive.count.subtract(1, ordering: .relaxed)
        }
    }

    private final class Alive: Sendable {
        let count = Atomic(0)
        var current: Int { self.count.load(ordering: .relaxed) }
    }

    /// Work that runs when the test decides.
    private final class Queue: Sendable {
        private let works = Mutex<[BackgroundDeallocator.Work]>([])

        func add(_ work: @escaping BackgroundDeallocator.Work) {
            self.works.withLock { $0.append(work) }
        }

        func take() -> [BackgroundDeallocator.Work] {
            self.works.withLock { works in
                defer { works = [] }
                return works
            }
        }
    }

    @Test func `values that wait for deallocation do not accumulate`() {
        let (alive, queue) = (Alive(), Queue())
        let disposal = BackgroundDeallocator { queue.add($0) }
        for _ in 0..<10 { disposal.dispose(of: DeallocationCounter(alive)) }
        #expect(alive.current == BackgroundDeallocator.room)
        // Running the work deallocates the values; releasing the work does not.
        let works = queue.take()
        for work in works { work() }
        #expect(works.count == BackgroundDeallocator.room && alive.current == 0)
        disposal.dispose(of: DeallocationCounter(alive))
        #expect(alive.current == 1)
        for work in queue.take() { work() }
        #expect(alive.current == 0)
    }
}
