package import GateRules
package import GateSystem

/// Asks feeds once, to show what they would say.
package struct FeedProbe: Sendable {
    /// The answer of a feed to one question.
    package struct Answer: Sendable {
        package let feed: FeedDefinition
        /// The rules that it would add.
        package fileprivate(set) var contribution: FeedContribution?
        /// Why there is nothing, or not all of it.
        package fileprivate(set) var failure: FeedFailure?
    }

    private let fetcher: Fetcher

    package init(fetcher: Fetcher) {
        self.fetcher = fetcher
    }

    /// Asks all feeds at the same time; the answers come in the order of the feeds.
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
                // A stream goes on for ever; its first answer is enough.
                if feed.source.streams { break }
            }
            group.cancelAll()
            if answer.contribution == nil, answer.failure == nil {
                answer.failure = .content("the source said nothing")
            }
            return answer
        }
    }
}
