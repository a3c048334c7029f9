internal import GatePolicy
internal import GateRules
internal import GateSystem

/// A value in Firebase's Realtime Database, which the feed streams or polls.
///
/// https://firebase.google.com/docs/reference/rest/database
struct FirebaseDatabaseFeed: FeedSource {
    /// The authentication of requests to the database.
    enum Reader: Sendable {
        case anybody
        /// The legacy database secret.
        case secret(Secret)
        case account(AccessTokens)
    }

    /// The hosts that the database may redirect to, and that receive the credential.
    static let hosts = [".firebaseio.com", ".firebasedatabase.app"].compactMap { HostPattern($0) }
    static let scopes = [
        "https://www.googleapis.com/auth/firebase.database",
        "https://www.googleapis.com/auth/userinfo.email",
    ]
    private static let etag = "etag"
    /// The delay in seconds before the next attempt after the database denies access.
    private static let refusedFor: Int64 = 60

    let url: FetchURL
    /// The path to the value.
    let path: [String]
    let reader: Reader
    let streams: Bool
    let redirects: RedirectRule
    let content: ValueObject

    var summary: String { "Firebase \(self.url)" }
    var subject: FeedSubject { self.content.subject }
    var rulePlatforms: [Platform]? { self.content.rule.platforms }
    var platformClaims: [FeedPlatformClaim] {
        FeedPlatformClaim.all(in: self.path) { "'\($0)' in 'path'" }
            + FeedPlatformClaim.all(in: self.content.names.paths) { "the field '\($0)'" }
    }

    func follow(
        _ context: FeedContext,
        deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) -> FeedEnd {
        guard self.streams else {
            try await self.poll(context, deliver)
            return .complete
        }
        try await self.listen(context, deliver)
        return .interrupted
    }

    /// Sends a request; if the token is rejected, retries once with a new one.
    private func ask<Answer>(
        _ fields: [HeaderField],
        _ context: FeedContext,
        by fetch: (FetchRequest) async throws(FeedFailure) -> Answer,
        status: (Answer) -> Int
    ) async throws(FeedFailure) -> Answer {
        let answer = try await self.askOnce(fields, context, by: fetch)
        guard status(answer) == 401, case .account = self.reader else { return answer }
        await self.forgetToken()
        return try await self.askOnce(fields, context, by: fetch)
    }

    private func askOnce<Answer>(
        _ fields: [HeaderField],
        _ context: FeedContext,
        by fetch: (FetchRequest) async throws(FeedFailure) -> Answer
    ) async throws(FeedFailure) -> Answer {
        let credential: Credential? =
            switch self.reader {
            case .anybody: nil
            case .secret(let secret): .query(name: "auth", value: try secret.read())
            case .account(let tokens): .bearer(try await tokens.token(context))
            }
        return try await fetch(
            FetchRequest(
                self.url,
                fields: fields,
                credential: credential,
                redirects: self.redirects
            )
        )
    }

    /// Discards the account's token, which is no longer accepted.
    private func forgetToken() async {
        if case .account(let tokens) = self.reader { await tokens.forget() }
    }

    private func poll(
        _ context: FeedContext,
        _ deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) {
        let etag = context.last?.memory[Self.etag]
        // The database sends an ETag only on request.
        var fields = [HeaderField(name: "X-Firebase-ETag", value: "true")]
        if let etag { fields.append(HeaderField(name: "If-None-Match", value: etag)) }
        let response = try await self.ask(
            fields,
            context,
            by: context.fetcher.response,
            status: \.status
        )
        if response.status == 304, etag != nil { return await deliver(.unchanged) }
        guard response.status == 200 else {
            throw Self.refusal(response.head, response.body)
        }
        let value = try JSONValue.body(response.body)
        let last = context.last?.memory ?? [:]
        var taken = try self.content.value(from: value, id: context.feed, after: last)
        taken.memory[Self.etag] = response.head["ETag"]
        await deliver(.value(taken))
    }

    private func listen(
        _ context: FeedContext,
        _ deliver: (FeedResult) async -> Void
    ) async throws(FeedFailure) {
        let stream = try await self.open(context)
        var parser = EventStreamParser(limit: RulesSource.maximumSize)
        var tree = FirebaseDatabaseTree()
        var last = context.last?.memory ?? [:]
        let pieces = stream.makeAsyncIterator()
        while let piece = try await Self.next(pieces) {
            for event in try parser.receive(piece) {
                switch try tree.receive(event) {
                case .ignore: continue
                case .confirm: await deliver(.alive)
                case .show(let value): await deliver(self.answer(value, context, &last))
                case .renew:
                    await self.forgetToken()
                    return
                case .giveUp(let message):
                    throw FeedFailure(.content(message), retryAfter: Self.refusedFor)
                }
            }
        }
    }

    /// Generates the rules for a value.
    ///
    /// Invalid data does not end the stream, because the correction will arrive on the same stream.
    private func answer(
        _ value: JSONValue,
        _ context: FeedContext,
        _ last: inout [String: String]
    ) -> FeedResult {
        do throws(FeedFailure) {
            let value = try self.content.value(from: value, id: context.feed, after: last)
            last = value.memory
            return .value(value)
        } catch {
            return .nonsense(error)
        }
    }

    private func open(_ context: FeedContext) async throws(FeedFailure) -> FetchStream {
        let accept = HeaderField(name: "Accept", value: "text/event-stream")
        let stream = try await self.ask(
            [accept],
            context,
            by: context.fetcher.stream,
            status: \.head.status
        )
        guard stream.head.status == 200 else {
            throw Self.refusal(stream.head, await stream.beginning())
        }
        guard stream.head["Content-Type"]?.lowercased().hasPrefix("text/event-stream") == true
        else { throw .content("the response is not an event stream") }
        return stream
    }

    private static func next(
        _ pieces: FetchStream.Iterator
    ) async throws(FeedFailure) -> [UInt8]? {
        do {
            return try await pieces.next()
        } catch {
            throw .fetch(error)
        }
    }

    /// Creates the failure for a response without a value, such as `{"error": "Permission
    /// denied"}`.
    private static func refusal(_ head: ResponseHead, _ body: [UInt8]) -> FeedFailure {
        let text = (try? JSONParser.parse(body))?["error"]?.text.map { String($0.prefix(200)) }
        let isRefused = [401, 403, 404].contains(head.status)
        return FeedFailure(
            .status(head.status, detail: text),
            retryAfter: RetryAfter(head)?.seconds ?? (isRefused ? self.refusedFor : nil)
        )
    }
}
