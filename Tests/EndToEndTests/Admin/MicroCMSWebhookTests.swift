import GateTestSupport
import Testing

/// The webhooks that microCMS sends when an editor publishes content.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("python3")
)
struct MicroCMSWebhookTests {
    private struct Delivery: Decodable {
        var status: Int?
    }

    private static let secret = "a secret for the webhook"

    /// Runs a gate whose source is polled once an hour and sends webhooks to the gate.
    private func play(_ body: (Scene, FeedServer) async throws -> Void) async throws {
        let cms = try FeedServer("microcms")
        try Self.publish(floor: nil, in: cms)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.secret + "\n", to: "webhook-secret")
        let rules = """
            feeds:
            - id: forced-update
              source: microcms
              url: \(cms.url("/api/v1/app-version"))
              key: { env: MICROCMS_API_KEY }
              webhookSecret: { file: '\(folder.path(of: "webhook-secret"))' }
              every: 1h
              rule: { match: { platform: ios }, storeUrl: "https://a.example/app" }
            """
        try folder.writeInPlace(rules, to: "rules.yaml")
        try await Scene.play(
            in: folder,
            flags: [.adminListen()],
            surroundings: .environment(["MICROCMS_API_KEY": "test-key"])
        ) { scene in
            let status = try await scene.waitForFeed("the first answer") {
                $0.state == "fresh" && $0.nextAt != nil
            }
            #expect(status.webhook == "/hooks/forced-update")
            let port = try #require(scene.gate.adminPort)
            try cms.changeState(
                """
                {"webhook":{"url":"http://127.0.0.1:\(port)/hooks/forced-update",\
                "secret":"\(Self.secret)"}}
                """
            )
            try await body(scene, cms)
            #expect(!scene.gate.logText.contains(Self.secret))
            #expect(!scene.gate.logText.contains("test-key"))
        }
    }

    /// Blocks every version up to this one; `nil` blocks none.
    private static func publish(floor version: String?, in cms: FeedServer) throws {
        let content = version.map { #"{"maxAppVersion":"\#($0)"}"# } ?? #"{"title":"nothing"}"#
        try cms.changeState(#"{"endpoints":{"app-version":{"content":\#(content)}}}"#)
    }

    private static func questions(to cms: FeedServer) throws -> Int {
        try cms.requests().filter { $0.method == "GET" }.count
    }

    @Test func `published content takes effect soon, whatever the interval`()
        async throws
    {
        try await self.play { scene, cms in
            for (floor, isDenied) in [("2.0.0", true), (nil, false), ("3.0.0", true)] {
                let start = ContinuousClock.now
                try Self.publish(floor: floor, in: cms)
                try scene.wait(untilVersion: "1.9.0", isDenied: isDenied)
                // The gate polls at most once per second.
                #expect(start.duration(to: .now) < .seconds(10))
            }
            #expect(try Self.questions(to: cms) == 4)
        }
    }

    @Test func `a webhook without a valid signature has no effect`() async throws {
        try await self.play { scene, cms in
            try cms.changeState(#"{"webhook":{"automatic":false}}"#)
            try Self.publish(floor: "2.0.0", in: cms)
            for form in ["wrong", "upper-case", "prefixed", "cut", "empty", "absent"] {
                let answer = try cms.act("send", #"{"api":"app-version","signature":"\#(form)"}"#)
                #expect(try answer.json(Delivery.self).status == 403, "\(form)")
            }
            try scene.gate.logLine("the refusal") {
                $0.message == "webhook rejected" && $0.metadata["feed"] == "forced-update"
                    && $0.metadata["client"] == "127.0.0.1"
            }
            #expect(try Self.questions(to: cms) == 1)
            #expect(try !scene.isDenied("1.9.0"))

            // The content of a webhook is ignored, even with a valid signature.
            let lie = #"{"contents":{"new":{"publishValue":{"maxAppVersion":"9.9.9"}}}}"#
            let body = lie.replacing("\"", with: "\\\"")
            let answer = try cms.act("send", #"{"body":"\#(body)"}"#)
            #expect(try answer.json(Delivery.self).status == 202)
            try scene.wait(untilVersion: "1.9.0", isDenied: true)
            #expect(try !scene.isDenied("2.0.1"))
        }
    }

    @Test func `a hundred webhooks at once cause only a few polls`() async throws {
        try await self.play { scene, cms in
            try Self.publish(floor: "2.0.0", in: cms)
            let start = ContinuousClock.now
            for _ in 0..<100 { try cms.act("send", #"{"api":"app-version"}"#) }
            let seconds = start.duration(to: .now).components.seconds
            try scene.wait(untilVersion: "1.9.0", isDenied: true)
            // While a webhook is pending, the next poll is due within a second.
            try await scene.waitForFeed("a long pause") { feed in
                guard let askedAt = feed.askedAt, let nextAt = feed.nextAt else { return false }
                return askedAt.prefix(13) != nextAt.prefix(13)
            }
            let questions = try Self.questions(to: cms)
            #expect(questions >= 2)
            #expect(questions <= 4 + Int(seconds))
        }
    }

    @Test func `webhooks do not override the Retry-After of the source`() async throws {
        try await self.play { scene, cms in
            try cms.setFaults(FeedFault("429", times: 1, retryAfter: "3"))
            try cms.act("send", #"{"api":"app-version"}"#)
            let failed = try await scene.waitForFeed("the failure") {
                $0.state == "failing" && $0.nextAt != nil
            }
            #expect(failed.error?.contains("429") == true)
            let start = ContinuousClock.now
            for _ in 0..<10 {
                let answer = try cms.act("send", #"{"api":"app-version"}"#)
                #expect(try answer.json(Delivery.self).status == 202)
            }
            try await scene.waitForFeed("the recovery") { $0.state == "fresh" }
            #expect(start.duration(to: .now) > .seconds(2))
            #expect(try Self.questions(to: cms) <= 4)
        }
    }

    @Test func `a new secret applies from the next webhook on, and without one all are rejected`()
        async throws
    {
        try await self.play { scene, cms in
            func send() throws -> Int? {
                let answer = try cms.act("send", #"{"api":"app-version"}"#)
                return try answer.json(Delivery.self).status
            }
            #expect(try send() == 202)
            try scene.folder.writeInPlace("another", to: "webhook-secret")
            #expect(try send() == 403)
            try scene.folder.writeInPlace("", to: "webhook-secret")
            #expect(try send() == 503)
            try scene.gate.logLine("the reason") { $0.message == "webhooks cannot be verified" }
            try scene.folder.writeInPlace(Self.secret, to: "webhook-secret")
            #expect(try send() == 202)
            try scene.folder.replace("rules.yaml", with: "rules: []\n")
            try await scene.waitForPage("no feeds") { $0.feeds.isEmpty }
            #expect(try send() == 404)
        }
    }

    @Test func `a webhook secret without an admin listener causes a warning`() async throws {
        let rules = """
            feeds:
            - { id: a, source: microcms, url: "http://127.0.0.1:9/x", key: { env: KEY },
                webhookSecret: { env: SECRET } }
            """
        try await Scene.play(rules: rules) { scene in
            try scene.gate.logLine("the warning") {
                $0.level == "warning"
                    && $0.message == "webhooks cannot be received without --admin-listen"
            }
        }
    }
}
