internal import GateCrypto
internal import GatePolicy
internal import GateRules
internal import GateSystem

/// A Google service account, defined by its key file.
///
/// https://developers.google.com/identity/protocols/oauth2/service-account
struct ServiceAccount {
    /// The lifetime of an assertion in seconds; Google accepts at most one hour.
    static let lifetime: Int64 = 3_600

    private struct Claims: Encodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int64
        let exp: Int64
    }

    let tokenURL: FetchURL
    private let email: String
    private let key: SigningKey
    private let keyID: String?

    /// Parses the JSON key file.
    ///
    /// - Throws: `FeedFailure`, without any content of the file.
    init(parsing text: String, in place: Secret) throws(FeedFailure) {
        func failure(_ problem: String) -> FeedFailure {
            .secret("the service account in \(place) \(problem)")
        }
        let file: JSONValue
        do {
            file = try JSONParser.parse(Array(text.utf8))
        } catch {
            throw failure("is not valid JSON (line \(error.line), column \(error.column))")
        }
        // Google Cloud creates credential files of several types.
        guard file["type"]?.text ?? "service_account" == "service_account" else {
            throw failure(
                "has an unknown 'type'; expected 'service_account' or '\(WorkloadIdentity.type)'"
            )
        }
        guard let email = file["client_email"]?.text else { throw failure("has no 'client_email'") }
        guard let pem = file["private_key"]?.text else { throw failure("has no 'private_key'") }
        guard let key = SigningKey(pem: pem, for: .rs256) else {
            throw failure("has a 'private_key' that is not an RSA key in PEM format")
        }
        guard let address = file["token_uri"]?.text else { throw failure("has no 'token_uri'") }
        do {
            self.tokenURL = try FetchURL(parsing: address)
        } catch {
            throw failure("has a 'token_uri' that cannot be used: \(error)")
        }
        self.email = email
        self.key = key
        self.keyID = file["private_key_id"]?.text
    }

    /// Creates the assertion to exchange for a token (RFC 7523).
    func assertion(
        scopes: [String],
        now: Timestamp
    ) throws(FeedFailure) -> String {
        let issuedAt = now.secondsSinceEpoch
        let claims = Claims(
            iss: self.email,
            scope: scopes.joined(separator: " "),
            aud: self.tokenURL.text,
            iat: issuedAt,
            exp: issuedAt + Self.lifetime
        )
        guard let token = SignedToken(claims, by: self.key, id: self.keyID) else {
            throw .secret("signing with the private key of the service account failed")
        }
        return token.text
    }
}
