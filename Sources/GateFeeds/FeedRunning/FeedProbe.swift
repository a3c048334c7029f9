package import GateRules
package import GateSystem
/// Fetches feeds once, to show the rules that they would contribute.
package struct FeedProbe: Sendable {
    /// The result of fetching a feed once.
    package struct Answer: Sendable {
        package let feed: FeedDefinition
        /// The rules that the feed would add.
        package fileprivate(set) var contribution: FeedContribution?
        /// The reason why the contribution is missing or incomplete; `nil` if it is complete.
        package fileprivate(set) var failure: FeedFailure?
    }

    private let fetcher: Fetcher

    package init(fetcher: Fetcher) {
        self.fetcher = fetcher
    }

    /// Fetches all feeds concurrently; the results are in the order of the feeds.
    package func ask(_ feeds: [FeedDefinition]) async -> [Answer] {
        await withTaskGroup { group in
            for (index, feed) in feeds.enumerated() {
                group.addTask { (index, await self.ask(feed)) }
            }
            var answers: [Int: Answer] = [:]
            for await (index, answer) in group { answers[index] = answer }
            return feeds.indices.compactMap { answers[$0] }
        }
    }

    private func ask(_ feed: FeedDefinition) async -> Answer {
        let (values, continuation) = AsyncStream.makeStream(
            of: Result<FeedValue, FeedFailure>.self
        )
        let context = FeedContext(
            feed: feed.id,
            fetcher: self.fetcher,
            last: nil,
            now: SystemClock.now
        )
        return await withTaskGroup { group in
            group.addTask {
                do throws(FeedFailure) {
                    try await feed.source.follow(context) { answer in
                        switch answer {
                        case .value(let value), .part(let value):
                            continuation.yield(.success(value))
                        case .nonsense(let failure): continuation.yield(.failure(failure))
                        case .unchanged, .alive: break
                        }
                    }
                } catch {
                    continuation.yield(.failure(error))
                }
                continuation.finish()
            }
            var answer = Answer(feed: feed)
            for await result in values {
                switch result {
                case .success(let value):
                    answer.contribution = FeedContribution(
                        fingerprint: feed.fingerprint,
                        value: value
                    )
                case .failure(let failure):
                    answer.failure = failure
                }
                // A stream does not end by itself; its first value is sufficient.
                if feed.source.streams { break }
            }
            group.cancelAll()
            if answer.contribution == nil, answer.failure == nil {
                answer.failure = .content("the source returned no value")
            }
            return answer
        }
    }
}
