internal import GatePolicy

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
    /// The most entries of a list; microCMS gives no more in one answer.
    private static let maximumEntries = 100
    private static let etag = "etag"

    let url: FetchURL
    let key: Secret
    /// The language of what the editors write.
    let language: LanguageTag
    let names: FieldNames
    let rule: FeedRuleTemplate

    var summary: String { "microCMS \(self.url)" }
    var subject: FeedSubject { .rules(notices: self.rule.notices) }

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

    /// The meaning of an object or a list.
    ///
    /// - Parameters:
    ///   - content: The object or the list.
    ///   - id: The id of the feed.
    ///   - last: What was remembered of the answer before.
    /// - Returns: The rules.
    /// - Throws: `FeedFailure` that names the field.
    func value(
        from content: JSONValue,
        id: String,
        after last: [String: String] = [:]
    ) throws(FeedFailure) -> FeedValue {
        let entries = content["contents"]?.items
        // Before anything else: what is misspelt looks as if it were empty.
        let memory = try SourceFields(self.names, Self.fields)
            .check(entries ?? [content], after: last)
        var document = FeedDocument()
        for entry in entries ?? [content] {
            var name = id
            if entries != nil {
                name += "-" + (try entry.text(at: "id") ?? "\(document.rules.count)")
            }
            try self.add(entry, id: name, to: &document)
        }
        return FeedValue(document: document.text, memory: memory)
    }

    private func add(
        _ entry: JSONValue,
        id: String,
        to document: inout FeedDocument
    ) throws(FeedFailure) {
        guard case .object = entry, entry["updatedAt"] != nil else {
            var found = entry.found
            if case .object = entry { found += " without 'updatedAt'" }
            throw .content(
                "expected content of microCMS, found \(found); is this the address of the endpoint?"
            )
        }
        guard let range = try self.range(of: entry) else { return }
        var members = [JSONValue.Member("blocked", .text(range))]
        members += try self.times(of: entry)
        if let link = try entry.text(at: self.names["url"]) {
            members.append(.init("storeUrl", .text(link)))
        }
        let words = FeedWords(
            title: try entry.text(at: self.names["title"]),
            message: try entry.text(at: self.names["message"]),
            button: try entry.text(at: self.names["buttonTitle"])
        )
        if let notice = words.notice(in: self.language) {
            document.notices.append(.init(id, notice))
            members.append(.init("notice", .text(id)))
        }
        document.rules.append(self.rule.rule(id, members))
    }

    /// The versions that must update, both ends included; `nil` if the editors name none.
    private func range(of entry: JSONValue) throws(FeedFailure) -> String? {
        let (lowest, highest) = (self.names["minAppVersion"], self.names["maxAppVersion"])
        switch (try entry.version(at: lowest), try entry.version(at: highest)) {
        case (nil, nil): return nil
        case (nil, let maximum?): return "<=\(maximum)"
        case (let minimum?, nil):
            // The version that they are to update to would be one of them.
            throw .content(
                "'\(highest)' is empty: every version from \(minimum) on would be blocked"
            )
        case (let minimum?, let maximum?):
            guard minimum <= maximum else {
                throw .content("'\(lowest)' \(minimum) is above '\(highest)' \(maximum)")
            }
            return ">=\(minimum) <=\(maximum)"
        }
    }

    private func times(of entry: JSONValue) throws(FeedFailure) -> [JSONValue.Member] {
        let (start, end) = (self.names["startDate"], self.names["endDate"])
        let from = try entry.time(at: start)
        let until = try entry.time(at: end)
        if let from, let until, until <= from {
            throw .content("'\(end)' \(until) is not after '\(start)' \(from)")
        }
        return (from.map { [.init("enforceFrom", .text("\($0)"))] } ?? [])
            + (until.map { [.init("until", .text("\($0)"))] } ?? [])
    }
}

extension JSONValue {
    fileprivate var totalCount: Int? {
        guard case .number(let text)? = self["totalCount"] else { return nil }
        return Int(text)
    }
}
