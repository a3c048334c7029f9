internal import GatePolicy

/// Since when everybody gets each release: Google Play does not say it, so that it is remembered.
struct GooglePlaySightings {
    private static let before = "before"

    private let releases: GooglePlayReleases
    /// By versionCode, since when it is for everybody.
    let memory: [String: String]

    /// Compares what is handed out with what is remembered.
    ///
    /// `last`: what is remembered; `nil` if nothing was ever seen, and then nobody knows since when what
    /// is there has been there.
    init(of releases: GooglePlayReleases, after last: [String: String]?, now: Timestamp) {
        self.releases = releases
        var memory: [String: String] = [:]
        for release in releases.releases where release.isComplete {
            let code = "\(release.code)"
            memory[code] = last.map { $0[code] ?? "\(now)" } ?? Self.before
        }
        self.memory = memory
    }

    func document(for store: StoreKeys) -> FeedDocument {
        var document = FeedDocument()
        document.releases = self.releases.releases.reversed().map { release in
            var members = store.members
            members.append(.init("version", .text("\(release.version)")))
            members.append(.init("build", .number("\(release.code)")))
            if let countries = release.countries {
                members.append(.init("countries", .list(countries.map { .text($0) })))
            }
            if !release.isComplete {
                members.append(.init("phased", .text(PhaseDecoder.partialWord)))
            } else if let since = self.memory["\(release.code)"], since != Self.before {
                members.append(.init("releasedAt", .text(since)))
            }
            return .object(members)
        }
        return document
    }
}
