internal import GatePolicy
internal import GateRules
internal import GateSystem

/// Provides access tokens for an account, and renews them.
///
/// Concurrent requests share a single token request.
actor AccessTokens {
    private typealias Flight = Task<Result<AccessToken, FeedFailure>, Never>

    private let account: GoogleIdentity
    private let scopes: [String]
    private var current: AccessToken?
    /// The token request in progress.
    private var flight: Flight?

    init(_ account: GoogleIdentity, scopes: [String]) {
        self.account = account
        self.scopes = scopes
    }

    /// Returns a valid token.
    func token(_ context: FeedContext) async throws(FeedFailure) -> String {
        let now = context.now().secondsSinceEpoch
        // If the clock was set back to a time before the request, the age of the token is unknown.
        if let current, current.askedAt <= now, now < current.renewAt { return current.text }
        let flight = self.flight ?? Flight { await self.renewed(context) }
        self.flight = flight
        let result = await flight.value
        // Tokens are renewed early: if the renewal fails, the current token is used until it
        // expires.
        if case .failure = result, let current, now < current.expiresAt { return current.text }
        return try result.get().text
    }

    /// Fetches from a Google API; if the token is rejected, retries once with a new one.
    nonisolated func fetch(
        _ request: FetchRequest,
        _ context: FeedContext
    ) async throws(FeedFailure) -> FetchResponse {
        var request = request
        let token = try await self.token(context)
        request.credential = .bearer(token)
        let response = try await context.fetcher.response(to: request)
        guard response.status == 401 else { return response }
        await self.forget(token)
        request.credential = .bearer(try await self.token(context))
        return try await context.fetcher.response(to: request)
    }

    /// Discards the current token, which is no longer accepted.
    func forget() {
        self.current = nil
    }

    /// Discards a rejected token, unless a new one has already replaced it.
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
        guard case .file(let key) = self.account else {
            return try await self.tokenOfMachine(context)
        }
        let now = context.now()
        let text = try key.read()
        if let file = try? JSONParser.parse(Array(text.utf8)),
            file["type"]?.text == WorkloadIdentity.type
        {
            let identity = try WorkloadIdentity(file, in: key)
            return try await identity.token(
                scopes: self.scopes,
                context,
                fetch: context.fetcher.response
            )
        }
        let account = try ServiceAccount(parsing: text, in: key)
        let assertion = try account.assertion(scopes: self.scopes, now: now)
        let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        let request = FetchRequest(
            account.tokenURL,
            method: .form(["grant_type": grant, "assertion": assertion])
        )
        return try AccessToken(try await context.fetcher.response(to: request), asked: now)
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
}

/// The identity for requests to Google.
enum GoogleIdentity: Sendable, Equatable {
    /// A file from Google Cloud: a service account key or a workload identity configuration.
    case file(Secret)
    /// The service account attached to this machine or to the GKE workload, without a key.
    case metadataServer

    /// The name of the metadata server in a rules file.
    static let metadataWord = "metadata"
}

extension Element {
    /// Decodes `{ env: NAME }`, `{ file: PATH }` or `metadata`.
    func googleIdentity(_ problems: Problems) -> GoogleIdentity? {
        guard case .text(let text) = self.content else {
            return self.secret(problems).map { .file($0) }
        }
        if text == GoogleIdentity.metadataWord { return .metadataServer }
        guard Spelling.nearest(to: text, among: [GoogleIdentity.metadataWord]) == nil else {
            return problems.reject(
                "'\(text)' is not a Google account; did you mean '\(GoogleIdentity.metadataWord)'?",
                at: self.place
            )
        }
        return problems.reject(
            """
            a key must not be in the rules; set its location: { env: NAME } or { file: PATH }, \
            or use '\(GoogleIdentity.metadataWord)' for the service account attached to this machine
            """,
            at: self.place
        )
    }
}
