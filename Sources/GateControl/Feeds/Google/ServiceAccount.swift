internal import GatePolicy
private import JWTKit

/// A Google service account, as the file of its key says it.
///
/// https://developers.google.com/identity/protocols/oauth2/service-account
struct ServiceAccount {
    /// How long an assertion may be used, in seconds; Google takes no more than an hour.
    private static let lifetime: Int64 = 3_600
    static let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    private struct Claims: JWTPayload {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int64
        let exp: Int64

        // We make these claims; whoever gets them checks them.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    let tokenURL: FetchURL
    private let email: String
    private let privateKey: String
    private let keyID: String?

    /// Reads the JSON file that Google hands out.
    ///
    /// - Throws: `FeedFailure`, which repeats nothing of the file.
    init(parsing text: String) throws(FeedFailure) {
        guard let value = try? JSONParser.parse(Array(text.utf8)),
            let email = value["client_email"]?.text, let key = value["private_key"]?.text,
            let address = value["token_uri"]?.text
        else { throw .secret("the service account is not the JSON file of a key") }
        do {
            self.tokenURL = try FetchURL(parsing: address)
        } catch {
            throw .secret("the 'token_uri' of the service account cannot be used: \(error)")
        }
        self.email = email
        self.privateKey = key
        self.keyID = value["private_key_id"]?.text
    }

    /// What the account shows to be given a token (RFC 7523).
    func assertion(
        scopes: [String],
        now: Timestamp
    ) async throws(FeedFailure) -> String {
        let issuedAt = now.secondsSinceEpoch
        let claims = Claims(
            iss: self.email,
            scope: scopes.joined(separator: " "),
            aud: self.tokenURL.text,
            iat: issuedAt,
            exp: issuedAt + Self.lifetime
        )
        do {
            let keys = JWTKeyCollection()
            let key = try Insecure.RSA.PrivateKey(pem: self.privateKey)
            let kid = self.keyID.map { JWKIdentifier(string: $0) }
            await keys.add(rsa: key, digestAlgorithm: .sha256, kid: kid)
            return try await keys.sign(claims, kid: kid)
        } catch {
            throw .secret("the private key of the service account cannot sign")
        }
    }
}
