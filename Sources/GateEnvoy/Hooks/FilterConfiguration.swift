import GatePolicy
import Synchronization

/// The configuration of one filter.
final class FilterConfiguration {
    /// A number that is unique among the configurations of this process.
    let number = FilterConfiguration.numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic(0)
    /// The numbers of all configurations that Envoy uses.
    private static let used = Mutex<Set<Int>>([])
    /// The number of configurations that Envoy has released.
    private static let released = Atomic(0)
    let follower: RulesFollower
    /// The counter of requests; `nil` if Envoy rejected it.
    let counter: RequestCounter?
    /// The clock for the rules.
    let now: () -> Timestamp

    init(
        _ follower: RulesFollower,
        counter: RequestCounter?,
        now: @escaping () -> Timestamp = ThreadRules.wallClock
    ) {
        self.follower = follower
        self.counter = counter
        self.now = now
        Self.used.withLock { _ = $0.insert(self.number) }
    }

    deinit {
        Self.used.withLock { _ = $0.remove(self.number) }
        Self.released.add(1, ordering: .releasing)
    }

    /// The number of configurations that Envoy has released, by which threads detect new releases.
    static var releaseCount: Int { self.released.load(ordering: .acquiring) }

    /// The numbers of the configurations that Envoy uses.
    static var numbersInUse: Set<Int> { self.used.withLock { $0 } }
}
