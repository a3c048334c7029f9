internal import GateRules
private import Glibc
internal import Logging
private import Synchronization

/// The main loop of the watcher thread: waits, checks the files, and reports new states.
///
/// `CheckSchedule` decides when to check, and `RulesSightings` which states are new.
struct WatchLoop: Sendable {
    private enum Wake {
        case notice
        case timeout
        case stop
    }

    let path: String
    let timing: RulesWatcher.Timing
    let stop: StopSignal
    let logger: Logger

    /// Runs until the stop signal.
    ///
    /// The initial state is reported at once, and every new state when its writer has finished.
    func run(report: (RulesSighting) -> Void) {
        var notices = FolderEvents()
        if notices.descriptor < 0 {
            self.logger.warning(
                "no inotify instance is available; the rules are polled instead",
                metadata: ["interval": "\(self.timing.pollInterval)"]
            )
        }
        notices.watch(WatchedPaths(path: self.path))
        var sightings = RulesSightings()
        var schedule = CheckSchedule(timing: self.timing, now: .now)
        var isWriterSlow = false
        while true {
            switch schedule.next(at: .now) {
            case .wait(let duration):
                switch self.wait(for: notices.descriptor, atMost: duration) {
                case .stop: return
                case .timeout: continue
                case .notice:
                    // A log in the same folder that is written continuously must not keep the
                    // thread busy.
                    guard self.wait(for: -1, atMost: self.timing.gathering) != .stop else { return }
                    self.take(&notices, into: &schedule)
                    let wasHeldUp = isWriterSlow
                    isWriterSlow = self.isWriterSlow(schedule)
                    if isWriterSlow, !wasHeldUp { self.warnOfWriter() }
                }
            case .look:
                // The watches are set up before the check, so that later changes are not missed.
                notices.watch(WatchedPaths(path: self.path))
                let state = RulesState(path: self.path)
                self.take(&notices, into: &schedule)
                // A new write started during the check.
                guard !schedule.isBeingWritten else { continue }
                if sightings.look(state) == .report { report(state.sighting) }
            case .glance:
                notices.watch(WatchedPaths(path: self.path))
                guard !sightings.know(RulesIdentity(path: self.path)) else { continue }
                let state = RulesState(path: self.path)
                if sightings.glance(state) == .report { report(state.sighting) }
            }
        }
    }

    private func take(_ notices: inout FolderEvents, into schedule: inout CheckSchedule) {
        let now = CheckSchedule.Instant.now
        let taken = notices.take()
        for notice in taken {
            switch notice {
            case .of(let entry, let notice): schedule.receive(notice, of: entry, at: now)
            case .lost: schedule.forget()
            }
        }
        guard !taken.isEmpty else { return }
        notices.watch(WatchedPaths(path: self.path))
        schedule.keep(where: { notices.concern($0) }, at: now)
    }

    /// Returns whether a file has been open for writing long enough for a warning in the log.
    private func isWriterSlow(_ schedule: CheckSchedule) -> Bool {
        guard let since = schedule.openSince else { return false }
        return since + self.timing.abandonment < .now
    }

    private func warnOfWriter() {
        self.logger.warning(
            "the rules are still being written; they will be read once complete, or on SIGHUP",
            metadata: ["path": "\(self.path)"]
        )
    }

    private func wait(for descriptor: Int32, atMost duration: Duration) -> Wake {
        // Negative descriptors are ignored by `poll`.
        var waited = [
            pollfd(fd: self.stop.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let (seconds, attoseconds) = duration.components
        // The time is rounded up; otherwise the last fraction of a millisecond would be spent in a
        // busy loop.
        let milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
        let count = unsafe Glibc.poll(&waited, nfds_t(waited.count), milliseconds)
        if self.stop.isSent { return .stop }
        return count > 0 && waited[1].revents != 0 ? .notice : .timeout
    }
}

/// Stops a thread that waits in `poll`, by waking it up.
final class StopSignal: Sendable {
    /// The descriptor for `poll`; negative if no descriptor was available, in which case the thread
    /// checks the signal in its next iteration.
    let descriptor: Int32
    private let writer: Int32
    private let sent = Atomic<Bool>(false)

    init() {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe(&ends)
        for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        self.descriptor = ends[0]
        self.writer = ends[1]
    }

    deinit {
        for end in [self.descriptor, self.writer] where end >= 0 { close(end) }
    }

    var isSent: Bool { self.sent.load(ordering: .acquiring) }

    func send() {
        self.sent.store(true, ordering: .releasing)
        // Without a pipe, the write fails, which is harmless.
        _ = unsafe write(self.writer, [1], 1)
    }
}
