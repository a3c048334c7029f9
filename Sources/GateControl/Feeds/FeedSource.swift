internal import GatePolicy

/// One kind of outside place, and how it is asked.
protocol FeedSource: Sendable {
    /// What and where it is, without secrets.
    var summary: String { get }

    /// Asks once, or listens until the source ends it.
    ///
    /// - Parameters:
    ///   - context: What is needed to ask.
    ///   - deliver: Takes each answer; an answer that is refused ends nothing.
    /// - Throws: `FeedFailure` if there was no good answer, or no longer.
    func follow(
        _ context: FeedContext,
        deliver: (FeedAnswer) async -> Void
    ) async throws(FeedFailure)
}

/// What a source needs to be asked.
struct FeedContext: Sendable {
    let fetcher: Fetcher
    /// What was taken last.
    let last: FeedValue?
    let now: @Sendable () -> Timestamp
}

/// What a source has said.
enum FeedAnswer: Sendable, Equatable {
    /// That the last value still holds.
    case unchanged
    case value(FeedValue)
}

/// What a feed contributes, ready to be merged and to be kept.
struct FeedValue: Sendable, Equatable, Codable {
    /// A rules file.
    var document: String
    /// What the source needs to know when it asks again: its ETag, or the newest that it has seen.
    var memory: [String: String]

    init(document: String, memory: [String: String] = [:]) {
        self.document = document
        self.memory = memory
    }
}
