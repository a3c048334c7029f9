import Synchronization

/// A deallocator that uses a background thread, so that no request waits for a deallocation.
///
/// If all processors are busy, the thread might hardly run while a flood of made-up clients keeps
/// filling a cache: a gate that was flooded with new versions used 11 GB. Only a small number of
/// values can therefore wait to be deallocated; the caller deallocates any further value itself.
final class BackgroundDeallocator: Sendable {
    typealias Work = @Sendable () -> Void

    /// The maximum number of waiting values: two generations of a cache, and a table.
    static let room = 3

    private let waiting = Atomic(0)
    private let later: @Sendable (@escaping Work) -> Void

    /// Creates a deallocator; `later` runs work on another thread.
    init(later: @escaping @Sendable (@escaping Work) -> Void = BackgroundDeallocator.detached) {
        self.later = later
    }

    /// Takes over the deallocation of a value if possible; the caller must then drop its own reference.
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

    /// Runs work at utility priority, because lower-priority work could not keep up with a flood of requests.
    private static func detached(_ work: @escaping Work) {
        Task.detached(priority: .utility) { work() }
    }

    /// A container whose value can be deallocated before the closure that references the container.
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
