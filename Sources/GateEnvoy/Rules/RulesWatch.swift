import GateRules
import GateSystem
import Glibc
import Synchronization

/// The thread that looks after all rules files of the process; it runs while there are any.
final class RulesWatch: Sendable {
    static let shared = RulesWatch()

    /// The number of microseconds between two looks; a change takes effect at the second look that finds it.
    private static let interval: UInt32 = 200_000

    private struct State {
        var followers: [Weak] = []
        var isRunning = false
    }

    private struct Weak: Sendable {
        weak let follower: RulesFollower?
    }

    private let state = Mutex(State())

    /// Returns the follower of a path, which exists while a filter uses it.
    func follower(of path: String) throws(LoadFailure) -> RulesFollower {
        let known = self.state.withLock { state in
            state.followers.lazy.compactMap(\.follower).first { $0.path == path }
        }
        if let known { return known }
        let follower = try RulesFollower(path: path)
        let isRunning = self.state.withLock { state in
            state.followers.append(Weak(follower: follower))
            defer { state.isRunning = true }
            return state.isRunning
        }
        if !isRunning, !DetachedThread.start("versiongate", { self.run() }) {
            self.state.withLock { $0.isRunning = false }
            EnvoyLog.error("no thread is available; changes of \(path) are not noticed")
        }
        return follower
    }

    private func run() {
        // Signals are Envoy's, whose handlers expect one of its own threads.
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        while true {
            usleep(Self.interval)
            let followers = self.state.withLock { state in
                state.followers.removeAll { $0.follower == nil }
                state.isRunning = !state.followers.isEmpty
                return state.followers.compactMap(\.follower)
            }
            guard !followers.isEmpty else { return }
            for follower in followers { follower.check() }
        }
    }
}
