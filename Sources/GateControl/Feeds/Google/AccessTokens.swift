internal import GatePolicy

/// The access tokens of a service account, one after the other.
actor AccessTokens {
    private struct Token {
        let text: String
        /// When the next one is fetched, seconds since 1970.
        let renewAt: Int64
    }

    private let key: Secret
    private let scopes: [String]
    private var current: Token?

    /// `key`: where the file of the account's key is.
    init(key: Secret, scopes: [String]) {
        self.key = key
        self.scopes = scopes
    }

    /// A token that is good for a while.
    func token(_ context: FeedContext) async throws(FeedFailure) -> String {
        let now = context.now()
        if let current, now.secondsSinceEpoch < current.renewAt { return current.text }
        let account = try ServiceAccount(parsing: try self.key.read())
        let assertion = try await account.assertion(scopes: self.scopes, now: now)
        let form = "grant_type=\(ServiceAccount.grant.percentEncoded)&assertion=\(assertion)"
        let request = FetchRequest(
            account.tokenURL,
            method: .post(body: Array(form.utf8), type: "application/x-www-form-urlencoded")
        )
        let response: FetchResponse
        do {
            response = try await context.fetcher.fetch(request)
        } catch {
            throw .fetch(error)
        }
        let token = try Self.token(in: response, at: now)
        self.current = token
        return token.text
    }

    /// Gives the token up: somebody does not take it any more.
    func forget() {
        self.current = nil
    }

    private static func token(
        in response: FetchResponse,
        at now: Timestamp
    ) throws(FeedFailure) -> Token {
        let body = try? JSONParser.parse(response.body)
        guard response.status == 200 else {
            let words = ["error", "error_description"].compactMap { body?[$0]?.text }
            let detail = "no token: " + words.joined(separator: ", ").prefix(200)
            throw .status(response.head, detail: detail)
        }
        guard let text = body?["access_token"]?.text,
            case .number(let seconds)? = body?["expires_in"],
            let lifetime = Int64(seconds), lifetime > 0
        else { throw .content("the answer has no 'access_token' and 'expires_in'") }
        // Before it ends, so that no question meets its end.
        return Token(text: text, renewAt: now.secondsSinceEpoch + lifetime * 4 / 5)
    }
}

extension String {
    fileprivate var percentEncoded: String {
        self.utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            text += isPlain ? String(scalar) : "%" + String(byte, radix: 16, uppercase: true)
        }
    }
}
