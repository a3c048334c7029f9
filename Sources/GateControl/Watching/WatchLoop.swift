private import Glibc
internal import Logging

/// The body of the watching thread: waits, lets the dust settle, looks, and says if it differs.
struct WatchLoop: Sendable {
    private enum Wake {
        case notice
        case timeout
        case stop
    }

    /// What the rules looked like: their revision, or why there is none.
    private typealias State = Result<Revision, RulesFileErrors>

    private let path: String
    private let timing: RulesWatcher.Timing
    private let stop: StopSignal
    private let logger: Logger

    init(path: String, timing: RulesWatcher.Timing, stop: StopSignal, logger: Logger) {
        self.path = path
        self.timing = timing
        self.stop = stop
        self.logger = logger
    }

    /// Watches until the stop signal; reports the state at the beginning and every other one.
    func run(report: () -> Void) {
        guard var notices = FolderNotices() else {
            self.logger.warning(
                "no inotify instance is left; the rules are polled instead",
                metadata: ["interval": "\(self.timing.pollInterval)"]
            )
            self.poll(report)
            return
        }
        var last: State?
        while true {
            // Before looking: what happens after the look must find a watch in place.
            notices.watch(self.folders)
            let state = self.state
            if state != last { report() }
            last = state
            switch self.wait(for: notices.descriptor, atMost: self.timing.pollInterval) {
            case .stop: return
            case .timeout: continue
            case .notice: guard self.settle(notices) else { return }
            }
        }
    }

    private func poll(_ report: () -> Void) {
        var last: State?
        repeat {
            let state = self.state
            if state != last { report() }
            last = state
        } while self.wait(for: -1, atMost: self.timing.pollInterval) != .stop
    }

    /// Waits until the folders have been quiet for a while; false if the watch is over.
    private func settle(_ notices: borrowing FolderNotices) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + self.timing.longestDebounce
        repeat {
            notices.drain()
            switch self.wait(for: notices.descriptor, atMost: self.timing.debounce) {
            case .stop: return false
            case .timeout: return true
            case .notice: continue
            }
        } while clock.now < deadline
        notices.drain()
        return true
    }

    private func wait(for descriptor: Int32, atMost duration: Duration) -> Wake {
        // Negative descriptors are ignored by `poll`.
        var waited = [
            pollfd(fd: self.stop.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let (seconds, attoseconds) = duration.components
        let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        let count = unsafe Glibc.poll(&waited, nfds_t(waited.count), milliseconds)
        if self.stop.isSent { return .stop }
        return count > 0 && waited[1].revents != 0 ? .notice : .timeout
    }

    private var state: State {
        Result { () throws(RulesFileErrors) in
            Revision(of: try RulesReader(path: self.path).read())
        }
    }

    /// The folders whose entries lead to the rules.
    ///
    /// They are the one that holds the path, the path itself if it is a folder, and the one that
    /// holds the file that links lead to. Folders farther up are left to the poll.
    private var folders: Set<String> {
        [
            FilePath.folder(of: self.path), self.path,
            FilePath.resolved(self.path).map { FilePath.folder(of: $0) } ?? self.path,
        ]
    }
}
