package import GatePolicy
package import GateSystem

/// One kind of outside place, and how it is asked.
package protocol FeedSource: Sendable {
    /// The kind and place of the source, without secrets.
    var summary: String { get }
    /// The subject of its answers.
    var subject: FeedSubject { get }
    /// The platforms that its rules are for, as its entry says; `nil` for every platform.
    var rulePlatforms: [Platform]? { get }
    /// The platforms that the rest of its entry speaks of.
    var platformClaims: [FeedPlatformClaim] { get }
    /// Whether it is listened to until somebody ends it, instead of answering once.
    var streams: Bool { get }
    /// The version of how answers are read. It counts up when a value that was made before may be
    /// wrong: such a value is used no more, except for what the source itself takes from its
    /// memory.
    var interpretation: Int { get }

    /// Asks once, or listens until the source ends it.
    ///
    /// - Parameters:
    ///   - context: What is needed to ask.
    ///   - deliver: Takes each answer; an answer that is refused ends nothing.
    /// - Returns: Whether everything was said that there was to say.
    /// - Throws: `FeedFailure` if there was no good answer, or no longer.
    @discardableResult
    func follow(
        _ context: FeedContext,
        deliver: (FeedAnswer) async -> Void
    ) async throws(FeedFailure) -> FeedEnd
}

extension FeedSource {
    package var streams: Bool { false }
    package var interpretation: Int { 1 }
    package var rulePlatforms: [Platform]? { nil }
    package var platformClaims: [FeedPlatformClaim] { [] }
}

/// The surroundings that a source needs to be asked.
package struct FeedContext: Sendable {
    /// The id of the feed.
    package let feed: String
    package let fetcher: Fetcher
    /// The value that was taken last.
    package let last: FeedValue?
    package let now: @Sendable () -> Timestamp

    package init(
        feed: String,
        fetcher: Fetcher,
        last: FeedValue?,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.feed = feed
        self.fetcher = fetcher
        self.last = last
        self.now = now
    }
}

/// The subjects that a feed may come to speak of, for those who look at the rules before it has
/// said something.
package enum FeedSubject: Sendable, Equatable {
    /// Anything that a rules file can say.
    case anything
    /// Rules that name these notices of the file.
    case rules(notices: Set<String>)
    /// The releases that a store has.
    case releases
}

/// How a question to a source has come to its end.
package enum FeedEnd: Sendable, Equatable {
    /// With an answer.
    case complete
    /// A stream has ended in order, and is to be taken up again.
    case interrupted
}

/// The answer of a source.
package enum FeedAnswer: Sendable, Equatable {
    /// Something that means nothing; what comes next may.
    case nonsense(FeedFailure)
    /// That the value that was taken last still holds.
    case unchanged
    /// That what this stream said last still holds, whether it was taken or not.
    case alive
    case value(FeedValue)
    /// A value of which some questions failed: the source says which ones when it has come to its end.
    case part(FeedValue)
}

/// A feed's share of the rules, ready to be merged and to be kept.
package struct FeedValue: Sendable, Equatable, Codable {
    /// One of the rules files that a feed gives.
    package struct File: Sendable, Equatable, Codable {
        /// The name that sets it apart from others of the same feed; `nil` if there are none.
        package var name: String?
        package var text: String

        package init(name: String?, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// In the order in which they are joined.
    package var files: [File]
    /// The memory that the source needs when it asks again: its ETag, or the newest that it has
    /// seen.
    package var memory: [String: String]
    /// Notes for operators on how the source was understood, a sentence each; `nil` for none.
    package var notes: [String]?
    /// The version of how the answers were read that it was made of; `nil` for the first.
    private var readAs: Int?

    package init(
        files: [File],
        memory: [String: String] = [:],
        notes: [String] = [],
        interpretation: Int = 1
    ) {
        self.files = files
        self.memory = memory
        self.readAs = interpretation == 1 ? nil : interpretation
        // Names of the source may be of any form: in the log and in a file, a note is one line.
        let lines = notes.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
        self.notes = lines.isEmpty ? nil : lines
    }

    /// A feed that is one rules file.
    package init(
        document: String,
        memory: [String: String] = [:],
        notes: [String] = [],
        interpretation: Int = 1
    ) {
        self.init(
            files: [File(name: nil, text: document)],
            memory: memory,
            notes: notes,
            interpretation: interpretation
        )
    }

    /// The version of how answers of its source were read when it was made.
    package var interpretation: Int { self.readAs ?? 1 }

    /// All files as one text for people, each under its name if it has one, below the notes.
    package var document: String {
        let notes = (self.notes ?? []).map { "# \($0)\n" }.joined()
        return notes
            + self.files.map { file in
                file.name.map { "# \($0)\n" + file.text } ?? file.text
            }.joined(separator: "\n")
    }
}
