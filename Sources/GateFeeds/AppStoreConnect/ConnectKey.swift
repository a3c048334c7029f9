private import FoundationEssentials
internal import GateCrypto
internal import GatePolicy
internal import GateRules

/// A key of App Store Connect, and the tokens that it signs.
struct ConnectKey: Sendable, Equatable {
    let id: String
    /// The issuer of a team's keys; `nil` for a key of one person.
    let issuer: String?
    /// The `.p8` file that Apple gave out once.
    let secret: Secret

    /// The key of a `.p8` file; many keep the whole file in base 64, to have it on one line.
    private static func key(in text: String) -> SigningKey? {
        if let key = SigningKey(pem: text, for: .es256) { return key }
        let compact = text.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: compact) else { return nil }
        let file = String(decoding: data, as: UTF8.self)
        return SigningKey(pem: file, for: .es256)
    }

    /// A token for the questions of the next minutes.
    func token(now: Timestamp) throws(FeedFailure) -> String {
        let text = try self.secret.read()
        guard let key = Self.key(in: text) else {
            // Nothing of it is repeated.
            throw .secret(
                "\(self.secret) holds no key of App Store Connect: the content of its .p8 file, which "
                    + "begins with '-----BEGIN PRIVATE KEY-----', as it is or in base 64"
            )
        }
        let claims = ConnectClaims(issuer: self.issuer, now: now)
        guard let token = SignedToken(claims, by: key, id: self.id) else {
            throw .secret("the key in \(self.secret) cannot sign")
        }
        return token.text
    }
}

/// The claims of a key about itself.
///
/// https://developer.apple.com/documentation/appstoreconnectapi/generating-tokens-for-api-requests
private struct ConnectClaims: Encodable {
    /// How long a token is good, in seconds; Apple takes none that is good for more than 20 minutes.
    private static let lifetime: Int64 = 600
    /// By how many seconds the clock of this machine may be ahead of Apple's.
    private static let skew: Int64 = 30

    let iss: String?
    let sub: String?
    let aud: String
    let iat: Int64
    let exp: Int64

    init(issuer: String?, now: Timestamp) {
        self.iss = issuer
        self.sub = issuer == nil ? "user" : nil
        self.aud = "appstoreconnect-v1"
        self.iat = now.secondsSinceEpoch - Self.skew
        self.exp = self.iat + Self.lifetime
    }
}
