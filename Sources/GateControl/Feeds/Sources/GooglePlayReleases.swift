internal import GatePolicy

/// What a track of Google Play hands out, the oldest first.
struct GooglePlayReleases {
    struct Release {
        let version: AppVersion
        /// The highest versionCode of its artifacts.
        let code: UInt64
        /// Whether everybody gets it, as far as the listing shows.
        let isComplete: Bool
    }

    private static let published = "RELEASE_LIFECYCLE_STATE_PUBLISHED"

    let releases: [Release]

    /// Reads the listing of a track.
    ///
    /// Of a release that is handed out in steps the listing says no more than that it is published. But
    /// as long as it is not for everybody, the one before it is published beside it.
    ///
    /// - Throws: `FeedFailure` if nothing is published, or if no name of a release holds a version.
    init(_ listing: JSONValue) throws(FeedFailure) {
        let items = (listing["releases"]?.items ?? []).filter {
            $0["releaseLifecycleState"]?.text == Self.published
        }
        var found: [(version: AppVersion, code: UInt64)] = []
        for item in items {
            let codes = (item["activeArtifacts"]?.items ?? []).compactMap(\.code)
            guard let code = codes.max(), let version = Self.version(in: item["releaseName"]?.text)
            else { continue }
            found.append((version, code))
        }
        guard !found.isEmpty else {
            throw .content(
                items.isEmpty
                    ? "nothing is published on the track"
                    : "no name of a release on the track holds a version such as 3.2.0"
            )
        }
        found.sort { $0.code < $1.code }
        self.releases = found.enumerated().map { index, release in
            Release(version: release.version, code: release.code, isComplete: index == 0)
        }
    }

    /// The version in a name such as `3.2.0`, `3.2.0 (3020)` or `Summer 3.2.0`.
    private static func version(in name: String?) -> AppVersion? {
        let words = (name ?? "").split { $0 == " " || $0 == "(" || $0 == ")" }
        return words.lazy.filter { $0.contains(".") }
            .compactMap { try? AppVersion(parsing: String($0)) }.first
    }
}

extension JSONValue {
    /// The versionCode of an artifact: a number here, a text in other answers of the service.
    fileprivate var code: UInt64? {
        switch self["versionCode"] {
        case .number(let text)?, .text(let text)?: UInt64(text)
        case .null?, .boolean?, .list?, .object?, nil: nil
        }
    }
}
