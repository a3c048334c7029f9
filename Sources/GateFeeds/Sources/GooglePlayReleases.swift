internal import GatePolicy
internal import GateRules

/// The active releases on a Google Play track, oldest first.
struct GooglePlayReleases {
    struct Release: Equatable {
        /// The version; `nil` if the release name does not state it unambiguously.
        let version: AppVersion?
        /// The versionCodes of all artifacts in ascending order; at least one.
        let codes: [UInt64]
        /// Whether the release is available to all users, according to the response.
        var isComplete: Bool
        /// The countries that the release is limited to, as lowercase codes; `nil` if there is no limit.
        var countries: [String]?

        /// Whether the other release is newer.
        ///
        /// Of the codes that only one of the releases has, the newer release has the highest. A new
        /// release may keep artifacts of the previous one.
        fileprivate func precedes(_ other: Release) -> Bool {
            self.codes.reversed().lexicographicallyPrecedes(other.codes.reversed())
        }
    }

    private static let published = "RELEASE_LIFECYCLE_STATE_PUBLISHED"
    private static let completed = "completed"
    /// The states of releases that some users have; an edit uses these names.
    private static let handedOut = [completed, "inProgress", "halted"]

    let releases: [Release]
    /// Notes about release names that contain no unambiguous version.
    let notes: [String]

    /// Decodes the release listing of a track.
    ///
    /// The listing shows only that a staged rollout is published, not its progress. Until the
    /// rollout is available to all users, the previous release is also published.
    ///
    /// - Throws: `FeedFailure` if the listing is for a different track, or has no published release.
    init(listing: JSONValue, of track: String) throws(FeedFailure) {
        let items = listing["releases"]?.items ?? []
        let own = items.filter { Self.isOf(track, $0) }
        if let other = items.first, own.isEmpty { throw Self.another(track, other) }
        var (found, notes): ([Release], [String]) = ([], [])
        for item in own where item["releaseLifecycleState"]?.text == Self.published {
            let codes = Self.codes(item["activeArtifacts"]?.items?.map { $0["versionCode"] })
            let name = ReleaseName(item["releaseName"]?.text, codes)
            guard !codes.isEmpty else { continue }
            found.append(Release(version: name.version, codes: codes, isComplete: false))
            if let note = name.note { notes.append(note) }
        }
        guard !found.isEmpty else { throw Self.nothing }
        found.sort { $0.precedes($1) }
        found[0].isComplete = true
        self.releases = found
        self.notes = notes
    }

    /// Decodes a track from an edit, with the rollout state and the countries of its releases.
    ///
    /// - Throws: `FeedFailure` if the edit returned a different track, or one without an active
    ///   release.
    init(track: JSONValue, named name: String) throws(FeedFailure) {
        guard Self.isOf(name, track) else { throw Self.another(name, track) }
        var (found, notes): ([Release], [String]) = ([], [])
        for item in track["releases"]?.items ?? [] {
            let isHandedOut = (item["status"]?.text).map { Self.handedOut.contains($0) } ?? false
            let countries = Self.countries(of: item)
            let codes = Self.codes(item["versionCodes"]?.items)
            guard isHandedOut, countries != [], !codes.isEmpty else { continue }
            let name = ReleaseName(item["name"]?.text, codes)
            found.append(
                Release(
                    version: name.version,
                    codes: codes,
                    isComplete: item["status"]?.text == Self.completed,
                    countries: countries
                )
            )
            if let note = name.note { notes.append(note) }
        }
        guard !found.isEmpty else { throw Self.nothing }
        self.releases = found.sorted { $0.precedes($1) }
        self.notes = notes
    }

    /// Returns whether the item is for the track, or states no track.
    private static func isOf(_ track: String, _ item: JSONValue) -> Bool {
        item["track"]?.text.map { $0 == track } ?? true
    }

    private static func another(_ track: String, _ item: JSONValue) -> FeedFailure {
        .content(
            "requested the track '\(track)', but Google Play returned the track "
                + "'\((item["track"]?.text ?? "").prefix(80))', which is ignored; check 'track'"
        )
    }

    /// Decodes version codes, which are numbers in the listing and strings in an edit.
    private static func codes(_ values: [JSONValue?]?) -> [UInt64] {
        Set((values ?? []).compactMap { $0?.digits.flatMap { UInt64($0) } }).sorted()
    }

    /// Returns the countries that a rollout is limited to; `nil` if there is no limit.
    private static func countries(of release: JSONValue) -> [String]? {
        guard let targeting = release["countryTargeting"],
            targeting["includeRestOfWorld"] != .boolean(true)
        else { return nil }
        // The API may omit an empty list.
        return (targeting["countries"]?.items ?? []).compactMap { $0.text?.lowercased() }
    }

    private static let nothing = FeedFailure.content("no release is published on the track")
}
