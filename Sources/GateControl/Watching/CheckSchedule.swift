/// Decides when to check the rules files, based on the kernel's events and the time.
///
/// A file is read when its writer has finished. A file that is written in place is read only after
/// it has been closed and has then been unchanged for a while, because a script may close a file
/// and reopen it to append more. An atomic replacement by a rename or a link needs no such delay.
/// Changes without an event are found by polling.
struct CheckSchedule {
    typealias Instant = ContinuousClock.Instant

    /// A name in one of the watched folders.
    struct Entry: Hashable {
        /// The watch descriptor of the folder.
        let folder: Int32
        /// The file name; empty for the folder itself.
        let name: String
    }

    /// An event for an entry.
    enum Notice {
        /// The content changed, or an empty file was created: a process has it open.
        case written
        /// A process that had the file open for writing closed it.
        case closed
        /// The name refers to a different file or link after an atomic replacement.
        case replaced
        /// The name was removed.
        case removed
        /// The mode, owner or times changed.
        case touched
    }

    /// The next step of the watch loop.
    enum Step: Equatable {
        /// Wait for events, but no longer than the given duration.
        case wait(Duration)
        /// Check the files: all writers have finished.
        case look
        /// Poll for changes without an event; the files may be half-written.
        case glance
    }

    /// The state of a file that is written in place, with the time of its last event.
    private enum Writing {
        case open(since: Instant, last: Instant)
        case left(last: Instant)

        /// The time since which the file has been open for writing; `nil` once it is closed.
        var openSince: Instant? {
            switch self {
            case .open(let since, _): since
            case .left: nil
            }
        }
    }

    private let timing: RulesWatcher.Timing
    private var written: [Entry: Writing] = [:]
    /// The end of the pause in which more events from the same replacement may follow.
    private var pauseEnd: Instant?
    /// The time from which the maximum delays are measured.
    private var waitingSince: Instant?
    private var nextGlance: Instant

    /// Creates a schedule; the first check also waits for writers, because a write may be in
    /// progress.
    init(timing: RulesWatcher.Timing, now: Instant) {
        self.timing = timing
        self.pauseEnd = now + timing.settling
        self.waitingSince = now
        self.nextGlance = now + timing.pollInterval
    }

    /// Whether a file is being written, or was written so recently that the write may continue.
    var isBeingWritten: Bool { !self.written.isEmpty }

    /// The earliest time since which a file with unread changes has been open for writing; `nil` if
    /// no file is open.
    var openSince: Instant? { self.written.values.compactMap(\.openSince).min() }

    /// Adds an event for an entry that is part of the rules.
    mutating func receive(_ notice: Notice, of entry: Entry, at now: Instant) {
        switch (notice, self.written[entry]) {
        case (.written, .open(let since, _)), (.touched, .open(let since, _)):
            self.written[entry] = .open(since: since, last: now)
            return
        case (.written, _):
            self.written[entry] = .open(since: now, last: now)
            return
        case (.closed, .open(let since, _)) where since + self.timing.settling < now:
            // The maximum delay applies to a series of writes, not to a single long write.
            self.waitingSince = now
            self.written[entry] = .left(last: now)
        case (.touched, nil) where self.pauseEnd != nil:
            // Editors set the mode of a file after replacing it.
            self.pauseEnd = now + self.timing.debounce
        case (.closed, _), (.removed, _), (.touched, _):
            self.written[entry] = .left(last: now)
        case (.replaced, _):
            self.written[entry] = nil
            self.pauseEnd = now + self.timing.debounce
        }
        self.waitingSince = self.waitingSince ?? now
    }

    /// Removes the entries that no longer belong to the rules after a link was swapped.
    mutating func keep(where leadsToRules: (Entry) -> Bool, at now: Instant) {
        let kept = self.written.filter { leadsToRules($0.key) }
        guard kept.count < self.written.count else { return }
        self.written = kept
        // The files that replaced the removed entries have not been read.
        self.pauseEnd = self.pauseEnd ?? now + self.timing.debounce
        self.waitingSince = self.waitingSince ?? now
    }

    /// Returns the next step; the caller must perform a check or a poll immediately.
    mutating func next(at now: Instant) -> Step {
        if let time = self.nextLook {
            guard now >= time else { return .wait(now.duration(to: time)) }
            self.forget()
            self.nextGlance = now + self.timing.pollInterval
            return .look
        }
        guard now >= self.nextGlance else { return .wait(now.duration(to: self.nextGlance)) }
        self.nextGlance = now + self.timing.pollInterval
        return .glance
    }

    /// Resets the state before a check, or after events were lost.
    ///
    /// The lost events may include the closing of a written file; polling finds its changes.
    mutating func forget() {
        self.written = [:]
        self.pauseEnd = nil
        self.waitingSince = nil
    }

    /// The time at which all writers are assumed to have finished; `nil` if there were no events.
    private var nextLook: Instant? {
        var ends = self.written.values.map { writing in
            switch writing {
            case .open(_, let last): last + self.timing.abandonment
            case .left(let last): last + self.timing.settling
            }
        }
        if let pauseEnd { ends.append(pauseEnd) }
        guard let end = ends.max() else { return nil }
        // The delay is not limited while a file is open, because the file would be read in a
        // half-written state.
        guard let waitingSince, self.openSince == nil else { return end }
        let longest =
            self.isBeingWritten ? self.timing.longestSettling : self.timing.longestDebounce
        return min(end, waitingSince + longest)
    }
}
