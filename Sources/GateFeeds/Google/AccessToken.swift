internal import GatePolicy
internal import GateRules
internal import GateSystem

/// A token that opens Google's interfaces for a while.
struct AccessToken: Sendable, Equatable {
    let text: String
    /// When it was asked for, seconds since 1970.
    let askedAt: Int64
    /// When the next one is fetched, seconds since 1970: at four fifths of its life.
    let renewAt: Int64
    /// When it opens nothing any more, seconds since 1970.
    let expiresAt: Int64

    /// Reads the answer to an assertion (RFC 6749 section 5).
    init(_ response: FetchResponse, asked: Timestamp) throws(FeedFailure) {
        let body = try? JSONParser.parse(response.body)
        guard response.status == 200 else {
            let words = ["error", "error_description"].compactMap { body?[$0]?.text }
            let detail = "no token: " + words.joined(separator: ", ").prefix(200)
            throw .status(response.head, detail: detail)
        }
        guard let text = body?["access_token"]?.text, !text.isEmpty,
            case .number(let seconds)? = body?["expires_in"],
            let lifetime = Int64(seconds), (1...ServiceAccount.lifetime).contains(lifetime)
        else { throw .content("the answer has no 'access_token' and 'expires_in'") }
        self.init(text, asked: asked, lifetime: lifetime)
    }

    /// Reads the token of a service account that was made of another one.
    ///
    /// https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken
    init(impersonated response: FetchResponse, asked: Timestamp) throws(FeedFailure) {
        let body = try? JSONParser.parse(response.body)
        guard response.status == 200 else {
            let words = body?["error"]?["message"]?.text ?? "no reason is given"
            throw .status(response.head, detail: "no token of the account: \(words.prefix(200))")
        }
        guard let text = body?["accessToken"]?.text, !text.isEmpty,
            let end = (body?["expireTime"]?.text).flatMap({ try? Timestamp(parsing: $0) })
        else { throw .content("the answer has no 'accessToken' and 'expireTime'") }
        let lifetime = end.secondsSinceEpoch - asked.secondsSinceEpoch
        // Clocks differ by minutes, and a token without an end is believed for an hour.
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
