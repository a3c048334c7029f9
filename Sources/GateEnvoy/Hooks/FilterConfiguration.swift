/// The configuration of one filter.
final class FilterConfiguration {
    let follower: RulesFollower
    /// `nil` if Envoy refuses to count requests.
    let counter: RequestCounter?

    init(_ follower: RulesFollower, counter: RequestCounter?) {
        self.follower = follower
        self.counter = counter
    }
}
