import CEnvoyModule
import Synchronization

/// The state of the module on one of Envoy's threads.
final class ThreadState {
    private struct Known {
        let configuration: Int
        let isObserving: Bool
        let rules: ThreadRules
    }

    /// A number that is unique among the threads of this process.
    let number = ThreadState.numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic(0)
    let lines = LineBuffer()
    private var known: [Known] = []
    /// The number of released configurations whose rules have been dropped.
    private var releaseCount = 0

    /// The state of the calling thread.
    static var current: ThreadState {
        if let state = unsafe versiongate_envoy_thread_state() {
            return unsafe Unmanaged<ThreadState>.fromOpaque(state).takeUnretainedValue()
        }
        let state = ThreadState()
        unsafe versiongate_envoy_set_thread_state(Unmanaged.passRetained(state).toOpaque()) {
            unsafe Unmanaged<ThreadState>.fromOpaque($0).release()
        }
        return state
    }

    /// Returns the current rules of a configuration.
    ///
    /// `isObserving` indicates whether the rules are for a route in observe mode. `retire` is called with the replaced
    /// rules, if any.
    func rules(
        of configuration: FilterConfiguration,
        observing isObserving: Bool,
        retire: (ThreadRules) -> Void
    ) -> ThreadRules {
        self.dropReleased()
        let index = self.known.firstIndex {
            $0.configuration == configuration.number && $0.isObserving == isObserving
        }
        let follower = configuration.follower
        if let index, self.known[index].rules.generation == follower.generation {
            return self.known[index].rules
        }
        let (ruleSet, generation) = follower.current(observing: isObserving)
        let known = Known(
            configuration: configuration.number,
            isObserving: isObserving,
            rules: ThreadRules(ruleSet, generation: generation, now: configuration.now)
        )
        if let index {
            retire(self.known[index].rules)
            self.known[index] = known
        } else {
            self.known.append(known)
        }
        return known.rules
    }

    /// Deallocates the rules of configurations that Envoy has released.
    private func dropReleased() {
        let count = FilterConfiguration.releaseCount
        guard count != self.releaseCount else { return }
        self.releaseCount = count
        let used = FilterConfiguration.numbersInUse
        self.known.removeAll { !used.contains($0.configuration) }
    }
}
