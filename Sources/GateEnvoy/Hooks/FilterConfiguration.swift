import Synchronization

/// The configuration of one filter.
final class FilterConfiguration {
    /// A number that is unique among the configurations of this process.
    let number = FilterConfiguration.numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic(0)
    let follower: RulesFollower
    /// `nil` if Envoy refuses to count requests.
    let counter: RequestCounter?

    init(_ follower: RulesFollower, counter: RequestCounter?) {
        self.follower = follower
        self.counter = counter
    }
}
