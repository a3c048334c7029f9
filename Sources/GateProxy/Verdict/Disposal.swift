import Synchronization

/// Frees what nobody needs any more where no request waits, as long as somebody comes to do it.
///
/// A thread for that may not run for long where all processors are busy, while clients that are made up fill a cache again
/// and again: a gate that was flooded with new versions took 11 GB. So only a few values wait to be freed, and
/// one that comes on top is left to who brings it.
final class Disposal: Sendable {
    typealias Work = @Sendable () -> Void

    /// The values that may wait: both generations of a cache, and a table.
    static let room = 3

    private let waiting = Atomic(0)
    private let later: @Sendable (@escaping Work) -> Void

    /// `later`: does some work on another thread.
    init(later: @escaping @Sendable (@escaping Work) -> Void = Disposal.detached) {
        self.later = later
    }

    /// Has a value freed, which its owner lets go of next.
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

    /// Does some work when no request wants the processor, and no later than others of its kind: behind those
    /// who have time for ever, it would not keep up with a flood.
    private static func detached(_ work: @escaping Work) {
        Task.detached(priority: .utility) { work() }
    }

    /// Holds a value until it is to be freed, and not until the work that frees it is.
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
