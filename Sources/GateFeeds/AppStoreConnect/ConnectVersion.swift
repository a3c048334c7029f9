internal import GatePolicy
internal import GateRules

/// A version that the App Store has now, as App Store Connect knows it.
struct ConnectVersion: Equatable {
    /// How far the App Store has got with handing it out.
    enum Phase: Equatable {
        case complete
        case phased(until: Timestamp)
        /// Everybody gets it, since this time or since its owner let everybody have it before.
        case ended(by: Timestamp)
        case partial
    }

    var version: AppVersion
    var build: BuildNumber?
    /// Since when it is handed out in steps, or was.
    var phasedFrom: Timestamp?
    /// The date before which its owner did not want it to come out; it may have come long after.
    var earliestRelease: Timestamp?
    var phase: Phase

    /// The words for "in the store": the one of now and the one of before (API 3.3).
    private static let liveStates = ["READY_FOR_DISTRIBUTION", "READY_FOR_SALE"]
    private static let day: Int64 = 86_400
    /// How long a phased release takes: on the seventh day everybody gets it.
    private static let phasedDays: Int64 = 7

    /// Reads a version; `nil` for one that the App Store does not have.
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

    /// How far a phased release has got.
    ///
    /// https://developer.apple.com/help/app-store-connect/update-your-app/release-a-version-update-in-phases
    private static func phase(_ release: JSONValue?) throws(FeedFailure) -> Phase {
        guard let release else { return .complete }
        switch try release.text(at: "attributes.phasedReleaseState") {
        case "COMPLETE": return try Self.end(of: release).map { .ended(by: $0) } ?? .complete
        case "ACTIVE": return try Self.end(of: release).map { .phased(until: $0) } ?? .partial
        // Paused, not begun, or a word that came later.
        case _: return .partial
        }
    }

    private static func end(of release: JSONValue) throws(FeedFailure) -> Timestamp? {
        guard let start = try release.time(at: "attributes.startDate") else { return nil }
        let paused = release[path: "attributes.totalPauseDuration"]?.wholeNumber ?? 0
        // A demand on everybody that comes too late does less harm than one that comes too early.
        let days = Self.phasedDays + max(0, min(paused, 30))
        return Timestamp(secondsSinceEpoch: start.secondsSinceEpoch + days * Self.day)
    }
}

extension JSONValue {
    fileprivate var wholeNumber: Int64? {
        guard case .number(let text) = self else { return nil }
        return Int64(text)
    }
}
