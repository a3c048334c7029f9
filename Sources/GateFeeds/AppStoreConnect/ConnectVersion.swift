internal import GatePolicy
internal import GateRules

/// A version that is available in the App Store, according to App Store Connect.
struct ConnectVersion: Equatable {
    /// The state of the phased release.
    enum Phase: Equatable {
        case complete
        case phased(until: Timestamp)
        /// Available to all users, since this time at the latest; the developer may have ended the
        /// phased release early.
        case ended(by: Timestamp)
        case partial
    }

    var version: AppVersion
    var build: BuildNumber?
    /// The start of the phased release.
    var phasedFrom: Timestamp?
    /// The earliest release date set by the developer; the release may have been much later.
    var earliestRelease: Timestamp?
    var phase: Phase

    /// The states of versions in the store: the current name, and the name before API 3.3.
    private static let liveStates = ["READY_FOR_DISTRIBUTION", "READY_FOR_SALE"]
    private static let day: Int64 = 86_400
    /// The duration of a phased release in days; it reaches all users on the seventh day.
    private static let phasedDays: Int64 = 7

    /// Decodes a version; returns `nil` if the version is not in the App Store.
    init?(_ resource: JSONValue, in list: ConnectList) throws(FeedFailure) {
        let states = [
            try resource.text(at: "attributes.appVersionState"),
            try resource.text(at: "attributes.appStoreState"),
        ]
        guard let state = states.compactMap(\.self).first else {
            throw .content("a version has no state")
        }
        guard Self.liveStates.contains(state) else { return nil }
        guard let version = try resource.version(at: "attributes.versionString") else {
            throw .content("a version has no 'versionString'")
        }
        let build = try list.related("build", of: resource)?.text(at: "attributes.version")
        let phased = list.related("appStoreVersionPhasedRelease", of: resource)
        self.version = version
        self.build = build.flatMap { try? BuildNumber(parsing: $0) }
        self.phasedFrom = try phased?.time(at: "attributes.startDate")
        self.earliestRelease = try resource.time(at: "attributes.earliestReleaseDate")
        self.phase = try Self.phase(phased)
    }

    /// Returns the phase of a phased release.
    ///
    /// https://developer.apple.com/help/app-store-connect/update-your-app/release-a-version-update-in-phases
    private static func phase(_ release: JSONValue?) throws(FeedFailure) -> Phase {
        guard let release else { return .complete }
        switch try release.text(at: "attributes.phasedReleaseState") {
        case "COMPLETE": return try Self.end(of: release).map { .ended(by: $0) } ?? .complete
        case "ACTIVE": return try Self.end(of: release).map { .phased(until: $0) } ?? .partial
        // The release is paused or inactive, or in a state that Apple added later.
        case _: return .partial
        }
    }

    private static func end(of release: JSONValue) throws(FeedFailure) -> Timestamp? {
        guard let start = try release.time(at: "attributes.startDate") else { return nil }
        let paused = release[path: "attributes.totalPauseDuration"]?.wholeNumber ?? 0
        // Enforcing a version too late does less harm than enforcing it too early.
        let days = Self.phasedDays + max(0, min(paused, 30))
        return Timestamp(secondsSinceEpoch: start.secondsSinceEpoch + days * Self.day)
    }
}
