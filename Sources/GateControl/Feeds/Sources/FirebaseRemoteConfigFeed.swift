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

    static let scopes = ["https://www.googleapis.com/auth/firebase.remoteconfig"]
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
        let request = FetchRequest(
            self.url,
            credential: .bearer(try await self.tokens.token(context)),
            // Without, the ETag is not that of the template.
            acceptsGzip: true
        )
        let response: FetchResponse
        do {
            response = try await context.fetcher.fetch(request)
        } catch {
            throw .fetch(error)
        }
        guard response.status == 200 else {
            if response.status == 401 { await self.tokens.forget() }
            throw .google(response)
        }
        // Conditions on the time make another rule of the same template, so that its ETag says
        // nothing.
        let document = try self.document(
            from: try Self.reading { () throws(RemoteConfigError) in
                try RemoteConfigTemplate(json: response.body)
            },
            id: context.feed,
            at: context.now()
        )
        await deliver(.value(FeedValue(document: document.text)))
        return .complete
    }

    /// The rule that a template means at a time.
    func document(
        from template: RemoteConfigTemplate,
        id: String,
        at now: Timestamp
    ) throws(FeedFailure) -> FeedDocument {
        let client = RemoteConfigClient(
            platform: Platform(self.system.rawValue),
            app: self.app,
            now: now
        )
        let names = RemoteConfigTerms.Names(
            minimum: self.names["minVersion"],
            latest: self.names["latestVersion"]
        )
        let terms = try Self.reading { () throws(RemoteConfigError) in
            try RemoteConfigTerms(template, for: client, names)
        }
        var document = FeedDocument()
        var members = Self.demands(of: terms)
        guard !members.isEmpty else { return document }
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
        return document
    }

    private static func demands(of terms: RemoteConfigTerms) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let minimum = terms.minimum { members.append(.init("minimum", .text("\(minimum)"))) }
        if !terms.blocked.isEmpty {
            members.append(.init("blocked", .list(terms.blocked.map { .text("\($0)") })))
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
    /// What an answer of a Google API says that is no value: `{"error": {"status", "message"}}`.
    static func google(_ response: FetchResponse) -> FeedFailure {
        let error = (try? JSONParser.parse(response.body))?["error"]
        let words = ["status", "message"].compactMap { error?[$0]?.text }
        let detail = words.isEmpty ? nil : String(words.joined(separator: ", ").prefix(200))
        return .status(response.head, detail: detail)
    }
}
