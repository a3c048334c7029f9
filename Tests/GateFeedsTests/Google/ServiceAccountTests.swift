import GatePolicy
import GateRules
@testable import GateSystem
import GateTestSupport
import Testing

@testable import GateFeeds

@Suite(.ownThread, .enabled(if: GoogleTestAccount.canBeMade, "openssl is missing"))
struct ServiceAccountTests {
    private static let secret = Secret.environment("ACCOUNT")

    @Test(arguments: [
        ("", "is not valid JSON (line 1, column 1)"),
        (#"{"hunter2": 1, "hunter2": 2}"#, "is not valid JSON"),
        (
            #"{"type":"authorized_user"}"#,
            "has an unknown 'type'; expected 'service_account' or 'external_account'"
        ),
        ("[]", "has no 'client_email'"), (#"{"client_email":"hunter2"}"#, "has no 'private_key'"),
        (
            #"{"client_email":"hunter2","private_key":"hunter2"}"#,
            "has a 'private_key' that is not an RSA key in PEM format"
        ),
    ])
    func `an invalid service account is reported without its content`(text: String, reason: String)
    {
        let failure = #expect(throws: FeedFailure.self) {
            try ServiceAccount(parsing: text, in: Self.secret)
        }
        let message = failure?.description ?? ""
        #expect(message.contains(reason), "\(message)")
        #expect(message.hasPrefix("the service account in the environment variable ACCOUNT "))
        #expect(!message.contains("hunter2"))
    }

    @Test(arguments: ["http://oauth2.googleapis.com/token", "token", ""])
    func `tokens are requested over TLS only`(url: String) throws {
        let account = try GoogleTestAccount(tokenURL: url)
        let failure = #expect(throws: FeedFailure.self) {
            try ServiceAccount(parsing: account.json, in: Self.secret)
        }
        #expect(failure?.description.contains("a 'token_uri' that cannot be used") == true)
    }

    @Test(arguments: [
        (#"{"access_token":"t","expires_in":3599}"#, 3_879, 4_599),
        (#"{"access_token":"t","expires_in":100,"token_type":"Bearer"}"#, 1_080, 1_100),
    ])
    func `a token is renewed after four fifths of its lifetime`(
        answer: String,
        renewAt: Int64,
        expiresAt: Int64
    ) throws {
        let token = try AccessToken(Self.response(answer), asked: Self.now)
        #expect(token.text == "t")
        #expect(token.renewAt == renewAt)
        #expect(token.expiresAt == expiresAt)
    }

    @Test(arguments: [
        "", "{}", "null", "<html>", #"{"access_token":"t"}"#, #"{"access_token":7,"expires_in":9}"#,
        #"{"access_token":"","expires_in":9}"#, #"{"access_token":"t","expires_in":0}"#,
        #"{"access_token":"t","expires_in":-1}"#, #"{"access_token":"t","expires_in":9999999}"#,
    ])
    func `an invalid token response is rejected`(answer: String) {
        #expect(throws: FeedFailure.self) {
            try AccessToken(Self.response(answer), asked: Self.now)
        }
    }

    private static let now = Timestamp(secondsSinceEpoch: 1_000)

    private static func response(_ body: String) -> FetchResponse {
        FetchResponse(head: ResponseHead(status: 200, fields: []), body: Array(body.utf8))
    }
}
