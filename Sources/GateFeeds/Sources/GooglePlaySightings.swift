internal import GatePolicy
internal import GateRules

/// The times at which artifacts became available to all users.
///
/// Google Play does not provide these times, so the feed tracks them.
struct GooglePlaySightings {
    private static let before = "before"

    private let releases: GooglePlayReleases
    /// The times at which artifacts became available to all users, by versionCode.
    let memory: [String: String]

    /// Compares the current releases with the stored times.
    ///
    /// - Parameters:
    ///   - releases: The current releases.
    ///   - last: The stored times; `nil` at the first fetch, when the times of existing releases
    ///     are unknown.
    ///   - isByHighestCode: Whether only the highest code of each release was stored.
    ///   - now: The time of the response.
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

    /// Returns the time at which the last artifact of a release became available to all users;
    /// `nil` if all were already available at the first fetch.
    private func since(_ release: GooglePlayReleases.Release) -> Timestamp? {
        release.codes.compactMap { self.memory["\($0)"] }
            // The placeholder for releases found at the first fetch does not parse as a time.
            .compactMap { try? Timestamp(parsing: $0) }.max()
    }
}
