package import GatePolicy

/// A kind of external source, and how it is fetched.
package protocol FeedSource: Sendable {
    /// The kind and location of the source, without secrets.
    var summary: String { get }
    /// The kind of data that the source provides.
    var subject: FeedSubject { get }
    /// The platforms of the generated rules according to the entry; `nil` if they apply to all platforms.
    var rulePlatforms: [Platform]? { get }
    /// The platforms that other parts of the entry imply, such as field names.
    var platformClaims: [FeedPlatformClaim] { get }
    /// Whether the source is streamed instead of polled.
    var streams: Bool { get }
    /// The version of the conversion from source data to rules.
    ///
    /// An implementation increases this version when earlier versions may have converted data incorrectly. Their
    /// values are then discarded, except for their `memory`.
    var interpretation: Int { get }

    /// Fetches the source once, or follows its stream until it ends.
    ///
    /// - Parameters:
    ///   - context: The context of the fetch.
    ///   - deliver: A function that receives each result; a rejected value does not end the fetch.
    /// - Returns: `complete`, or `interrupted` if a stream ended normally.
    /// - Throws: `FeedFailure` if the fetch or the stream failed.
    @discardableResult
    func follow(
        _ context: FeedContext,
        deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) -> FeedEnd
}

extension FeedSource {
    package var streams: Bool { false }
    package var interpretation: Int { 1 }
    package var rulePlatforms: [Platform]? { nil }
    package var platformClaims: [FeedPlatformClaim] { [] }
}

/// The kind of data that a feed may contribute, for checking the rules before the first value is fetched.
package enum FeedSubject: Sendable, Equatable {
    /// Anything that a rules file may contain.
    case anything
    /// Rules that refer to these notices in the file.
    case rules(notices: Set<String>)
    /// The releases in a store.
    case releases
}

/// The outcome of a fetch.
package enum FeedEnd: Sendable, Equatable {
    /// The fetch is complete.
    case complete
    /// A stream ended normally, and must be reopened.
    case interrupted
}

/// A result that a source delivers.
package enum FeedResult: Sendable, Equatable {
    /// Invalid data; the next result may be valid.
    case nonsense(FeedFailure)
    /// Confirms the last applied value.
    case unchanged
    /// Confirms the last value of this stream, whether it was applied or rejected.
    case alive
    case value(FeedValue)
    /// A value for which some requests failed; the source reports the failures at the end of the
    /// fetch.
    case part(FeedValue)
}

/// The contribution of a feed to the rules, for merging and for storage.
package struct FeedValue: Sendable, Equatable, Codable {
    /// A rules file from a feed.
    package struct File: Sendable, Equatable, Codable {
        /// The name that distinguishes the file from the feed's other files; `nil` if there is only
        /// one file.
        package var name: String?
        package var text: String

        package init(name: String?, text: String) {
            self.name = name
            self.text = text
        }
    }

    /// The files in the order in which they are merged.
    package var files: [File]
    /// Data that the source stores for its next fetch, such as an ETag or the newest version seen.
    package var memory: [String: String]
    /// Notes for operators about the interpretation of the data, one sentence each; `nil` if there
    /// are none.
    package var notes: [String]?
    /// The version of the conversion that created the value; `nil` means version 1.
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
        // Names in the source may contain line breaks; a note must stay on one line in logs and
        // files.
        let lines = notes.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
        self.notes = lines.isEmpty ? nil : lines
    }

    /// Creates a value with a single rules file.
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

    /// The version of the conversion that created the value.
    package var interpretation: Int { self.readAs ?? 1 }

    /// The notes followed by all files, as one string for display; a named file is preceded by its
    /// name.
    package var document: String {
        let notes = (self.notes ?? []).map { "# \($0)\n" }.joined()
        return notes
            + self.files.map { file in
                file.name.map { "# \($0)\n" + file.text } ?? file.text
            }.joined(separator: "\n")
    }
}
