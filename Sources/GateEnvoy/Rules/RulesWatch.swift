import GateRules
import GateSystem
import Glibc
import Synchronization

/// The thread that watches the rules files of all filters; it runs while at least one filter exists.
final class RulesWatch: Sendable {
    static let shared = RulesWatch()

    /// The number of microseconds between two checks; a change to a rules file takes effect when a second
    /// check confirms it.
    private static let interval: UInt32 = 200_000

    private struct State {
        var followers: [Weak] = []
        var isRunning = false
    }

    private struct Weak: Sendable {
        weak let follower: RulesFollower?
    }

    private let state = Mutex(State())

    /// Returns the follower for an origin; a follower exists while a filter uses it.
    func follower(of origin: RulesOrigin) throws(LoadFailure) -> RulesFollower {
        let known = self.state.withLock { state in
            state.followers.lazy.compactMap(\.follower).first { $0.origin == origin }
        }
        if let known { return known }
        let follower = try RulesFollower(origin)
        let isRunning = self.state.withLock { state in
            state.followers.append(Weak(follower: follower))
            defer { state.isRunning = true }
            return state.isRunning
        }
        if !isRunning, !Self.start({ self.run() }) {
            self.state.withLock { $0.isRunning = false }
            EnvoyLog.error("cannot start a thread; changes to \(origin.path) will not be loaded")
        }
        return follower
    }

    /// Compiles the rules of all filters for routes in observe mode.
    func addObservingRules() {
        let followers = self.state.withLock { $0.followers.compactMap(\.follower) }
        for follower in followers { follower.addObservingRules() }
    }

    /// Starts a thread that blocks signals, because Envoy's signal handlers expect to run on one of Envoy's threads.
    ///
    /// Signals for faults in the thread itself are not blocked, so that Envoy reports the location of a fault.
    private static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        var (signals, former) = (sigset_t(), sigset_t())
        unsafe sigfillset(&signals)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP] {
            unsafe sigdelset(&signals, fault)
        }
        // A new thread inherits the signal mask of the thread that creates it.
        unsafe pthread_sigmask(SIG_BLOCK, &signals, &former)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &former, nil) }
        return DetachedThread.start("versiongate", run)
    }

    private func run() {
        while true {
            usleep(Self.interval)
            let followers = self.state.withLock { state in
                // Each weak reference is read once, because another thread may release the follower at any time.
                let followers = state.followers.compactMap(\.follower)
                state.followers = followers.map { Weak(follower: $0) }
                state.isRunning = !followers.isEmpty
                return followers
            }
            guard !followers.isEmpty else { return }
            for follower in followers {
                follower.check()
                follower.wakeStreams()
            }
        }
    }
}
