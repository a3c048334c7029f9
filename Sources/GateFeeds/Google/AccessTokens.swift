internal import GatePolicy
internal import GateRules
internal import GateSystem

/// The access tokens of an account, one after the other.
///
/// However many ask at the same time, one token is fetched for all of them.
actor AccessTokens {
    private typealias Flight = Task<Result<AccessToken, FeedFailure>, Never>

    private static let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"

    private let account: GoogleIdentity
    private let scopes: [String]
    private var current: AccessToken?
    /// The question for the next one, while it is under way.
    private var flight: Flight?

    init(_ account: GoogleIdentity, scopes: [String]) {
        self.account = account
        self.scopes = scopes
    }

    /// A token that is good for a while.
    func token(_ context: FeedContext) async throws(FeedFailure) -> String {
        let now = context.now().secondsSinceEpoch
        // At a time before it was asked for nobody knows how old it is: the clock was set back.
        if let current, current.askedAt <= now, now < current.renewAt { return current.text }
        let flight = self.flight ?? Flight { await self.renewed(context) }
        self.flight = flight
        let result = await flight.value
        // It was asked for before it was needed: the one that is there serves to its end.
        if case .failure = result, let current, now < current.expiresAt { return current.text }
        return try result.get().text
    }

    /// Asks a source of Google; if it does not take the token, once more with another.
    nonisolated func fetch(
        _ request: FetchRequest,
        _ context: FeedContext
    ) async throws(FeedFailure) -> FetchResponse {
        let token = try await self.token(context)
        let response = try await Self.fetch(request, .bearer(token), context)
        guard response.status == 401 else { return response }
        await self.forget(token)
        return try await Self.fetch(request, .bearer(try await self.token(context)), context)
    }

    /// Gives the token up: somebody does not take it any more.
    func forget() {
        self.current = nil
    }

    /// Gives a token up, unless there is another one by now.
    private func forget(_ token: String) {
        if self.current?.text == token { self.forget() }
    }

    private func renewed(_ context: FeedContext) async -> Result<AccessToken, FeedFailure> {
        defer { self.flight = nil }
        do throws(FeedFailure) {
            let token = try await self.next(context)
            self.current = token
            return .success(token)
        } catch {
            return .failure(error)
        }
    }

    private func next(_ context: FeedContext) async throws(FeedFailure) -> AccessToken {
        let key: Secret
        switch self.account {
        case .file(let place): key = place
        case .metadataServer: return try await self.tokenOfMachine(context)
        }
        let now = context.now()
        let text = try key.read()
        if let file = try? JSONParser.parse(Array(text.utf8)),
            file["type"]?.text == WorkloadIdentity.type
        {
            let identity = try WorkloadIdentity(file, in: key)
            return try await identity.token(scopes: self.scopes, context) {
                (request) throws(FeedFailure) in
                try await Self.fetch(request, request.credential, context)
            }
        }
        let account = try ServiceAccount(parsing: text, in: key)
        let assertion = try account.assertion(scopes: self.scopes, now: now)
        let form = "grant_type=\(Self.grant)&assertion=\(assertion)"
        let request = FetchRequest(
            account.tokenURL,
            method: .post(body: Array(form.utf8), type: "application/x-www-form-urlencoded")
        )
        return try AccessToken(try await Self.fetch(request, nil, context), asked: now)
    }

    private func tokenOfMachine(
        _ context: FeedContext
    ) async throws(FeedFailure) -> AccessToken {
        let question = try MetadataServer.question(scopes: self.scopes)
        let now = context.now()
        let response: FetchResponse
        do {
            response = try await context.fetcher.fetch(question)
        } catch {
            throw MetadataServer.failure(error)
        }
        return try AccessToken(response, asked: now)
    }

    private static func fetch(
        _ request: FetchRequest,
        _ credential: Credential?,
        _ context: FeedContext
    ) async throws(FeedFailure) -> FetchResponse {
        var request = request
        request.credential = credential
        do {
            return try await context.fetcher.fetch(request)
        } catch {
            throw .fetch(error)
        }
    }
}

/// As whom the gate asks Google.
enum GoogleIdentity: Sendable, Equatable {
    /// By a file as Google's consoles hand out: the key of a service account, or where a workload has
    /// its identity from.
    case file(Secret)
    /// As the service account of the machine, or of the workload on GKE, without any key.
    case metadataServer

    /// The word for the second in a rules file.
    static let metadataWord = "metadata"
}

extension Element {
    /// `{ env: NAME }`, `{ file: PATH }` or `metadata`.
    func googleIdentity(_ problems: Problems) -> GoogleIdentity? {
        guard case .text(let text) = self.content else {
            return self.secret(problems).map { .file($0) }
        }
        if text == GoogleIdentity.metadataWord { return .metadataServer }
        guard Spelling.nearest(to: text, among: [GoogleIdentity.metadataWord]) == nil else {
            problems.report(
                "'\(text)' is no account of Google; did you mean '\(GoogleIdentity.metadataWord)'?",
                at: self.place
            )
            return nil
        }
        problems.report(
            """
            a key does not belong in the rules; name its place: { env: NAME } or { file: PATH }, \
            or write '\(GoogleIdentity.metadataWord)' for the account of the machine
            """,
            at: self.place
        )
        return nil
    }
}
