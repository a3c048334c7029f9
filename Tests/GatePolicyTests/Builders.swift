@testable import GatePolicy

/// Parses a version.
func version(_ text: String) throws -> AppVersion {
    try AppVersion(parsing: text)
}

extension RuleSet {
    /// Returns the claims of a request with these header fields.
    func claims(
        _ headers: [(String, String)],
        query: [(String, String)] = []
    ) -> IdentityClaims {
        var claims = self.noClaims
        for (name, value) in headers { claims.addHeader(name, value) }
        let target = "/?" + query.map { "\($0)=\($1)" }.joined(separator: "&")
        claims.addQuery(
            QueryParameters(ofTarget: target.utf8Span.span, named: self.identityQueryNames)
        )
        return claims
    }
}

/// Returns a client with these claims, which must be valid.
func client(
    app: String? = nil,
    platform: Platform? = .ios,
    version: String? = nil,
    build: BuildNumber? = nil,
    channel: String? = nil,
    osVersion: String? = nil,
    device: String? = nil,
    languages: String = "",
    country: String? = nil,
    storefront: String? = nil
) throws -> ClientIdentity {
    ClientIdentity(
        app: app.map { .stated($0) } ?? .missing,
        platform: platform.map { .stated($0) } ?? .missing,
        version: try version.map { .stated(try AppVersion(parsing: $0)) } ?? .missing,
        build: build.map { .stated($0) } ?? .missing,
        channel: channel.map { .stated($0) } ?? .missing,
        osVersion: try osVersion.map { .stated(try AppVersion(parsing: $0)) } ?? .missing,
        device: device.map { .stated($0) } ?? .missing,
        languages: [languages],
        country: country.map { .stated($0) } ?? .missing,
        storefront: storefront.map { .stated($0) } ?? .missing
    )
}

/// Creates a rule, with versions and ranges as text.
func rule(
    _ id: String,
    match: RuleMatch = .anyone,
    minimum: String? = nil,
    minimumBuild: BuildNumber? = nil,
    minimumBuildOf: String? = nil,
    recommended: String? = nil,
    recommendsStoreVersion: Bool = false,
    blocked: [String] = [],
    prerelease: PrereleasePolicy = .asRelease,
    notice: String? = nil,
    storeURL: StoreURL? = nil,
    mode: RuleMode = .enforce,
    schedule: RuleSchedule = .always,
    rollout: [RolloutStep] = [],
    maintenance: MaintenanceWindow? = nil,
    holdUntilInStore: StoreHold? = nil,
    requiresOS: [String] = []
) throws -> RuleDefinition {
    RuleDefinition(
        id: id,
        match: match,
        minimum: try minimum.map { try AppVersion(parsing: $0) },
        minimumBuild: minimumBuild,
        minimumBuildOf: try minimumBuildOf.map { try AppVersion(parsing: $0) },
        recommended: try recommended.map { try AppVersion(parsing: $0) },
        recommendsStoreVersion: recommendsStoreVersion,
        blocked: try blocked.map { try VersionRange(parsing: $0) },
        prerelease: prerelease,
        notice: notice,
        storeURL: storeURL,
        mode: mode,
        schedule: schedule,
        rollout: rollout,
        maintenance: maintenance,
        holdUntilInStore: holdUntilInStore,
        requiresOS: try requiresOS.map { try VersionRange(parsing: $0) }
    )
}

/// Creates a release for iOS that has always been in every store, unless stated otherwise.
func release(
    _ version: String?,
    build: BuildNumber? = nil,
    builds: [BuildNumber] = [],
    app: String? = nil,
    platform: Platform = .ios,
    channel: String? = nil,
    at releasedAt: Timestamp? = nil,
    countries: [String: Timestamp?]? = nil,
    storeCountries: [String]? = nil,
    phase: ReleasePhase = .complete,
    storeURL: String? = nil
) throws -> Release {
    Release(
        app: app,
        platform: platform,
        channel: channel,
        version: try version.map { text throws(VersionError) in try AppVersion(parsing: text) },
        builds: build.map { [$0] } ?? builds,
        releasedAt: releasedAt,
        countries: countries,
        storeCountries: storeCountries,
        phase: phase,
        storeURL: storeURL
    )
}

/// Creates a rule set from these rules.
func ruleSet(
    _ rules: [RuleDefinition] = [],
    exemptions: [RequestPattern] = [],
    identity: IdentitySources = .defaults,
    unidentified: UnidentifiedPolicy = .defaults,
    notices: [String: NoticeDefinition] = [:],
    releases: [Release] = [],
    defaultLanguage: LanguageTag = .english,
    tests: [RuleTest] = []
) -> RuleSet {
    RuleSet(
        RuleSetDefinition(
            revision: "r1",
            defaultLanguage: defaultLanguage,
            identity: identity,
            unidentified: unidentified,
            exemptions: exemptions,
            rules: rules,
            notices: notices,
            releases: releases,
            tests: tests
        )
    )
}

/// The header fields on which the format of every denial depends, as listed in `Vary`.
let formFields =
    "accept, content-type, connect-protocol-version, apollographql-client-name, "
    + "apollo-require-preflight, x-apollo-operation-name"

/// Parses a timestamp.
func time(_ text: String) throws -> Timestamp {
    try Timestamp(parsing: text)
}

/// Returns a second in the short period that most tests use.
func second(_ number: Int64) -> Timestamp {
    Timestamp(secondsSinceEpoch: 1_800_000_000 + number)
}

extension RuleSet {
    /// Evaluates the rules at a fixed time.
    func decide(_ identity: ClientIdentity, in scope: RequestScope) -> Decision {
        self.decide(identity, in: scope, at: second(0), address: nil)
    }

    /// Evaluates the rules for a request with an irrelevant scope.
    func decide(
        _ identity: ClientIdentity,
        at now: Timestamp,
        address: String? = nil
    ) -> Decision {
        self.decide(identity, in: self.scope(), at: now, address: address)
    }

    /// Returns the denial at a fixed time.
    func answer(to decision: Decision, for identity: ClientIdentity) -> Answer? {
        self.answer(to: decision, for: identity, at: second(0))
    }

    /// Creates the scope of a request from strings.
    func scope(_ method: String = "GET", _ target: String = "/") -> RequestScope {
        self.scope(bytes: Array(method.utf8), Array(target.utf8))
    }

    /// Creates the scope of a request from bytes, which may be invalid UTF-8.
    func scope(bytes method: [UInt8], _ target: [UInt8]) -> RequestScope {
        self.scope(method: method.span, target: target.span)
    }
}
