@testable import GateRules
import Testing

@testable import GateFeeds

struct FeedScheduleTests {
    private typealias Moment = FeedSchedule.Moment

    private static let timing = FeedTiming(every: 60, staleAfter: 600, whenStale: .keep)

    private func machine(
        _ timing: FeedTiming = Self.timing,
        confirmedAt: Int64? = nil
    ) -> FeedSchedule {
        FeedSchedule(timing, confirmedAt: confirmedAt, now: Moment(uptime: 0, time: 1000))
    }

    /// Returns the delay after this many consecutive failures.
    private func delay(
        afterFailures count: Int,
        random: Double,
        every: Int64 = 60,
        retryAfter: Int64? = nil
    ) -> FeedSchedule.Step {
        var machine = self.machine(FeedTiming(every: every, staleAfter: nil, whenStale: .keep))
        let now = Moment(uptime: 0, time: 1000)
        for _ in 0..<count { machine.fail(retryAfter: retryAfter, at: now, random: random) }
        #expect(machine.failures == count)
        return machine.next(at: now)
    }

    @Test func `the first fetch is immediate`() {
        var machine = self.machine()
        #expect(machine.next(at: Moment(uptime: 0, time: 1000)) == .ask)
    }

    @Test func `a successful fetch is repeated after the interval with jitter`() {
        for (random, wait) in [(0.0, 60.0), (0.5, 63.0)] {
            var machine = self.machine()
            let now = Moment(uptime: 2, time: 1002)
            let wasStale = machine.confirm(at: now)
            #expect(!wasStale)
            machine.finish(at: now, random: random)
            #expect(machine.next(at: now) == .rest(wait))
            #expect(machine.next(at: Moment(uptime: 2 + wait, time: 1065)) == .ask)
        }
    }

    @Test(arguments: [
        (1, 0.5, 0.5), (2, 0.5, 1), (3, 0.5, 2), (6, 0.5, 16), (7, 0.5, 30), (100, 0.5, 30),
        (1, 0, 0.2), (50, 0, 0.2),
    ])
    func `the delay doubles with each failure up to a limit, with jitter`(
        failures: Int,
        random: Double,
        wait: Double
    ) {
        #expect(self.delay(afterFailures: failures, random: random) == .rest(wait))
    }

    @Test func `a longer interval is the limit of the delay`() {
        #expect(self.delay(afterFailures: 100, random: 0.5, every: 3600) == .rest(1800))
        #expect(self.delay(afterFailures: 100, random: 0.5, every: 5) == .rest(30))
    }

    @Test func `the retry time of a source is the minimum delay`() {
        #expect(self.delay(afterFailures: 1, random: 0, retryAfter: 120) == .rest(120))
        #expect(self.delay(afterFailures: 1, random: 0.5, retryAfter: 100) == .rest(105))
        #expect(self.delay(afterFailures: 7, random: 0.5, retryAfter: 1) == .rest(30))
    }

    @Test func `a hint causes an immediate fetch, but at most one per second`() {
        var machine = self.machine()
        machine.finish(at: Moment(uptime: 2, time: 1002), random: 0)
        for (uptime, step) in [
            (2.25, FeedSchedule.Step.rest(0.75)), (2.5, .rest(0.5)), (3, .ask), (30, .ask),
        ] {
            var hinted = machine
            let now = Moment(uptime: uptime, time: 1002)
            hinted.hint(at: now)
            #expect(hinted.next(at: now) == step)
        }
    }

    @Test(arguments: [(Int64?.none, 1.0), (1, 1.05), (30, 31.5)])
    func `a hint after a failure only waits for the retry time of the source`(
        retryAfter: Int64?,
        wait: Double
    ) {
        var machine = self.machine()
        let now = Moment(uptime: 0, time: 1000)
        for _ in 0..<6 { machine.fail(retryAfter: retryAfter, at: now, random: 0.5) }
        #expect(machine.next(at: now) == .rest(max(wait, 16)))
        machine.hint(at: now)
        #expect(machine.next(at: now) == .rest(wait))
    }

    @Test func `a hint never delays a fetch`() {
        var machine = self.machine()
        let now = Moment(uptime: 0, time: 1000)
        machine.fail(retryAfter: nil, at: now, random: 0.25)
        machine.hint(at: now)
        #expect(machine.next(at: now) == .rest(0.25))
        #expect(machine.nextFetch(at: now) == 1001)
    }

    @Test func `a successful fetch resets the failures`() {
        var machine = self.machine()
        let now = Moment(uptime: 1, time: 1001)
        for _ in 0..<5 { machine.fail(retryAfter: nil, at: now, random: 0.5) }
        _ = machine.confirm(at: now)
        machine.finish(at: now, random: 0)
        #expect(machine.failures == 0)
    }

    @Test func `a stream resets the failures once it has lasted for some time`() {
        var machine = self.machine()
        machine.fail(retryAfter: nil, at: Moment(uptime: 0, time: 1000), random: 0.5)
        _ = machine.confirm(at: Moment(uptime: 1, time: 1001))
        #expect(machine.failures == 1)
        _ = machine.confirm(at: Moment(uptime: 20, time: 1020))
        #expect(machine.failures == 0)
    }

    @Test func `a stream that ends is reopened with a delay that grows if it never lasts`() {
        var machine = self.machine()
        var now = Moment(uptime: 0, time: 1000)
        for wait in [0.5, 1, 2] {
            _ = machine.confirm(at: now)
            machine.interrupt(at: now, random: 0.5)
            #expect(machine.next(at: now) == .rest(wait))
            now.uptime += wait
        }
        _ = machine.confirm(at: Moment(uptime: now.uptime + 60, time: 1100))
        machine.interrupt(at: Moment(uptime: now.uptime + 60, time: 1100), random: 0.5)
        #expect(machine.failures == 1)
    }

    @Test func `a value that is not confirmed in time becomes stale once`() {
        var machine = self.machine(confirmedAt: 900)
        var now = Moment(uptime: 0, time: 1000)
        machine.fail(retryAfter: 3000, at: now, random: 0)
        #expect(machine.next(at: now) == .rest(500))
        now = Moment(uptime: 500, time: 1500)
        #expect(machine.next(at: now) == .turnStale)
        #expect(machine.next(at: now) == .rest(2500))
        now = Moment(uptime: 3000, time: 4000)
        #expect(machine.next(at: now) == .ask)
        let wasStale = machine.confirm(at: now)
        #expect(wasStale)
        #expect(!machine.isStale)
        #expect(machine.confirmedAt == 4000)
    }

    @Test func `a value that expired before a restart is stale before the first fetch`() {
        var machine = self.machine(confirmedAt: 1)
        #expect(machine.next(at: Moment(uptime: 0, time: 1000)) == .turnStale)
        #expect(machine.next(at: Moment(uptime: 0, time: 1000)) == .ask)
    }

    @Test(arguments: [-100_000, -500, 0, 500, 100_000])
    func `setting the clock does not change when a value becomes stale`(_ change: Int64) {
        var machine = self.machine()
        var now = Moment(uptime: 10, time: 200_000)
        _ = machine.confirm(at: now)
        machine.finish(at: now, random: 0)
        now = Moment(uptime: 60, time: 200_050 + change)
        #expect(machine.secondsUntilStale(at: now) == 550)
        now = Moment(uptime: 610, time: 200_600 + change)
        #expect(machine.next(at: now) == .turnStale)
        #expect(machine.staleAt == 200_600)
    }

    @Test func `a confirmation in the future counts as now`() {
        let machine = self.machine(confirmedAt: 5000)
        #expect(machine.secondsUntilStale(at: Moment(uptime: 0, time: 1000)) == 600)
    }

    @Test func `a feed without a value cannot become stale`() {
        var machine = self.machine()
        let now = Moment(uptime: 0, time: 100_000)
        machine.fail(retryAfter: nil, at: now, random: 0.5)
        #expect(machine.next(at: now) == .rest(0.5))
    }
}
