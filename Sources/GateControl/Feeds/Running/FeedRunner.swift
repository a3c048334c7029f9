private import FoundationEssentials
internal import GatePolicy

/// Asks one feed, again and again, for as long as its task lives.
actor FeedRunner {
    private let feed: FeedDefinition
    private let desk: FeedDesk
    private let fetcher: Fetcher
    private let bell: FeedBell
    private let start = ContinuousClock.now
    private var machine: FeedMachine

    /// Prepares to ask; `bell`: makes it be asked before it is due.
    init(_ feed: FeedDefinition, desk: FeedDesk, fetcher: Fetcher, bell: FeedBell) {
        self.feed = feed
        self.desk = desk
        self.fetcher = fetcher
        self.bell = bell
        let now = FeedMachine.Moment(uptime: 0, time: SystemClock.now().secondsSinceEpoch)
        self.machine = FeedMachine(feed.timing, confirmedAt: nil, now: now)
    }

    func run() async {
        let confirmedAt = await self.desk.begin(self.feed)
        self.machine = FeedMachine(self.feed.timing, confirmedAt: confirmedAt, now: self.now)
        while !Task.isCancelled {
            switch self.machine.next(at: self.now) {
            case .ask: await self.ask()
            case .turnStale: await self.desk.turnStale(self.feed)
            case .rest(let seconds): await self.rest(seconds)
            }
        }
    }

    private func rest(_ seconds: Double) async {
        await self.desk.rest(self.feed, until: self.machine.nextQuestion(at: self.now))
        if await self.bell.rings(within: .seconds(seconds)) { self.machine.hint(at: self.now) }
    }

    /// Asks once, or listens; a stream that goes on may still turn stale.
    private func ask() async {
        // Whoever rang before is answered by this question.
        self.bell.silence()
        await self.desk.beginQuestion(to: self.feed, at: self.now.time)
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
                try? await Task.sleep(for: .seconds(wait))
            } else if self.machine.turnsStale(at: self.now) {
                await self.desk.turnStale(self.feed)
            }
        }
    }

    private func follow() async {
        let context = FeedContext(
            feed: self.feed.id,
            fetcher: self.fetcher,
            last: await self.desk.last(of: self.feed),
            now: SystemClock.now
        )
        var isRefused = false
        do throws(FeedFailure) {
            let end = try await self.feed.source.follow(context) { answer in
                isRefused = !(await self.desk.take(answer, of: self.feed, at: self.now.time))
                if !isRefused { _ = self.machine.confirm(at: self.now) }
            }
            guard !Task.isCancelled else { return }
            switch end {
            case .complete where isRefused:
                self.machine.fail(retryAfter: nil, at: self.now, random: .random(in: 0..<1))
            case .complete: self.machine.finish(at: self.now, random: .random(in: 0..<1))
            case .interrupted: await self.takeUpAgain()
            }
        } catch {
            // Nobody wants to know any more.
            guard !Task.isCancelled else { return }
            let random = Double.random(in: 0..<1)
            self.machine.fail(retryAfter: error.retryAfter, at: self.now, random: random)
            await self.desk.fail(error, of: self.feed, failures: self.machine.failures)
        }
    }

    private func takeUpAgain() async {
        self.machine.interrupt(at: self.now, random: .random(in: 0..<1))
        // Now and then every stream ends; only one that never lasts is worth a word.
        guard self.machine.failures > 1 else { return }
        let failure = FeedFailure.content("the stream ended too soon")
        await self.desk.fail(failure, of: self.feed, failures: self.machine.failures)
    }

    private var now: FeedMachine.Moment {
        let (seconds, attoseconds) = self.start.duration(to: .now).components
        return FeedMachine.Moment(
            uptime: Double(seconds) + Double(attoseconds) * 1e-18,
            time: SystemClock.now().secondsSinceEpoch
        )
    }
}
