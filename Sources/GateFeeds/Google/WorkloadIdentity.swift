internal import GatePolicy
internal import GateRules
internal import GateSystem

/// A workload that exchanges a token from another identity provider for a Google token.
///
/// It is defined by a file from `gcloud iam workload-identity-pools create-cred-config`.
///
/// https://google.aip.dev/auth/4117
struct WorkloadIdentity {
    static let type = "external_account"

    /// The scope of a token that is used only to impersonate a service account.
    private static let platform = "https://www.googleapis.com/auth/cloud-platform"

    private let audience: String
    private let tokenType: String
    private let tokenURL: FetchURL
    /// The URL that issues tokens for a service account; `nil` without impersonation.
    private let impersonationURL: FetchURL?
    private let source: Secret
    /// The JSON member that contains the token; `nil` if the file contains only the token.
    private let member: String?

    /// Decodes the parsed configuration file.
    ///
    /// - Throws: A `FeedFailure` that names the missing or invalid part.
    init(_ file: JSONValue, in place: Secret) throws(FeedFailure) {
        func failure(_ problem: String) -> FeedFailure {
            .secret("the workload identity in \(place) \(problem)")
        }
        func text(_ name: String) throws(FeedFailure) -> String {
            guard let text = file[name]?.text else { throw failure("has no '\(name)'") }
            return text
        }
        func address(_ name: String) throws(FeedFailure) -> FetchURL {
            let text = try text(name)
            do {
                return try FetchURL(parsing: text)
            } catch {
                throw failure("has a '\(name)' that cannot be used: \(error)")
            }
        }
        self.audience = try text("audience")
        self.tokenType = try text("subject_token_type")
        self.tokenURL = try address("token_url")
        let impersonation = "service_account_impersonation_url"
        self.impersonationURL = file[impersonation] == nil ? nil : try address(impersonation)
        guard let source = file["credential_source"] else {
            throw failure("has no 'credential_source'")
        }
        guard let path = source["file"]?.text else {
            throw failure(
                """
                has a 'credential_source' without 'file': the gate reads tokens from a file, such as \
                the projected token of a Kubernetes service account
                """
            )
        }
        self.source = .file(path)
        switch source["format"]?["type"]?.text ?? "text" {
        case "text": self.member = nil
        case "json":
            guard let name = source["format"]?["subject_token_field_name"]?.text else {
                throw failure("has a 'format' without 'subject_token_field_name'")
            }
            self.member = name
        case let type:
            throw failure("has a 'format' of unknown type '\(type)'; expected text or json")
        }
    }

    /// Exchanges the other identity provider's token for a Google token, or for a token of the
    /// impersonated service account if one is configured.
    func token(
        scopes: [String],
        _ context: FeedContext,
        fetch: (FetchRequest) async throws(FeedFailure) -> FetchResponse
    ) async throws(FeedFailure) -> AccessToken {
        let now = context.now()
        let asked = self.impersonationURL == nil ? scopes : [Self.platform]
        let form: KeyValuePairs = [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "audience": self.audience,
            "scope": asked.joined(separator: " "),
            "subject_token_type": self.tokenType,
            "subject_token": try self.subjectToken(),
        ]
        let exchange = FetchRequest(self.tokenURL, method: .form(form))
        let federated = try AccessToken(try await fetch(exchange), asked: now)
        guard let impersonationURL else { return federated }
        let list = scopes.map { "\"\($0)\"" }.joined(separator: ",")
        let question = FetchRequest(
            impersonationURL,
            method: .post(
                body: Array("{\"scope\":[\(list)],\"lifetime\":\"3600s\"}".utf8),
                type: "application/json"
            ),
            credential: .bearer(federated.text)
        )
        return try AccessToken(impersonated: try await fetch(question), asked: now)
    }

    /// Reads the other identity provider's token, which is replaced every few minutes.
    private func subjectToken() throws(FeedFailure) -> String {
        let text = try self.source.read()
        guard let member else { return text }
        guard let token = (try? JSONParser.parse(Array(text.utf8)))?[member]?.text else {
            throw .secret("the token in \(self.source) is not JSON with the member '\(member)'")
        }
        return token
    }
}

extension FetchRequest.Method {
    /// Creates a POST with a form (application/x-www-form-urlencoded).
    ///
    /// Values are encoded; names are not, so they must not contain reserved characters.
    static func form(_ fields: KeyValuePairs<String, String>) -> Self {
        let pairs = fields.map { name, value in
            let encoded = PercentEncoding.encoded(value) { byte in
                PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: "~")
            }
            return "\(name)=\(encoded)"
        }
        return .post(
            body: Array(pairs.joined(separator: "&").utf8),
            type: "application/x-www-form-urlencoded"
        )
    }
}
