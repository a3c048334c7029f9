internal import GateFeeds
internal import GatePolicy
internal import GateRules
internal import GateSystem

/// Polls or streams one feed until its task is canceled.
actor FeedRunner {
    private let feed: FeedDefinition
    private let coordinator: FeedCoordinator
    private let fetcher: Fetcher
    private let wakeup: FeedWakeup
    private let clock: FeedClock
    private var machine: FeedSchedule
    private var debounce = FeedDebounce()
    /// The task that applies delayed results; `nil` if none are pending.
    private var later: Task<Void, Never>?
    /// Whether the last result was rejected.
    private var isRefused = false

    /// Creates a runner for a feed.
    ///
    /// `wakeup` triggers a fetch before it is due.
    init(
        _ feed: FeedDefinition,
        coordinator: FeedCoordinator,
        fetcher: Fetcher,
        wakeup: FeedWakeup,
        clock: FeedClock = .system()
    ) {
        self.feed = feed
        self.coordinator = coordinator
        self.fetcher = fetcher
        self.wakeup = wakeup
        self.clock = clock
        self.machine = FeedSchedule(feed.timing, confirmedAt: nil, now: clock.now())
    }

    func run() async {
        let confirmedAt = await self.coordinator.begin(self.feed)
        self.machine = FeedSchedule(self.feed.timing, confirmedAt: confirmedAt, now: self.now)
        while !Task.isCancelled {
            switch self.machine.next(at: self.now) {
            case .ask: await self.ask()
            case .turnStale: await self.turnStale()
            case .rest(let seconds): await self.rest(seconds)
            }
        }
    }

    private func rest(_ seconds: Double) async {
        await self.coordinator.rest(self.feed, until: self.machine.nextFetch(at: self.now))
        let clock = self.clock
        let wasWoken = await self.wakeup.wakes(before: { try? await clock.sleep(seconds) })
        if wasWoken { self.machine.hint(at: self.now) }
    }

    /// Fetches the source once, or follows its stream, and marks the value as stale when it is too
    /// old.
    private func ask() async {
        // This fetch also serves earlier wake-ups.
        self.wakeup.forget()
        await self.coordinator.beginFetch(to: self.feed, at: self.now.time)
        await withTaskGroup { group in
            group.addTask {
                await self.follow()
                return true
            }
            if let staleAfter = self.feed.timing.staleAfter {
                group.addTask {
                    await self.watchAge(staleAfter)
                    return false
                }
            }
            for await isOver in group where isOver { group.cancelAll() }
        }
    }

    private func watchAge(_ staleAfter: Int64) async {
        while !Task.isCancelled {
            let wait = self.machine.secondsUntilStale(at: self.now) ?? Double(staleAfter)
            if wait > 0 {
                try? await self.clock.sleep(wait)
            } else if self.machine.turnsStale(at: self.now) {
                await self.turnStale()
            }
        }
    }

    private func turnStale() async {
        await self.coordinator.turnStale(self.feed, at: self.machine.staleAt ?? self.now.time)
    }

    private func follow() async {
        let clock = self.clock
        let context = FeedContext(
            feed: self.feed.id,
            fetcher: self.fetcher,
            last: await self.coordinator.last(of: self.feed),
            now: { Timestamp(secondsSinceEpoch: clock.now().time) }
        )
        self.isRefused = false
        do throws(FeedFailure) {
            let end = try await self.feed.source.follow(context) { await self.hear($0) }
            await self.applyPendingResults()
            guard !Task.isCancelled else { return }
            switch end {
            case .complete where self.isRefused:
                self.machine.fail(retryAfter: nil, at: self.now, random: .random(in: 0..<1))
            case .complete: self.machine.finish(at: self.now, random: .random(in: 0..<1))
            case .interrupted: await self.scheduleReopening()
            }
        } catch {
            await self.applyPendingResults()
            // The feed was removed, or the gate is shutting down.
            guard !Task.isCancelled else { return }
            let random = Double.random(in: 0..<1)
            self.machine.fail(retryAfter: error.retryAfter, at: self.now, random: random)
            await self.coordinator.fail(error, of: self.feed, failures: self.machine.failures)
        }
    }

    private func hear(_ answer: FeedResult) async {
        self.debounce.add(answer)
        guard let wait = await self.applyDueResults(), self.later == nil else { return }
        self.later = Task { await self.take(after: wait) }
    }

    /// Applies the results that are due; returns the delay in seconds until the next result is due,
    /// or `nil` if none is pending.
    private func applyDueResults() async -> Double? {
        while true {
            switch self.debounce.next(at: self.now.uptime) {
            case .take(let answers):
                for answer in answers { await self.take(answer) }
                self.debounce.finish(answers, at: self.now.uptime)
            case .wait(let seconds): return seconds
            case .nothing: return nil
            }
        }
    }

    private func take(_ answer: FeedResult) async {
        self.isRefused = !(await self.coordinator.take(answer, of: self.feed, at: self.now.time))
        if !self.isRefused { _ = self.machine.confirm(at: self.now) }
    }

    private func take(after seconds: Double) async {
        var wait: Double? = seconds
        while let seconds = wait {
            do { try await self.clock.sleep(seconds) } catch { return }
            wait = await self.applyDueResults()
        }
        self.later = nil
    }

    /// Applies pending results at the end of a fetch, or after the task was canceled.
    private func applyPendingResults() async {
        self.later?.cancel()
        await self.later?.value
        self.later = nil
        self.debounce.hurry()
        _ = await self.applyDueResults()
    }

    private func scheduleReopening() async {
        self.machine.interrupt(at: self.now, random: .random(in: 0..<1))
        // Every stream ends from time to time; only repeatedly short streams are reported.
        guard self.machine.failures > 1 else { return }
        let failure = FeedFailure.content("the stream ended too soon")
        await self.coordinator.fail(failure, of: self.feed, failures: self.machine.failures)
    }

    private var now: FeedSchedule.Moment { self.clock.now() }
}

/// The clock and the sleep function of a feed.
struct FeedClock: Sendable {
    let now: @Sendable () -> FeedSchedule.Moment
    /// Sleeps for a number of seconds.
    ///
    /// - Throws: `CancellationError` as soon as the task is canceled.
    let sleep: @Sendable (_ seconds: Double) async throws -> Void

    /// Returns the system's clock; its uptime starts at 0.
    static func system() -> FeedClock {
        let start = ContinuousClock.now
        return FeedClock {
            FeedSchedule.Moment(
                uptime: start.duration(to: .now) / .seconds(1),
                time: SystemClock.now().secondsSinceEpoch
            )
        } sleep: {
            try await Task.sleep(for: .seconds($0))
        }
    }
}
