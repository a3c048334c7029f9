import Synchronization
import Testing

@testable import GateProxy

struct DisposalTests {
    /// Counts the instances that are not deallocated yet.
    private final class Witness: Sendable {
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
        private let works = Mutex<[Disposal.Work]>([])

        func add(_ work: @escaping Disposal.Work) { self.works.withLock { $0.append(work) } }

        func take() -> [Disposal.Work] {
            self.works.withLock { works in
                defer { works = [] }
                return works
            }
        }
    }

    @Test func `values that wait for deallocation do not accumulate`() {
        let (alive, queue) = (Alive(), Queue())
        let disposal = Disposal { queue.add($0) }
        for _ in 0..<10 { disposal.dispose(of: Witness(alive)) }
        #expect(alive.current == Disposal.room)
        // The work deallocates, not its release.
        let works = queue.take()
        for work in works { work() }
        #expect(works.count == Disposal.room && alive.current == 0)
        disposal.dispose(of: Witness(alive))
        #expect(alive.current == 1)
        for work in queue.take() { work() }
        #expect(alive.current == 0)
    }
}
