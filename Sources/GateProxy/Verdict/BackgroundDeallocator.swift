import Synchronization

/// Deallocates unused values on a background thread, where no request waits, as long as it keeps
/// up.
///
/// When all processors are busy, such a thread may hardly run, while a flood of made-up clients
/// fills a cache again and again: a gate that was flooded with new versions took 11 GB. A small
/// number of values may wait to be deallocated; the caller deallocates any further one.
final class BackgroundDeallocator: Sendable {
    typealias Work = @Sendable () -> Void

    /// The maximum number of waiting values: both generations of a cache, and a table.
    static let room = 3

    private let waiting = Atomic(0)
    private let later: @Sendable (@escaping Work) -> Void

    /// Creates a disposal; `later` runs work on another thread.
    init(later: @escaping @Sendable (@escaping Work) -> Void = BackgroundDeallocator.detached) {
        self.later = later
    }

    /// Deallocates a value, which its owner must release next.
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

    /// Holds a value until it is deallocated, instead of until the closure that does so is.
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
