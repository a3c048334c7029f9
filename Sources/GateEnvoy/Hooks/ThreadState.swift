import CEnvoyModule

/// The state of the module on one of Envoy's threads.
final class ThreadState {
    private struct Known {
        let follower: Int
        let generation: Int
        let rules: ThreadRules
    }

    /// The maximum number of rule sets; a thread with filters for more of them starts over.
    private static let most = 8

    let lines = LineBuffer()
    private var known: [Known] = []

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

    /// Returns the current rules of a follower.
    func rules(of follower: RulesFollower) -> ThreadRules {
        let index = self.known.firstIndex { $0.follower == follower.number }
        if let index, self.known[index].generation == follower.generation {
            return self.known[index].rules
        }
        let (ruleSet, generation) = follower.current
        let known = Known(
            follower: follower.number,
            generation: generation,
            rules: ThreadRules(ruleSet)
        )
        if let index {
            self.known[index] = known
        } else {
            if self.known.count == Self.most { self.known.removeAll() }
            self.known.append(known)
        }
        return known.rules
    }
}
