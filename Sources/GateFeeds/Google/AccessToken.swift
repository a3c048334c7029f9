internal import GatePolicy
internal import GateRules
internal import GateSystem

/// A short-lived access token for Google's APIs.
struct AccessToken: Sendable, Equatable {
    let text: String
    /// The time of the token request, in seconds since 1970.
    let askedAt: Int64
    /// The time at which the token is renewed, in seconds since 1970: after four fifths of its
    /// lifetime.
    let renewAt: Int64
    /// The expiration time, in seconds since 1970.
    let expiresAt: Int64

    /// Decodes the token response (RFC 6749 section 5).
    init(_ response: FetchResponse, asked: Timestamp) throws(FeedFailure) {
        let body = try? JSONParser.parse(response.body)
        guard response.status == 200 else {
            let words = ["error", "error_description"].compactMap { body?[$0]?.text }
            let reason = words.isEmpty ? "no reason given" : words.joined(separator: ", ")
            let detail = "no token: " + reason.prefix(200)
            throw .status(response.head, detail: detail)
        }
        guard let text = body?["access_token"]?.text, !text.isEmpty,
            let lifetime = body?["expires_in"]?.wholeNumber,
            (1...ServiceAccount.lifetime).contains(lifetime)
        else { throw .content("the response has no valid 'access_token' or 'expires_in'") }
        self.init(text, asked: asked, lifetime: lifetime)
    }

    /// Decodes the token for an impersonated service account.
    ///
    /// https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
    init(impersonated response: FetchResponse, asked: Timestamp) throws(FeedFailure) {
        let body = try? JSONParser.parse(response.body)
        guard response.status == 200 else {
            let words = body?["error"]?["message"]?.text ?? "no reason given"
            throw .status(response.head, detail: "no service account token: \(words.prefix(200))")
        }
        guard let text = body?["accessToken"]?.text, !text.isEmpty,
            let end = (body?["expireTime"]?.text).flatMap({ try? Timestamp(parsing: $0) })
        else { throw .content("the response has no valid 'accessToken' or 'expireTime'") }
        let lifetime = end.secondsSinceEpoch - asked.secondsSinceEpoch
        // Clocks may differ by minutes, so the lifetime is clamped to the range from one minute to
        // one hour.
        self.init(text, asked: asked, lifetime: min(max(lifetime, 60), ServiceAccount.lifetime))
    }

    private init(_ text: String, asked: Timestamp, lifetime: Int64) {
        let start = asked.secondsSinceEpoch
        self.text = text
        self.askedAt = start
        self.renewAt = start + lifetime * 4 / 5
        self.expiresAt = start + lifetime
    }
}
