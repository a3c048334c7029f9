import Foundation
import Synchronization

/// Runs tasks on threads that may block, with one thread per task.
///
/// A test that waits for a socket would block a thread of the cooperative pool, which has one
/// thread per core. Two such tests would block everything else, including the time limits of tests.
package final class BlockingExecutor: TaskExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var idleThreads = 0
    }

    package static let shared = BlockingExecutor()

    private let queue = Mutex(Queue())
    private let work = DispatchSemaphore(value: 0)

    private init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = self.queue.withLock { queue in
            queue.jobs.append(job)
            guard queue.idleThreads == 0 else {
                queue.idleThreads -= 1
                return false
            }
            return true
        }
        if needsThread {
            Thread.detachNewThread { self.runJobs() }
        }
        self.work.signal()
    }

    private func runJobs() {
        while true {
            self.work.wait()
            if let job = self.queue.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
                unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
            }
            self.queue.withLock { $0.idleThreads += 1 }
        }
    }
}
