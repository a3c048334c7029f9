internal import GatePolicy
internal import GateRules
internal import GateSystem

/// A feed of Firebase Remote Config parameters for an app on one operating system.
///
/// https://firebase.google.com/docs/reference/remote-config/rest/v1/projects/getRemoteConfig
struct FirebaseRemoteConfigFeed: FeedSource {
    /// The operating systems that conditions support.
    enum System: String, Sendable, CaseIterable {
        case ios
        case android
    }

    private enum Memory {
        static let etag = "etag"
        static let version = "version"
    }

    static let scopes = ["https://www.googleapis.com/auth/firebase.remoteconfig"]
    /// The names in `fields`, with the default names of the parameters in templates.
    static let parameters = [
        ("minVersion", "min_version"), ("latestVersion", "lastest_version"),
        ("storeUrl", "store_url"), ("title", "update_title"), ("message", "update_message"),
        ("button", "update_button"), ("minBuild", "min_build"), ("latestBuild", "latest_build"),
    ]
    /// The parameters that are read only if `fields` maps them.
    private static let named =
        [FeedSwitch.name, "blockedVersions", "blockedBuilds"]
        + SourceMaintenance.fields.map(\.name)
    /// All names that `fields` may contain.
    static let known = parameters.map(\.0) + named
    /// The names that can be mapped to one parameter for each language.
    static let localized = ["title", "message", "button"] + SourceMaintenance.localized

    let url: FetchURL
    let tokens: AccessTokens
    let system: System
    /// The app's Firebase ID, for conditions with app IDs.
    let app: String?
    let language: LanguageTag
    let names: FieldNames
    let rule: FeedRuleTemplate

    var summary: String { "Remote Config \(self.url)" }
    var subject: FeedSubject { .rules(notices: self.rule.notices) }
    var rulePlatforms: [Platform]? { self.rule.platforms }
    var platformClaims: [FeedPlatformClaim] {
        let name = self.system.rawValue
        let system = FeedPlatformClaim(
            words: "'system: \(name)'",
            platform: Platform(name),
            isExclusive: true
        )
        return [system] + FeedPlatformClaim.all(in: self.names.paths) { "the parameter '\($0)'" }
    }

    func follow(
        _ context: FeedContext,
        deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        // Without gzip, the ETag does not identify the template.
        let request = FetchRequest(self.url, acceptsGzip: true)
        let response = try await self.tokens.fetch(request, context)
        guard response.status == 200 else { throw .google(response) }
        if let page = FeedFailure.webPage(response.body) { throw page }
        let template = try Self.reading { () throws(RemoteConfigError) in
            try RemoteConfigTemplate(json: response.body)
        }
        try Self.checkVersion(of: template, after: context.last)
        let last = context.last?.memory ?? [:]
        var value = try self.value(from: template, id: context.feed, at: context.now(), after: last)
        let kept = try SourceFields.check(
            floors: self.names.floors,
            switches: self.names.switches,
            after: last
        ) { template[$0] == nil }
        value.memory.merge(kept) { first, _ in first }
        value.memory[Memory.etag] = response.head["ETag"]
        value.memory[Memory.version] = template.version ?? last[Memory.version]
        // The API does not support If-None-Match, so ETags are compared after the fetch.
        if !template.isTimed, value.memory[Memory.etag] != nil,
            value.memory == context.last?.memory
        {
            await deliver(.unchanged)
        } else {
            await deliver(.value(value))
        }
        return .complete
    }

    /// Throws if the template version is lower than the last one, because the response is then
    /// outdated.
    ///
    /// Even a rollback gets a higher version number.
    private static func checkVersion(
        of template: RemoteConfigTemplate,
        after last: FeedValue?
    ) throws(FeedFailure) {
        guard let before = last?.memory[Memory.version].flatMap({ Int64($0) }),
            let version = template.version.flatMap({ Int64($0) }), version < before
        else { return }
        throw .content("the template version \(version) is lower than the last one, \(before)")
    }

    static func reading<Value>(
        _ read: () throws(RemoteConfigError) -> Value
    ) throws(FeedFailure) -> Value {
        do {
            return try read()
        } catch {
            throw .content("\(error)")
        }
    }
}

extension FeedFailure {
    /// Creates the failure for an error response from a Google API: `{"error": {"status",
    /// "message"}}`.
    static func google(_ response: FetchResponse) -> FeedFailure {
        let error = (try? JSONParser.parse(response.body))?["error"]
        let words = ["status", "message"].compactMap { error?[$0]?.text }
        let detail = words.isEmpty ? nil : String(words.joined(separator: ", ").prefix(200))
        return .status(response.head, detail: detail)
    }
}
