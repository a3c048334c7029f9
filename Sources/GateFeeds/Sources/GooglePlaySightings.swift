internal import GatePolicy
internal import GateRules

/// Since when everybody gets each artifact: Google Play does not say it, so that it is remembered.
struct GooglePlaySightings {
    private static let before = "before"

    private let releases: GooglePlayReleases
    /// By versionCode, since when it is for everybody.
    let memory: [String: String]

    /// Compares what is handed out with what is remembered.
    ///
    /// - Parameters:
    ///   - releases: What is handed out now.
    ///   - last: What is remembered; `nil` if nothing was ever seen, and then nobody knows since when
    ///     what is there has been there.
    ///   - isByHighestCode: Whether only the highest code of each release was remembered.
    ///   - now: The second of the answer.
    init(
        of releases: GooglePlayReleases,
        after last: [String: String]?,
        isByHighestCode: Bool = false,
        now: Timestamp
    ) {
        self.releases = releases
        var memory: [String: String] = [:]
        for release in releases.releases where release.isComplete {
            let highest = isByHighestCode ? release.codes.last.flatMap { last?["\($0)"] } : nil
            for code in release.codes {
                memory["\(code)"] = last.map { $0["\(code)"] ?? highest ?? "\(now)" } ?? Self.before
            }
        }
        self.memory = memory
    }

    func document(for store: StoreKeys) -> FeedDocument {
        var document = FeedDocument()
        document.releases = self.releases.releases.reversed().map { release in
            var members = store.members
            if let version = release.version {
                members.append(.init("version", .text("\(version)")))
            }
            let codes = release.codes.map { JSONValue.number("\($0)") }
            members.append(
                codes.count == 1 ? .init("build", codes[0]) : .init("builds", .list(codes))
            )
            if let countries = release.countries {
                members.append(.init("countries", .list(countries.map { .text($0) })))
            }
            if !release.isComplete {
                members.append(.init("phased", .text(PhaseDecoder.partialWord)))
            } else if let since = self.since(release) {
                members.append(.init("releasedAt", .text("\(since)")))
            }
            return .object(members)
        }
        return document
    }

    /// Since when everybody gets each artifact of a release; `nil` if always.
    private func since(_ release: GooglePlayReleases.Release) -> Timestamp? {
        release.codes.compactMap { self.memory["\($0)"] }
            // The word that stands for a time before the first answer cannot be read as a time.
            .compactMap { try? Timestamp(parsing: $0) }.max()
    }
}
