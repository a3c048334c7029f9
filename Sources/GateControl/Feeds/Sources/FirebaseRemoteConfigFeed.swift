internal import GatePolicy

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
        ("button", "update_button"),
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
        var value = try self.value(from: template, id: context.feed, at: context.now())
        let floor = try SourceFields.checkFloor(
            self.names["minVersion"],
            isAbsent: template.parameters[self.names["minVersion"]] == nil,
            after: context.last?.memory ?? [:]
        )
        value.memory = Self.memory(of: template, response.head, after: context.last)
            .merging(floor) { first, _ in first }
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

    /// The rule that a template means at a time.
    func value(
        from template: RemoteConfigTemplate,
        id: String,
        at now: Timestamp
    ) throws(FeedFailure) -> FeedValue {
        let client = RemoteConfigClient(
            platform: Platform(self.system.rawValue),
            app: self.app,
            now: now
        )
        let names = RemoteConfigTerms.Names(
            minimum: self.names["minVersion"],
            latest: self.names.isGiven("latestVersion")
                ? [self.names["latestVersion"]]
                : [self.names["latestVersion"], Self.otherLatest]
        )
        let terms = try Self.reading { () throws(RemoteConfigError) in
            try RemoteConfigTerms(template, for: client, names)
        }
        let notes = self.notes(on: terms, in: template)
        var document = FeedDocument()
        var members = Self.demands(of: terms)
        guard !members.isEmpty else { return FeedValue(document: document.text, notes: notes) }
        if let link = self.text("storeUrl", in: template) {
            members.append(.init("storeUrl", .text(link)))
        }
        let words = FeedWords(
            title: self.text("title", in: template),
            message: self.text("message", in: template),
            button: self.text("button", in: template)
        )
        if let notice = words.notice(in: self.language) {
            document.notices.append(.init(id, notice))
            members.append(.init("notice", .text(id)))
        }
        document.rules.append(self.rule.rule(id, members))
        return FeedValue(document: document.text, notes: notes)
    }

    /// Remarks on what left several values open, and on what could not be used.
    private func notes(
        on terms: RemoteConfigTerms,
        in template: RemoteConfigTemplate
    ) -> [String] {
        let undecided = terms.undecided.map {
            "only Firebase knows whether '\($0)' holds: the lowest version counts"
        }
        let uneven = ["storeUrl", "title", "message", "button"].map { self.names[$0] }
            .filter { template.parameters[$0]?.conditionalValues.isEmpty == false }
            .map { "'\($0)' has conditions, and is not used: write it into 'rule'" }
        return undecided + terms.notes + uneven
    }

    private static func demands(of terms: RemoteConfigTerms) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let minimum = terms.minimum { members.append(.init("minimum", .text("\(minimum)"))) }
        if !terms.blocked.isEmpty {
            members.append(.init("blocked", .list(terms.blocked.map { .text("\($0)") })))
        }
        if !terms.blockedBuilds.isEmpty {
            let items = terms.blockedBuilds.map { item in
                let versions = item.versions.map { JSONValue.Member("version", .text("\($0)")) }
                let builds = item.builds.map { JSONValue.Member("build", .text("\($0)")) }
                let forms = item.written.keys.map { key, patterns in
                    JSONValue.Member(key, .list(patterns.map { .text($0.description) }))
                }
                return JSONValue.object([versions, builds].compactMap(\.self) + forms)
            }
            members.append(.init("blockedBuilds", .list(items)))
        }
        if let latest = terms.recommended {
            members.append(.init("recommended", .text("\(latest)")))
        }
        return members
    }

    /// A text that is the same for everybody.
    private func text(_ name: String, in template: RemoteConfigTemplate) -> String? {
        guard let parameter = template.parameters[self.names[name]],
            parameter.conditionalValues.isEmpty,
            case .text(let text)? = parameter.defaultValue, !text.isEmpty
        else { return nil }
        return text
    }

    private static func reading<Value>(
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
