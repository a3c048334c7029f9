internal import GatePolicy
internal import GateRules
internal import GateSystem

/// Forced updates that editors write in microCMS: a range of versions, a time and words.
///
/// An endpoint holds one of them (an object) or several (a list). The formats are those of
/// https://document.microcms.io/content-api, where an empty field is missing or `null`, a select field
/// is a list, and nothing is said of ETags.
struct MicroCMSFeed: FeedSource {
    /// The fields that it looks for, by the names of https://blog.microcms.io/app-force-update.
    static let fields: [(name: String, kind: SourceFields.Kind)] = [
        ("title", .words), ("message", .words), ("startDate", .time), ("endDate", .time),
        ("minAppVersion", .version), ("maxAppVersion", .version), ("buttonTitle", .words),
        ("url", .link),
    ]
    /// Further ones of that kind, in which no slips are looked for.
    static let builds: [(name: String, kind: SourceFields.Kind)] = [
        ("minAppBuild", .build), ("maxAppBuild", .build),
    ]
    /// The fields that are read only if `fields` names them.
    static let named: [(name: String, kind: SourceFields.Kind)] = [
        (platformField, .words), (FeedSwitch.name, .toggle),
        (SourceMaintenance.switchField, .toggle), (SourceMaintenance.fromField, .time),
        (SourceMaintenance.untilField, .time), (SourceMaintenance.titleField, .words),
        (SourceMaintenance.messageField, .words),
    ]
    static let platformField = "platform"
    /// All that `fields` can name.
    static let known = (fields + builds + named).map(\.name)
    /// Those of them that can have a name for each language.
    static let localized = [
        "title", "message", "buttonTitle", SourceMaintenance.titleField,
        SourceMaintenance.messageField,
    ]
    /// The most entries of a list; microCMS gives no more in one answer.
    private static let maximumEntries = 100
    private static let etag = "etag"

    let url: FetchURL
    /// The name of the endpoint; empty if only the address is known.
    let endpoint: String
    let key: Secret
    /// The language of what the editors write.
    let language: LanguageTag
    let names: FieldNames
    let rule: FeedRuleTemplate

    var summary: String { "microCMS \(self.url)" }
    var subject: FeedSubject { .rules(notices: self.rule.notices) }
    var rulePlatforms: [Platform]? { self.rule.platforms }
    var platformClaims: [FeedPlatformClaim] {
        FeedPlatformClaim.all(in: [self.endpoint]) { "the endpoint '\($0)'" }
            + FeedPlatformClaim.all(in: self.names.paths) { "the field '\($0)'" }
    }

    func follow(
        _ context: FeedContext,
        deliver: (FeedAnswer) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        let etag = context.last?.memory[Self.etag]
        let response = try await self.ask(self.url, etag: etag, context)
        if response.status == 304, etag != nil {
            await deliver(.unchanged)
            return .complete
        }
        var content = try Self.content(of: response)
        if let count = content["contents"]?.items?.count, count < content.totalCount ?? 0 {
            // Ten is what comes unasked.
            content = try await self.wholeList(context)
        }
        let last = context.last?.memory ?? [:]
        var value = try self.value(from: content, id: context.feed, after: last)
        value.memory[Self.etag] = response.head["ETag"]
        await deliver(.value(value))
        return .complete
    }

    private func wholeList(_ context: FeedContext) async throws(FeedFailure) -> JSONValue {
        let url: FetchURL
        do {
            url = try self.url.appending(query: "limit", "\(Self.maximumEntries)")
        } catch {
            throw .fetch(.unsendable)
        }
        let content = try Self.content(of: try await self.ask(url, context))
        let total = content.totalCount ?? 0
        guard content["contents"]?.items?.count == total else {
            throw .content("the list has \(total) entries; at most \(Self.maximumEntries) are read")
        }
        return content
    }

    private func ask(
        _ url: FetchURL,
        etag: String? = nil,
        _ context: FeedContext
    ) async throws(FeedFailure) -> FetchResponse {
        let key = HeaderField(name: "X-MICROCMS-API-KEY", value: try self.key.read())
        let request = FetchRequest(
            url,
            fields: etag.map { [HeaderField(name: "If-None-Match", value: $0)] } ?? [],
            credential: .field(key)
        )
        do {
            return try await context.fetcher.fetch(request)
        } catch {
            throw .fetch(error)
        }
    }

    private static func content(of response: FetchResponse) throws(FeedFailure) -> JSONValue {
        let body = Result { () throws(FeedFailure) in try JSONValue.body(of: response) }
        guard response.status == 200 else {
            let message = (try? body.get())?["message"]?.text
            throw .status(response.head, detail: message.map { String($0.prefix(200)) })
        }
        return try body.get()
    }
}

extension JSONValue {
    fileprivate var totalCount: Int? {
        guard case .number(let text)? = self["totalCount"] else { return nil }
        return Int(text)
    }
}
