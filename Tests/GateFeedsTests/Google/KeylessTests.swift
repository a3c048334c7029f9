import GatePolicy
import GateRules
@testable import GateSystem
import GateTestSupport
import Testing

@testable import GateFeeds

/// Google tokens without a service account key: from the metadata server, and by workload identity
/// federation.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct KeylessTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    private let folder: TestFolder
    private let fetcher: Fetcher

    init() throws {
        self.folder = try TestFolder()
        self.fetcher = try Fetcher()
    }

    private var context: FeedContext {
        FeedContext(feed: "a", fetcher: self.fetcher, last: nil, now: { Self.now })
    }

    @Test func `the metadata server request has the scopes and the required header`() throws {
        let question = try MetadataServer.question(scopes: ["a", "b"], environment: [:])
        #expect(
            question.url.text == "http://metadata.google.internal/computeMetadata/v1/instance/"
                + "service-accounts/default/token?scopes=a,b"
        )
        #expect(question.fields == [HeaderField(name: "Metadata-Flavor", value: "Google")])
        let host = [MetadataServer.hostVariable: "127.0.0.1:81"]
        let other = try MetadataServer.question(scopes: ["a"], environment: host)
        #expect(other.url.text.hasPrefix("http://127.0.0.1:81/computeMetadata/v1/"))
        // A token request is sent in clear text only to this machine.
        #expect(throws: FeedFailure.self) {
            try MetadataServer.question(
                scopes: [],
                environment: [MetadataServer.hostVariable: "example.com"]
            )
        }
    }

    @Test func `a URL in the rules cannot address the metadata server`() {
        #expect(throws: FetchURL.Failure.plainText) {
            try FetchURL(parsing: "http://metadata.google.internal/")
        }
    }

    /// Google's responses to a valid exchange and impersonation, and its errors.
    private static func google(
        _ request: FetchRequest,
        isAllowed: Bool = true
    ) throws(FeedFailure) -> FetchResponse {
        guard case .post(let bytes, let type) = request.method else {
            return Self.response(405, "{}")
        }
        let body = String(decoding: bytes, as: UTF8.self)
        switch request.url.text {
        case "https://sts.example/token":
            let isRight =
                type == "application/x-www-form-urlencoded" && request.credential == nil
                && body.hasPrefix(
                    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange&"
                )
                && body.contains(
                    "&audience=%2F%2Fiam.googleapis.com%2Fpools%2Fp&scope=https%3A%2F%2F"
                )
                && body.hasSuffix("&subject_token=of.the_cluster-1")
            return isRight
                ? Self.response(200, #"{"access_token":"federated","expires_in":3600}"#)
                : Self.response(400, #"{"error":"invalid_grant"}"#)
        case "https://iam.example/gate:generateAccessToken":
            guard isAllowed, request.credential == .bearer("federated"),
                body == #"{"scope":["https://a"],"lifetime":"3600s"}"#
            else {
                let error = #"{"error":{"message":"Permission iam.getAccessToken denied"}}"#
                return Self.response(403, error)
            }
            return Self.response(
                200,
                #"{"accessToken":"of-gate","expireTime":"2027-01-15T08:50:00Z"}"#
            )
        default: return Self.response(404, "{}")
        }
    }

    private static func response(_ status: Int, _ body: String) -> FetchResponse {
        FetchResponse(
            head: ResponseHead(status: status, fields: []),
            body: Array(body.utf8)
        )
    }

    private func identity(
        impersonates: Bool,
        token: String = "of.the_cluster-1\n",
        format: String = ""
    ) throws -> WorkloadIdentity {
        try self.folder.write(token, to: "token")
        let link = "https://iam.example/gate:generateAccessToken"
        let url = impersonates ? #","service_account_impersonation_url":"\#(link)""# : ""
        let text = #"""
            {"type":"external_account","audience":"//iam.googleapis.com/pools/p",
             "subject_token_type":"urn:ietf:params:oauth:token-type:jwt",
             "token_url":"https://sts.example/token"\#(url),
             "credential_source":{"file":"\#(self.folder.path(of: "token"))"\#(format)}}
            """#
        return try WorkloadIdentity(try JSONParser.parse(Array(text.utf8)), in: .environment("A"))
    }

    private func token(_ identity: WorkloadIdentity, isAllowed: Bool = true) async throws
        -> AccessToken
    {
        try await identity.token(scopes: ["https://a"], self.context) {
            (request) throws(FeedFailure) in
            try Self.google(request, isAllowed: isAllowed)
        }
    }

    @Test(arguments: [(false, "federated", 3_600), (true, "of-gate", 3_000)])
    func `an external token is exchanged for a Google token`(
        impersonates: Bool,
        text: String,
        lifetime: Int64
    ) async throws {
        let token = try await self.token(try self.identity(impersonates: impersonates))
        #expect(token.text == text)
        #expect(token.expiresAt == Self.now.secondsSinceEpoch + lifetime)
    }

    @Test func `the external token can be in a JSON document`() async throws {
        let format = #","format":{"type":"json","subject_token_field_name":"access_token"}"#
        let identity = try self.identity(
            impersonates: false,
            token: #"{"access_token":"of.the_cluster-1"}"#,
            format: format
        )
        #expect(try await self.token(identity).text == "federated")
    }

    @Test func `an error contains Google's message without the token`() async throws {
        let identity = try self.identity(impersonates: true)
        let failure = await #expect(throws: FeedFailure.self) {
            try await self.token(identity, isAllowed: false)
        }
        let words = failure.map { "\($0)" } ?? ""
        #expect(words.contains("403"))
        #expect(words.contains("no service account token: Permission iam.getAccessToken denied"))
        let other = try self.identity(impersonates: true, token: "forged-token")
        let refusal = await #expect(throws: FeedFailure.self) { try await self.token(other) }
        let reason = refusal.map { "\($0)" } ?? ""
        #expect(reason.contains("no token: invalid_grant"))
        #expect(!reason.contains("forged-token"))
    }

    /// The complete exchange over a socket.
    @Test func `an external account file is accepted instead of a key`() async throws {
        let google = try SourceServer { request in
            let isToken = request.target == "/token"
            let isAllowed = request.fields["Authorization"] == ["Bearer federated"]
            let answer =
                isToken
                ? #"{"access_token":"federated","expires_in":3600}"#
                : #"{"accessToken":"\#(isAllowed ? "of-gate" : "of-nobody")","expireTime":"2027-01-15T08:50:00Z"}"#
            return [
                .readBody, .answer(fields: "Content-Type: application/json\r\n", body: answer),
            ]
        }
        try self.folder.write("t", to: "token")
        try self.folder.write(
            #"""
            {"type":"external_account","audience":"a","subject_token_type":"b",
             "token_url":"\#(google.url("/token"))",
             "service_account_impersonation_url":"\#(google.url("/gate"))",
             "credential_source":{"file":"\#(self.folder.path(of: "token"))"}}
            """#,
            to: "credentials.json"
        )
        let file = Secret.file(self.folder.path(of: "credentials.json"))
        let tokens = AccessTokens(.file(file), scopes: ["https://a"])
        #expect(try await tokens.token(self.context) == "of-gate")
        #expect(try await tokens.token(self.context) == "of-gate")
        #expect(google.requests.count == 2)
        try google.stop()
    }

    @Test(arguments: [
        (#"{"type":"external_account"}"#, "has no 'audience'"),
        (
            #"{"type":"external_account","audience":"a","subject_token_type":"b"}"#,
            "has no 'token_url'"
        ),
        (
            #"{"type":"external_account","audience":"a","subject_token_type":"b","token_url":"http://a.example"}"#,
            "has a 'token_url' that cannot be used: http:// is only allowed for this machine"
        ),
        (
            #"{"type":"external_account","audience":"a","subject_token_type":"b","token_url":"https://a","credential_source":{"url":"http://b"}}"#,
            "has a 'credential_source' without 'file'"
        ),
    ])
    func `an incomplete external account file is rejected with the missing member`(
        json: String,
        words: String
    ) async throws {
        try self.folder.write(json, to: "a.json")
        let path = self.folder.path(of: "a.json")
        let tokens = AccessTokens(.file(.file(path)), scopes: [])
        let failure = await #expect(throws: FeedFailure.self) {
            try await tokens.token(self.context)
        }
        let text = failure.map { "\($0)" } ?? ""
        #expect(text.hasPrefix("the workload identity in \(path) \(words)"))
    }
}
