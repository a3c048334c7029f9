private import FoundationEssentials
internal import GateCrypto
internal import GatePolicy
internal import GateRules

/// An API key for App Store Connect, which signs tokens.
struct ConnectKey: Sendable, Equatable {
    let id: String
    /// The issuer ID of a team key; `nil` if the key is an individual key.
    let issuer: String?
    /// The `.p8` file with the private key.
    let secret: Secret

    /// Parses the content of a `.p8` file, or its base64 encoding, which is often used to keep the
    /// key on one line; returns `nil` if the text contains no key.
    private static func key(in text: String) -> SigningKey? {
        if let key = SigningKey(pem: text, for: .es256) { return key }
        let compact = text.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: compact) else { return nil }
        let file = String(decoding: data, as: UTF8.self)
        return SigningKey(pem: file, for: .es256)
    }

    /// Creates a token that is valid for ten minutes.
    func token(now: Timestamp) throws(FeedFailure) -> String {
        let text = try self.secret.read()
        guard let key = Self.key(in: text) else {
            // The message contains no part of the secret.
            throw .secret(
                "\(self.secret) contains no App Store Connect key; expected the content of a .p8 file, which "
                    + "starts with '-----BEGIN PRIVATE KEY-----', or the file in base64"
            )
        }
        let claims = ConnectClaims(issuer: self.issuer, now: now)
        guard let token = SignedToken(claims, by: key, id: self.id) else {
            throw .secret("signing a token with the key in \(self.secret) failed")
        }
        return token.text
    }
}

/// The claims of a token.
///
/// https://developer.apple.com/documentation/appstoreconnectapi/generating-tokens-for-api-requests
private struct ConnectClaims: Encodable {
    /// The lifetime of a token in seconds; Apple rejects lifetimes above 20 minutes.
    private static let lifetime: Int64 = 600
    /// The number of seconds by which the local clock may be ahead of Apple's.
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
