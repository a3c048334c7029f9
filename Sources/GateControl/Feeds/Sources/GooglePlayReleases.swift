internal import GatePolicy

/// The releases that a track of Google Play hands out, the oldest first.
struct GooglePlayReleases {
    struct Release {
        let version: AppVersion
        /// The highest versionCode of its artifacts.
        let code: UInt64
        /// Whether everybody gets it, as far as the answer shows.
        let isComplete: Bool
        /// The countries that have it, as lower-case codes; `nil`: all.
        var countries: [String]?
    }

    private static let published = "RELEASE_LIFECYCLE_STATE_PUBLISHED"
    private static let completed = "completed"
    /// The states of an edit in which somebody has a release.
    private static let handedOut = [completed, "inProgress", "halted"]

    let releases: [Release]

    /// Reads the listing of a track.
    ///
    /// Of a release that is handed out in steps the listing says no more than that it is published. But
    /// as long as it is not for everybody, the one before it is published beside it.
    ///
    /// - Throws: `FeedFailure` if nothing is published, or if no name of a release holds a version.
    init(listing: JSONValue) throws(FeedFailure) {
        let items = (listing["releases"]?.items ?? []).filter {
            $0["releaseLifecycleState"]?.text == Self.published
        }
        var found: [(version: AppVersion, code: UInt64)] = []
        for item in items {
            let codes = (item["activeArtifacts"]?.items ?? []).compactMap {
                $0["versionCode"]?.number
            }
            guard let code = codes.max(), let version = Self.version(in: item["releaseName"]?.text)
            else { continue }
            found.append((version, code))
        }
        guard !found.isEmpty else { throw Self.nothing(in: items) }
        found.sort { $0.code < $1.code }
        self.releases = found.enumerated().map { index, release in
            Release(version: release.version, code: release.code, isComplete: index == 0)
        }
    }

    /// Reads a track as an edit shows it: with how far its releases are handed out, and where.
    ///
    /// - Throws: `FeedFailure` if nothing is handed out, or if no name of a release holds a version.
    init(track: JSONValue) throws(FeedFailure) {
        let items = (track["releases"]?.items ?? []).filter { release in
            (release["status"]?.text).map { Self.handedOut.contains($0) } ?? false
                && Self.countries(of: release) != []
        }
        var found: [Release] = []
        for item in items {
            let codes = (item["versionCodes"]?.items ?? []).compactMap(\.number)
            guard let code = codes.max(), let version = Self.version(in: item["name"]?.text) else {
                continue
            }
            found.append(
                Release(
                    version: version,
                    code: code,
                    isComplete: item["status"]?.text == Self.completed,
                    countries: Self.countries(of: item)
                )
            )
        }
        guard !found.isEmpty else { throw Self.nothing(in: items) }
        self.releases = found.sorted { $0.code < $1.code }
    }

    /// The countries that a rollout is limited to.
    private static func countries(of release: JSONValue) -> [String]? {
        guard let targeting = release["countryTargeting"],
            targeting["includeRestOfWorld"] != .boolean(true)
        else { return nil }
        // A list that is empty may be left out.
        return (targeting["countries"]?.items ?? []).compactMap { $0.text?.lowercased() }
    }

    private static func nothing(in items: [JSONValue]) -> FeedFailure {
        .content(
            items.isEmpty
                ? "nothing is published on the track"
                : "no name of a release on the track holds a version such as 3.2.0"
        )
    }

    /// The version in a name such as `3.2.0`, `3.2.0 (3020)` or `Summer 3.2.0`.
    private static func version(in name: String?) -> AppVersion? {
        let words = (name ?? "").split { $0 == " " || $0 == "(" || $0 == ")" }
        return words.lazy.filter { $0.contains(".") }
            .compactMap { try? AppVersion(parsing: String($0)) }.first
    }
}

extension JSONValue {
    /// A versionCode: a number in the listing, a text in an edit.
    fileprivate var number: UInt64? {
        switch self {
        case .number(let text), .text(let text): UInt64(text)
        case .null, .boolean, .list, .object: nil
        }
    }
}
