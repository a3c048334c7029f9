internal import GatePolicy
internal import GateRules

/// A build that was uploaded to App Store Connect.
struct ConnectBuild: Equatable {
    var build: TestFlightBuild
    var uploadedAt: Timestamp?
    /// The number as it was written.
    var number: String

    /// Reads a build; `nil` for one that no tester can have got: it is being processed, it failed,
    /// or nobody says for whom it is.
    ///
    /// - Parameters:
    ///   - resource: The build.
    ///   - list: Where what it is related to is included.
    ///   - readiness: What makes a build one that testers must have.
    /// - Throws: `FeedFailure` for what is no build.
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

    /// Release notes by language; no client is judged by them, so that malformed ones are left out.
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
            // Apple has `de-DE`, and a tester may read `de-AT`.
            guard
                let base = locale.split(separator: "-").first.flatMap({ LanguageTag(String($0)) }),
                general[base] == nil
            else { continue }
            general[base] = text
        }
        return general.merging(notes) { $1 }
    }
}

/// The request to testers who do not have the newest build.
enum ConnectDemand: String, Sendable, CaseIterable {
    /// To install it: older builds are refused.
    case require
    /// Nothing: older builds are told of it.
    case recommend
}

/// The condition that makes a build one that testers must have.
enum ConnectReadiness: String, CaseIterable {
    /// Its testers can install it.
    case testing
    /// Apple has processed it, whether testers can install it or not.
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
