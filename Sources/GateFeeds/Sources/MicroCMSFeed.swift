internal import GatePolicy
internal import GateRules
internal import GateSystem

/// A feed of forced updates in microCMS: a version range, a period and texts.
///
/// An endpoint contains a single entry (object) or several entries (list). The formats follow
/// https://document.microcms.io/content-api: an empty field is missing or `null`, a select field is
/// a list, and ETags are not documented.
struct MicroCMSFeed: FeedSource {
    /// The default fields, named as in https://blog.microcms.io/app-force-update.
    static let fields: [SourceFields.Named] = [
        ("title", .words), ("message", .words), ("startDate", .time), ("endDate", .time),
        ("minAppVersion", .version), ("maxAppVersion", .version), ("buttonTitle", .words),
        ("url", .link),
    ]
    /// Additional default fields, which are not checked for misspellings.
    static let builds: [SourceFields.Named] = [
        ("minAppBuild", .build), ("maxAppBuild", .build),
    ]
    /// The fields that are read only if `fields` maps them.
    static let named: [SourceFields.Named] =
        [(platformField, .words), (FeedSwitch.name, .toggle)] + SourceMaintenance.fields
    static let platformField = "platform"
    /// All names that `fields` may contain.
    static let known = (fields + builds + named).map(\.name)
    /// The names that can be mapped to one field for each language.
    static let localized = ["title", "message", "buttonTitle"] + SourceMaintenance.localized
    /// The maximum number of list entries, which is microCMS's limit for a response.
    private static let maximumEntries = 100
    private static let etag = "etag"

    let url: FetchURL
    /// The name of the endpoint; empty if only the URL is known.
    let endpoint: String
    let key: Secret
    /// The language of texts without a stated language.
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
        deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        let etag = context.last?.memory[Self.etag]
        let response = try await self.ask(self.url, etag: etag, context)
        if response.status == 304, etag != nil {
            await deliver(.unchanged)
            return .complete
        }
        var content = try Self.content(of: response)
        // The ETag of the first entries does not reflect changes to the remaining entries.
        var newETag = response.head["ETag"]
        if let count = content["contents"]?.items?.count, count < content.totalCount {
            // Without a limit, the API returns only ten entries.
            content = try await self.wholeList(context)
            newETag = nil
        }
        let last = context.last?.memory ?? [:]
        var value = try self.value(from: content, id: context.feed, after: last)
        value.memory[Self.etag] = newETag
        await deliver(.value(value))
        return .complete
    }

    private func wholeList(_ context: FeedContext) async throws(FeedFailure) -> JSONValue {
        let url = try self.url.appending([("limit", "\(Self.maximumEntries)")])
        let content = try Self.content(of: try await self.ask(url, context))
        let total = content.totalCount
        guard let count = content["contents"]?.items?.count, count == total else {
            throw .content("the list has \(total) entries; the maximum is \(Self.maximumEntries)")
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
        return try await context.fetcher.response(to: request)
    }

    private static func content(of response: FetchResponse) throws(FeedFailure) -> JSONValue {
        guard response.status == 200 else {
            let message = (try? JSONParser.parse(response.body))?["message"]?.text
            throw .status(response.head, detail: message.map { String($0.prefix(200)) })
        }
        return try JSONValue.body(response.body)
    }
}

extension JSONValue {
    fileprivate var totalCount: Int64 { self["totalCount"]?.wholeNumber ?? 0 }
}
