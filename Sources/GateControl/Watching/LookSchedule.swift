/// When to look at the rules files, decided by the kernel's notices and the time.
///
/// A file is read when its writer is done. One that somebody writes in place is left alone until
/// it is closed, and then until it has been quiet for a while, because scripts close it and append
/// again. What takes a name whole, a rename or a link, needs no such care. Whatever no notice tells
/// of is found by a glance from time to time.
struct LookSchedule {
    typealias Instant = ContinuousClock.Instant

    /// A name in one of the folders that are watched.
    struct Entry: Hashable {
        /// The kernel's number of the watch on the folder.
        let folder: Int32
        /// Empty for the folder itself.
        let name: String
    }

    /// An event that has happened to an entry.
    enum Notice {
        /// Its bytes changed, or it was made without any: somebody has it open.
        case written
        /// Somebody who had it open for writing has closed it.
        case closed
        /// Something else took the name in one step, whole.
        case replaced
        /// Nothing has the name any more.
        case removed
        /// Its mode, owner or times changed.
        case touched
    }

    /// The next thing to do.
    enum Step: Equatable {
        /// Wait for notices, for so long at most.
        case wait(Duration)
        /// Look: whoever wrote is done.
        case look
        /// See whether something changed of which no notice told; it may be half written.
        case glance
    }

    /// How far somebody is who changes a file in place, and when that was last heard of.
    private enum Writing {
        case open(since: Instant, last: Instant)
        case left(last: Instant)

        /// Since when somebody has it open.
        var openSince: Instant? {
            switch self {
            case .open(let since, _): since
            case .left: nil
            }
        }
    }

    private let timing: RulesWatcher.Timing
    private var written: [Entry: Writing] = [:]
    /// Until when more may come that belongs to what was put in place whole.
    private var pauseEnd: Instant?
    /// From when the limits count.
    private var waitingSince: Instant?
    private var nextGlance: Instant

    /// Begins; somebody may be writing already, so that the first look waits for that, too.
    init(timing: RulesWatcher.Timing, now: Instant) {
        self.timing = timing
        self.pauseEnd = now + timing.settling
        self.waitingSince = now
        self.nextGlance = now + timing.pollInterval
    }

    /// Whether a file is being written, or has been so short a time ago that it may go on.
    var isBeingWritten: Bool { !self.written.isEmpty }

    /// Since when somebody has had a file open whose changes nobody has looked at.
    var openSince: Instant? { self.written.values.compactMap(\.openSince).min() }

    /// Takes a notice of an entry that counts.
    mutating func receive(_ notice: Notice, of entry: Entry, at now: Instant) {
        switch (notice, self.written[entry]) {
        case (.written, .open(let since, _)), (.touched, .open(let since, _)):
            self.written[entry] = .open(since: since, last: now)
            return
        case (.written, _):
            self.written[entry] = .open(since: now, last: now)
            return
        case (.closed, .open(let since, _)) where since + self.timing.settling < now:
            // The limits are for pieces, not for the time that one of them takes.
            self.waitingSince = now
            self.written[entry] = .left(last: now)
        case (.touched, nil) where self.pauseEnd != nil:
            // Editors set the mode of what they have just put in place.
            self.pauseEnd = now + self.timing.debounce
        case (.closed, _), (.removed, _), (.touched, _):
            self.written[entry] = .left(last: now)
        case (.replaced, _):
            self.written[entry] = nil
            self.pauseEnd = now + self.timing.debounce
        }
        self.waitingSince = self.waitingSince ?? now
    }

    /// Forgets the entries that lead to the rules no longer, after a link was swapped.
    mutating func keep(where leadsToRules: (Entry) -> Bool, at now: Instant) {
        let kept = self.written.filter { leadsToRules($0.key) }
        guard kept.count < self.written.count else { return }
        self.written = kept
        // The entries that lead there instead have not been looked at.
        self.pauseEnd = self.pauseEnd ?? now + self.timing.debounce
        self.waitingSince = self.waitingSince ?? now
    }

    /// Notices were lost, and a close may have been among them: glances must tell.
    mutating func lose() {
        self.forget()
    }

    /// Says what to do at this time; a look or a glance is taken to be done at once.
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

    private mutating func forget() {
        self.written = [:]
        self.pauseEnd = nil
        self.waitingSince = nil
    }

    /// When everything that is written is done; `nil` if nothing has happened.
    private var nextLook: Instant? {
        var ends = self.written.values.map { writing in
            switch writing {
            case .open(_, let last): last + self.timing.abandonment
            case .left(let last): last + self.timing.settling
            }
        }
        if let pauseEnd { ends.append(pauseEnd) }
        guard let end = ends.max() else { return nil }
        // No limit holds for a file that is open: it would be met in the middle.
        guard let waitingSince, self.openSince == nil else { return end }
        let longest =
            self.isBeingWritten ? self.timing.longestSettling : self.timing.longestDebounce
        return min(end, waitingSince + longest)
    }
}
