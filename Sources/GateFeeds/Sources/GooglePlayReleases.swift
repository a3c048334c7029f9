internal import GatePolicy
internal import GateRules

/// The releases that a track of Google Play hands out, the oldest first.
struct GooglePlayReleases {
    struct Release: Equatable {
        /// The version, if the name of the release states it for certain.
        let version: AppVersion?
        /// The versionCodes of all its artifacts, the lowest first; at least one.
        let codes: [UInt64]
        /// Whether everybody gets it, as far as the answer shows.
        let isComplete: Bool
        /// The countries that have it, as lower-case codes; `nil`: all.
        var countries: [String]?

        /// Whether the other one is newer: one that keeps some artifacts of the one before has a
        /// higher code where they differ.
        fileprivate func precedes(_ other: Release) -> Bool {
            self.codes.reversed().lexicographicallyPrecedes(other.codes.reversed())
        }
    }

    private static let published = "RELEASE_LIFECYCLE_STATE_PUBLISHED"
    private static let completed = "completed"
    /// The states of an edit in which somebody has a release.
    private static let handedOut = [completed, "inProgress", "halted"]

    let releases: [Release]
    /// The names that state no version for certain, in words.
    private(set) var notes: [String] = []

    /// Reads the listing of a track.
    ///
    /// Of a release that is handed out in steps the listing says no more than that it is published. But
    /// as long as it is not for everybody, the one before it is published beside it.
    ///
    /// - Throws: `FeedFailure` if nothing is published on the track.
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
        self.releases = found.enumerated().map { index, release in
            Release(version: release.version, codes: release.codes, isComplete: index == 0)
        }
        self.notes = notes
    }

    /// Reads a track as an edit shows it: with how far its releases are handed out, and where.
    ///
    /// - Throws: `FeedFailure` if nothing is handed out, or if it is another track.
    init(track: JSONValue, named name: String) throws(FeedFailure) {
        guard Self.isOf(name, track) else { throw Self.another(name, track) }
        var (found, notes): ([Release], [String]) = ([], [])
        for item in track["releases"]?.items ?? [] {
            let isHandedOut = (item["status"]?.text).map { Self.handedOut.contains($0) } ?? false
            let countries = Self.countries(of: item)
            let codes = Self.codes(item["versionCodes"]?.items?.map { $0 })
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

    /// Whether nothing in an item says that it is of another track.
    private static func isOf(_ track: String, _ item: JSONValue) -> Bool {
        item["track"]?.text.map { $0 == track } ?? true
    }

    private static func another(_ track: String, _ item: JSONValue) -> FeedFailure {
        .content(
            "asked for the track '\(track)', Google Play answers with the track "
                + "'\((item["track"]?.text ?? "").prefix(80))', which does not count; check 'track'"
        )
    }

    private static func codes(_ values: [JSONValue?]?) -> [UInt64] {
        Set((values ?? []).compactMap { $0?.number }).sorted()
    }

    /// The countries that a rollout is limited to.
    private static func countries(of release: JSONValue) -> [String]? {
        guard let targeting = release["countryTargeting"],
            targeting["includeRestOfWorld"] != .boolean(true)
        else { return nil }
        // A list that is empty may be left out.
        return (targeting["countries"]?.items ?? []).compactMap { $0.text?.lowercased() }
    }

    private static let nothing = FeedFailure.content("nothing is published on the track")
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
