private import FoundationEssentials
internal import GatePolicy

/// Asks one feed, again and again, for as long as its task lives.
struct FeedRunner: Sendable {
    private let feed: FeedDefinition
    private let desk: FeedDesk
    private let fetcher: Fetcher
    private let start = ContinuousClock.now

    init(_ feed: FeedDefinition, desk: FeedDesk, fetcher: Fetcher) {
        self.feed = feed
        self.desk = desk
        self.fetcher = fetcher
    }

    func run() async {
        let confirmedAt = await self.desk.begin(self.feed)
        var machine = FeedMachine(self.feed.timing, confirmedAt: confirmedAt, now: self.now)
        while !Task.isCancelled {
            switch machine.next(at: self.now) {
            case .ask: await self.ask(&machine)
            case .turnStale: await self.desk.turnStale(self.feed)
            case .rest(let seconds): try? await Task.sleep(for: .seconds(seconds))
            }
        }
    }

    private func ask(_ machine: inout FeedMachine) async {
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
                if !isRefused { _ = machine.confirm(at: self.now) }
            }
            guard !Task.isCancelled else { return }
            switch end {
            case .complete where isRefused:
                machine.fail(retryAfter: nil, at: self.now, random: .random(in: 0..<1))
            case .complete: machine.finish(at: self.now, random: .random(in: 0..<1))
            case .interrupted: await self.takeUpAgain(&machine)
            }
        } catch {
            // Nobody wants to know any more.
            guard !Task.isCancelled else { return }
            machine.fail(retryAfter: error.retryAfter, at: self.now, random: .random(in: 0..<1))
            await self.desk.fail(error, of: self.feed, failures: machine.failures)
        }
    }

    private func takeUpAgain(_ machine: inout FeedMachine) async {
        machine.interrupt(at: self.now, random: .random(in: 0..<1))
        // Now and then every stream ends; only one that never lasts is worth a word.
        guard machine.failures > 1 else { return }
        let failure = FeedFailure.content("the stream ended too soon")
        await self.desk.fail(failure, of: self.feed, failures: machine.failures)
    }

    private var now: FeedMachine.Moment {
        let (seconds, attoseconds) = self.start.duration(to: .now).components
        return FeedMachine.Moment(
            uptime: Double(seconds) + Double(attoseconds) * 1e-18,
            time: SystemClock.now().secondsSinceEpoch
        )
    }
}
