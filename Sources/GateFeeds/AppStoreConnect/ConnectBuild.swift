internal import GatePolicy
internal import GateRules

/// A build that was uploaded to App Store Connect.
struct ConnectBuild: Equatable {
    var build: TestFlightBuild
    var uploadedAt: Timestamp?
    /// The build number as written.
    var number: String

    /// Decodes a build; returns `nil` if no tester can have it, because its processing is
    /// unfinished or has failed, or because it has no audience.
    init?(
        _ resource: JSONValue,
        in list: ConnectList,
        _ readiness: ConnectReadiness
    ) throws(FeedFailure) {
        guard let number = try resource.text(at: "attributes.version"),
            let state = try resource.text(at: "attributes.processingState")
        else {
            throw .content("a build has no 'version' or no 'processingState'")
        }
        let version = try list.related("preReleaseVersion", of: resource)?
            .version(at: "attributes.version")
        let audience = try resource.text(at: "attributes.buildAudienceType")
            .flatMap { text in
                TestAudience.allCases.first { $0.word(in: .appStoreConnect) == text }
            }
        guard state == "VALID", let version, let audience,
            let build = try resource.version(at: "attributes.version")
        else { return nil }
        let isExpired = resource[path: "attributes.expired"] == .boolean(true)
        let detail = list.related("buildBetaDetail", of: resource)
        let isReady = try readiness.accepts(detail, for: audience)
        self.number = number
        self.uploadedAt = try resource.time(at: "attributes.uploadedDate")
        self.build = TestFlightBuild(
            version: version,
            build: build,
            audience: audience,
            isTesting: !isExpired && isReady,
            expiresAt: try resource.time(at: "attributes.expirationDate"),
            releaseNotes: Self.releaseNotes(of: resource, in: list)
        )
    }

    /// Returns the release notes in each language; malformed notes are omitted, because they do not
    /// affect any decision.
    private static func releaseNotes(
        of resource: JSONValue,
        in list: ConnectList
    ) -> [LanguageTag: String] {
        var notes: [LanguageTag: String] = [:]
        var general: [LanguageTag: String] = [:]
        for localization in list.all("betaBuildLocalizations", of: resource) {
            guard let locale = localization[path: "attributes.locale"]?.text,
                let text = localization[path: "attributes.whatsNew"]?.text, !text.isEmpty,
                let language = LanguageTag(locale)
            else { continue }
            notes[language] = text
            // A tester who prefers `de-AT` gets the texts that Apple labels `de-DE`.
            guard
                let base = locale.split(separator: "-").first.flatMap({ LanguageTag(String($0)) }),
                general[base] == nil
            else { continue }
            general[base] = text
        }
        return general.merging(notes) { $1 }
    }
}

/// The decision for testers who do not have the newest build.
enum ConnectDemand: String, Sendable, CaseIterable {
    /// Older builds are denied.
    case require
    /// Older builds receive a recommendation.
    case recommend
}

/// The condition under which a build is required for testers.
enum ConnectReadiness: String, CaseIterable {
    /// Testers can install the build.
    case testing
    /// Apple has processed the build, whether or not testers can install it.
    case processed

    fileprivate func accepts(
        _ detail: JSONValue?,
        for audience: TestAudience
    ) throws(FeedFailure) -> Bool {
        switch self {
        case .processed: true
        case .testing:
            try detail?.text(at: "attributes.\(audience.rawValue)BuildState") == "IN_BETA_TESTING"
        }
    }
}
