import GateTestSupport
import RulesTestSupport
import Testing

@testable import GateRules

/// Webhook signatures; the valid ones were created with `openssl dgst -sha256 -hmac`.
struct FeedWebhookTests {
    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
        try self.folder.write("hunter2\n", to: "secret")
    }

    private var webhook: FeedWebhook {
        FeedWebhook(
            form: .init(field: "X-Signature", prefix: ""),
            secret: .file(self.folder.path(of: "secret"))
        )
    }

    private static let body = #"{"service":"shop","api":"app-version"}"#
    private static let signature =
        "7926ff27aa725c5a2560aeb6a8f470ea1785f983763b0ff3ade474339a02374e"

    @Test(arguments: [
        (Self.body, Self.signature, true),
        ("", "a9ee5d331179aed5d1fba6cd59acb1461a65410fa9cb709781d1d9b2a32fd5c1", true),
        (Self.body + " ", Self.signature, false),
        ("", Self.signature, false),
        (Self.body, Self.signature.uppercased(), false),
        (Self.body, "sha256=" + Self.signature, false),
        (Self.body, String(Self.signature.dropLast(2)), false),
        (Self.body, Self.signature + "00", false),
        (Self.body, "", false),
        (Self.body, String(repeating: "0", count: 64), false),
        (Self.body, String(repeating: "g", count: 64), false),
        (Self.body, String(repeating: "é", count: 32), false),
    ])
    func `only the valid signature of the exact body is accepted`(
        body: String,
        signature: String,
        isSigned: Bool
    ) throws {
        #expect(try self.webhook.isSigned(Array(body.utf8), by: signature) == isSigned)
    }

    @Test(arguments: [
        (FeedWebhook.Form.hub, "sha256=", true), (.hub, "", false), (.hub, "hmacsha256=", false),
        (.apple, "hmacsha256=", true), (.apple, "sha256=", false), (.apple, "HMACSHA256=", false),
        (.microCMS, "", true), (.microCMS, "sha256=", false),
    ])
    func `each source has its own signature format`(
        form: FeedWebhook.Form,
        prefix: String,
        isSigned: Bool
    ) throws {
        let webhook = FeedWebhook(form: form, secret: self.webhook.secret)
        let body = Array(Self.body.utf8)
        #expect(try webhook.isSigned(body, by: prefix + Self.signature) == isSigned)
    }

    private static let sources = [
        ("https, url: \"https://a.example\"", "X-Hub-Signature-256"),
        ("microcms, service: a, endpoint: b, key: { env: A }", "X-MICROCMS-Signature"),
        (
            "firebaseRemoteConfig, project: a, system: ios, serviceAccount: metadata",
            "X-Hub-Signature-256"
        ),
        ("googlePlay, package: a.b, serviceAccount: metadata", "X-Hub-Signature-256"),
        ("appStoreConnect, trackId: 1, keyId: A, key: { env: A }", "X-Apple-Signature"),
        ("etcd, url: \"https://a.example\", key: /a", nil),
        ("appStore, trackId: 1, countries: [jp]", nil),
        ("firebaseDatabase, database: \"https://a.example\"", nil),
    ]

    @Test(arguments: sources)
    func `a polling feed accepts webhooks, and a streaming feed does not`(
        source: String,
        field: String?
    ) throws {
        let text = "feeds: [{ id: a, webhookSecret: { env: S }, source: \(source) }]"
        guard let field else {
            #expect(throws: RulesFileErrors.self) {
                try RulesFileLoader.load(sources: [("r.yaml", text)])
            }
            return
        }
        let feed = try #require(try RulesFileLoader.load(sources: [("r.yaml", text)]).feeds.first)
        #expect(feed.webhook?.form.field == field)
        #expect(feed.hasWebhook)
    }

    @Test func `a different secret results in a different signature`() throws {
        try self.folder.write("hunter3", to: "secret")
        #expect(try !self.webhook.isSigned(Array(Self.body.utf8), by: Self.signature))
    }

    @Test func `without the secret, no signature can be verified`() throws {
        try self.folder.write("", to: "secret")
        #expect(throws: FeedFailure.self) {
            try self.webhook.isSigned(Array(Self.body.utf8), by: Self.signature)
        }
    }
}
