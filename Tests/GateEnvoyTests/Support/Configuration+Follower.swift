import GatePolicy
import StandInStreams

@testable import GateEnvoy

extension Configuration {
    /// Creates the configuration of a filter with some rules.
    convenience init(
        _ follower: RulesFollower,
        now: @escaping () -> Timestamp = ThreadRules.wallClock
    ) {
        var envoy = 0
        let counter = unsafe withUnsafeMutablePointer(to: &envoy) { envoy in
            unsafe RequestCounter(UnsafeMutableRawPointer(envoy))
        }
        let configuration = FilterConfiguration(follower, counter: counter, now: now)
        unsafe self.init(Unmanaged.passRetained(configuration).toOpaque())
    }

    /// The rules that the filter uses.
    var follower: RulesFollower {
        unsafe Unmanaged<FilterConfiguration>.fromOpaque(self.pointer).takeUnretainedValue()
            .follower
    }
}
