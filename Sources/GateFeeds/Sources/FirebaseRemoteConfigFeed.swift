internal import GatePolicy
internal import GateRules
internal import GateSystem

/// Parameters of Firebase Remote Config, for the app on one system.
///
/// https://firebase.google.com/docs/reference/remote-config/rest/v1/projects/getRemoteConfig
struct FirebaseRemoteConfigFeed: FeedSource {
    /// The systems that conditions know.
    enum System: String, Sendable, CaseIterable {
        case ios
        case android
    }

    private enum Memory {
        static let etag = "etag"
        static let version = "version"
    }

    static let scopes = ["https://www.googleapis.com/auth/firebase.remoteconfig"]
    /// The same spelled rightly, for those who did not take it from the article.
    private static let otherLatest = "latest_version"
    /// Our names for parameters, and what they are called if nobody says otherwise.
    static let parameters = [
        ("minVersion", "min_version"), ("latestVersion", "lastest_version"),
        ("storeUrl", "store_url"), ("title", "update_title"), ("message", "update_message"),
        ("button", "update_button"), ("minBuild", "min_build"), ("latestBuild", "latest_build"),
    ]
    /// The parameters that are read only if `fields` names them.
    private static let named =
        [FeedSwitch.name, "blockedVersions", "blockedBuilds"] + SourceMaintenance.fields
    /// All that `fields` can name.
    static let known = parameters.map(\.0) + named
    /// Those of them that can have a name for each language.
    static let localized = [
        "title", "message", "button", SourceMaintenance.titleField, SourceMaintenance.messageField,
    ]

    let url: FetchURL
    let tokens: AccessTokens
    let system: System
    /// The app's id at Firebase, for conditions that name it.
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
        deliver: (FeedAnswer) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        // Without gzip, the ETag is not that of the template.
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
        let kept = try SourceFields.check(self.kept(in: template), after: last)
        value.memory = Self.memory(of: template, response.head, after: context.last)
            .merging(kept) { first, _ in first }
            .merging(value.memory) { first, _ in first }
        // Nothing is known of If-None-Match here, so that ETags are compared after the fact.
        if !template.isTimed, value.memory[Memory.etag] != nil,
            value.memory == context.last?.memory
        {
            await deliver(.unchanged)
        } else {
            await deliver(.value(value))
        }
        return .complete
    }

    private static func memory(
        of template: RemoteConfigTemplate,
        _ head: ResponseHead,
        after last: FeedValue?
    ) -> [String: String] {
        var memory: [String: String] = [:]
        memory[Memory.etag] = head["ETag"]
        memory[Memory.version] = template.version ?? last?.memory[Memory.version]
        return memory
    }

    /// Even a roll-back has a new number: a lower one comes from somewhere that is behind.
    private static func checkVersion(
        of template: RemoteConfigTemplate,
        after last: FeedValue?
    ) throws(FeedFailure) {
        guard let before = last?.memory[Memory.version].flatMap({ Int64($0) }),
            let version = template.version.flatMap({ Int64($0) }), version < before
        else { return }
        throw .content("the template is number \(version), but \(before) has been seen before")
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
    /// The failure that an answer of a Google API without a value states: `{"error": {"status",
    /// "message"}}`.
    static func google(_ response: FetchResponse) -> FeedFailure {
        let error = (try? JSONParser.parse(response.body))?["error"]
        let words = ["status", "message"].compactMap { error?[$0]?.text }
        let detail = words.isEmpty ? nil : String(words.joined(separator: ", ").prefix(200))
        return .status(response.head, detail: detail)
    }
}
