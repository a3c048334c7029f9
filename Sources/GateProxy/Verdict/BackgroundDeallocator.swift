import Synchronization

/// Deallocates unused values on a background thread, where no request waits, while that thread
/// keeps up.
///
/// When all processors are busy, such a thread may hardly run, while a flood of made-up clients
/// repeatedly fills a cache: a gate that was flooded with new versions used 11 GB. A small number
/// of values may wait to be deallocated; any further value is deallocated by the caller.
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

    /// Deallocates a value, which its owner must then release.
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

    /// Runs work with utility priority: with a lower priority, it would not keep up with a flood.
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
