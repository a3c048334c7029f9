import Testing

@testable import GateControl

/// The schedule, which gets the time as an argument, so that no test waits.
struct CheckScheduleTests {
    /// An event from the kernel, with its time in milliseconds.
    struct Event: Sendable {
        let time: Int
        let notice: CheckSchedule.Notice
        let name: String

        init(_ time: Int, _ notice: CheckSchedule.Notice, _ name: String = "rules.yaml") {
            (self.time, self.notice, self.name) = (time, notice, name)
        }
    }

    /// The events of a change to the rules, and the times of the resulting looks.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let events: [Event]
        let looks: [Int]

        init(_ description: String, _ events: [Event], looks: [Int]) {
            (self.testDescription, self.events, self.looks) = (description, events, looks)
        }
    }

    static let rows = [
        Row("a rename over the file", [Event(0, .replaced)], looks: [100]),
        Row(
            "a rename over the file, followed by a change of its mode",
            [Event(0, .replaced), Event(5, .touched)],
            looks: [105]
        ),
        Row("a swap of ..data", [Event(0, .replaced, "..data")], looks: [100]),
        Row(
            "a file that is truncated and written, as by a shell",
            [Event(0, .written), Event(1, .written), Event(2, .closed)],
            looks: [502]
        ),
        Row(
            "an editor that truncates, pauses and then writes",
            [
                Event(0, .written), Event(1, .closed), Event(400, .written), Event(450, .written),
                Event(460, .closed),
            ],
            looks: [960]
        ),
        Row(
            "a write that takes three seconds",
            (0...10).map { Event($0 * 300, .written) } + [Event(3000, .closed)],
            looks: [3500]
        ),
        Row(
            "a write that takes half a minute",
            (0...100).map { Event($0 * 300, .written) } + [Event(30_000, .closed)],
            looks: [30_500]
        ),
        Row(
            "a write that takes half a minute after the old file was renamed",
            [Event(0, .removed)] + (0...100).map { Event(1 + $0 * 300, .written) }
                + [Event(30_001, .closed)],
            looks: [30_501]
        ),
        Row(
            "a script that closes and appends for three seconds",
            (0...15).flatMap { [Event($0 * 200, .written), Event($0 * 200 + 1, .closed)] },
            looks: [3501]
        ),
        Row(
            "a script that closes and appends endlessly",
            (0...60).flatMap { [Event($0 * 200, .written), Event($0 * 200 + 1, .closed)] },
            looks: [10_001, 12_501]
        ),
        Row(
            "rsync in place, which sets the times at the end",
            [Event(0, .written), Event(900, .written), Event(901, .closed), Event(950, .touched)],
            looks: [1450]
        ),
        Row(
            "an editor that renames the old file away and writes a new one",
            [
                Event(0, .removed), Event(1, .written), Event(2, .written), Event(3, .closed),
                Event(4, .touched),
            ],
            looks: [504]
        ),
        Row(
            "a file that is deleted and soon created again",
            [Event(0, .removed), Event(300, .written), Event(310, .closed)],
            looks: [810]
        ),
        Row(
            "a file that is deleted and created again much later",
            [Event(0, .removed), Event(2000, .written), Event(2010, .closed)],
            looks: [500, 2510]
        ),
        Row(
            "a new file that is opened and written after a pause",
            [Event(0, .written), Event(5000, .written), Event(5001, .closed)],
            looks: [5501]
        ),
        Row(
            "a file that is never closed",
            [Event(0, .written), Event(9000, .written)],
            looks: [19_000]
        ),
        Row(
            "a file that is never closed and changes after the wait was abandoned",
            [Event(0, .written), Event(11_000, .written), Event(12_000, .closed)],
            looks: [10_000, 12_500]
        ),
        Row(
            "a write through mapped memory, with a close notice only",
            [Event(0, .closed)],
            looks: [500]
        ),
        Row("a touch", [Event(0, .touched)], looks: [500]),
        Row(
            "a touch of a file that is open",
            [Event(0, .written), Event(1000, .touched), Event(2000, .closed)],
            looks: [2500]
        ),
        Row(
            "a rename over a file that is still being written",
            [Event(0, .written), Event(1000, .replaced)],
            looks: [1100]
        ),
        Row(
            "a file that is renamed into place before its writer has closed it",
            [Event(0, .replaced), Event(50, .written), Event(60, .closed)],
            looks: [560]
        ),
        Row(
            "a folder with one file replaced while another is written",
            [
                Event(0, .written, "20.yaml"), Event(100, .replaced, "10.yaml"),
                Event(2000, .closed, "20.yaml"),
            ],
            looks: [2500]
        ),
        Row(
            "a folder whose files are replaced one after the other",
            [Event(0, .replaced, "10.yaml"), Event(80, .replaced, "20.yaml")],
            looks: [180]
        ),
        Row(
            "renames without a pause",
            (0...40).map { Event($0 * 50, .replaced) },
            looks: [1000, 2050]
        ),
    ]

    @Test(arguments: Self.rows)
    func `rules are read when they are completely written`(_ row: Row) {
        #expect(self.looks(at: row.events) == row.looks)
    }

    /// Runs a schedule like the watching thread, and records the times of the looks.
    private func looks(at events: [Event]) -> [Int] {
        let start = ContinuousClock.now
        var timing = RulesWatcher.Timing.defaults
        timing.pollInterval = .seconds(3600)
        var schedule = Self.schedule(timing: timing, now: start)
        var now = start
        var rest = events[...]
        var looks: [Int] = []
        while true {
            switch schedule.next(at: now) {
            case .look: looks.append(Int(start.duration(to: now) / .milliseconds(1)))
            case .glance: return looks
            case .wait(let duration):
                let end = now + duration
                if let event = rest.first, start + .milliseconds(event.time) <= end {
                    now = start + .milliseconds(event.time)
                    let entry = CheckSchedule.Entry(folder: 1, name: event.name)
                    schedule.receive(event.notice, of: entry, at: now)
                    rest.removeFirst()
                } else {
                    now = end
                }
            }
        }
    }

    /// Returns a schedule whose first look was at this time.
    private static func schedule(
        timing: RulesWatcher.Timing = .defaults,
        now: ContinuousClock.Instant
    ) -> CheckSchedule {
        var schedule = CheckSchedule(timing: timing, now: now - timing.settling)
        #expect(schedule.next(at: now) == .look)
        return schedule
    }

    @Test func `the first look waits for a write in progress`() {
        var schedule = CheckSchedule(timing: .defaults, now: self.start)
        #expect(schedule.next(at: self.start) == .wait(.milliseconds(500)))
        let entry = CheckSchedule.Entry(folder: 1, name: "rules.yaml")
        schedule.receive(.written, of: entry, at: self.time(400))
        schedule.receive(.closed, of: entry, at: self.time(2000))
        #expect(schedule.next(at: self.time(2000)) == .wait(.milliseconds(500)))
        #expect(schedule.next(at: self.time(2500)) == .look)
    }

    private let start = ContinuousClock.now

    private func time(_ milliseconds: Int) -> ContinuousClock.Instant {
        self.start + .milliseconds(milliseconds)
    }

    @Test func `entries removed by a swap cause no delay`() {
        var schedule = Self.schedule(now: self.start)
        let old = CheckSchedule.Entry(folder: 2, name: "rules.yaml")
        schedule.receive(.replaced, of: .init(folder: 1, name: "..data"), at: self.time(0))
        schedule.receive(.removed, of: old, at: self.time(1))
        schedule.keep(where: { $0.folder == 1 }, at: self.time(2))
        #expect(schedule.next(at: self.time(2)) == .wait(.milliseconds(98)))
        #expect(schedule.next(at: self.time(100)) == .look)
    }

    @Test func `the removal of a folder with all its entries causes a look`() {
        var schedule = Self.schedule(now: self.start)
        schedule.receive(.removed, of: .init(folder: 2, name: ""), at: self.time(0))
        schedule.keep(where: { _ in false }, at: self.time(0))
        #expect(!schedule.isBeingWritten)
        #expect(schedule.next(at: self.time(100)) == .look)
    }

    @Test func `without notices there is a glance in each poll interval`() {
        var schedule = Self.schedule(now: self.start)
        #expect(schedule.next(at: self.time(500)) == .wait(.milliseconds(1500)))
        #expect(schedule.next(at: self.time(2000)) == .glance)
        #expect(schedule.next(at: self.time(2000)) == .wait(.seconds(2)))
        #expect(schedule.next(at: self.time(4000)) == .glance)
    }

    @Test func `there is no glance at a file that is being written`() {
        var schedule = Self.schedule(now: self.start)
        let entry = CheckSchedule.Entry(folder: 1, name: "rules.yaml")
        schedule.receive(.written, of: entry, at: self.time(0))
        #expect(schedule.isBeingWritten)
        #expect(schedule.openSince == self.time(0))
        #expect(schedule.next(at: self.time(6000)) == .wait(.seconds(4)))
        schedule.receive(.closed, of: entry, at: self.time(6000))
        #expect(schedule.isBeingWritten)
        #expect(schedule.openSince == nil)
    }

    @Test func `after lost notices there are only glances`() {
        var schedule = Self.schedule(now: self.start)
        let entry = CheckSchedule.Entry(folder: 1, name: "rules.yaml")
        schedule.receive(.written, of: entry, at: self.time(0))
        schedule.forget()
        #expect(schedule.next(at: self.time(1000)) == .wait(.seconds(1)))
        #expect(schedule.next(at: self.time(2000)) == .glance)
    }
}
