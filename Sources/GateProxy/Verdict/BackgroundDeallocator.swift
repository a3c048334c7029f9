import Synchronization

/// Deallocates unused values on a background thread, so that no request waits for their
/// deallocation, as long as that thread keeps up.
///
/// When all processors are busy, such a thread may hardly run, although a flood of made-up clients
/// keeps filling a cache: a gate that was flooded with new versions used 11 GB. Therefore, only a
/// few values may wait to be deallocated; the caller deallocates any further value.
final class BackgroundDeallocator: Sendable {
    typealias Work = @Sendable () -> Void

    /// The maximum number of waiting values: both generations of a cache, and a table.
    static let room = 3

    private let waiting = Atomic(0)
    private let later: @Sendable (@escaping Work) -> Void

    /// Creates a deallocator; `later` runs work on another thread.
    init(later: @escaping @Sendable (@escaping Work) -> Void = BackgroundDeallocator.detached) {
        self.later = later
    }

    /// Deallocates a value; its owner must then drop its own reference.
    func dispose(of value: some Sendable) {
        guard self.waiting.add(1, ordering: .relaxed).newValue <= Self.room else {
            self.waiting.subtract(1, ordering: .relaxed)
            return
        }
        let box = Box(value)
        self.later {
            box.empty()
            self.waiting.subtract(1, ordering: .relaxed)
        }
    }

    /// Runs work at utility priority; at a lower priority, it could not keep up with a flood of requests.
    private static func detached(_ work: @escaping Work) {
        Task.detached(priority: .utility) { work() }
    }

    /// Holds a value until it is deallocated, independently of the lifetime of the closure that
    /// deallocates it.
    private final class Box<Value: Sendable>: Sendable {
        private let value: Mutex<Value?>

        init(_ value: Value) {
            self.value = Mutex(value)
        }

        func empty() {
            self.value.withLock { $0 = nil }
        }
    }
}
