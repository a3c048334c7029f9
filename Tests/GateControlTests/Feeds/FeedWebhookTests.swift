import Testing

@testable import GateControl

/// Signatures of webhooks; the right ones are of `openssl dgst -sha256 -hmac`.
struct FeedWebhookTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.write("hunter2\n", to: "secret")
    }

    private var webhook: FeedWebhook {
        FeedWebhook(field: "X-Signature", secret: .file(self.folder.path(of: "secret")))
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
    func `only the right signature of the very bytes counts`(
        body: String,
        signature: String,
        isSigned: Bool
    ) throws {
        #expect(try self.webhook.isSigned(Array(body.utf8), by: signature) == isSigned)
    }

    @Test func `another secret makes another signature`() throws {
        try self.folder.write("hunter3", to: "secret")
        #expect(try !self.webhook.isSigned(Array(Self.body.utf8), by: Self.signature))
    }

    @Test func `without its secret nothing is signed`() throws {
        try self.folder.write("", to: "secret")
        #expect(throws: FeedFailure.self) {
            try self.webhook.isSigned(Array(Self.body.utf8), by: Self.signature)
        }
    }
}
