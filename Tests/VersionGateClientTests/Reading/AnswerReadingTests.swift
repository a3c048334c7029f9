import Foundation
import Testing

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How a client interprets responses.
struct AnswerReadingTests {
    private static let now = Date(timeIntervalSince1970: 1_797_730_000)
    private static let problem = "application/problem+json"

    private static func response(
        _ status: Int,
        _ fields: [String: String] = [:],
        path: String = "/orders"
    ) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "https://gate.example\(path)"))
        let response = HTTPURLResponse(
            url: url,
            statusCode: status,
            httpVersion: "HTTP/1.1",
            headerFields: fields
        )
        return try #require(response)
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        var about: String
        var status = 426
        var fields: [String: String] = [:]
        var path = "/orders"
        var body = ""

        var testDescription: String { self.about }
    }

    @Test(arguments: [
        Answer(about: "a bare 426"),
        Answer(about: "a 426 of another protocol", fields: ["Upgrade": "HTTP/2.0"]),
        Answer(
            about: "a problem from the backend",
            fields: ["Content-Type": Self.problem],
            body: #"{"type":"about:blank","title":"Upgrade"}"#
        ),
        Answer(
            about: "the problem type in an ordinary response",
            status: 200,
            fields: ["Content-Type": "application/json"],
            body: #"{"type":"urn:versiongate:upgrade-required"}"#
        ),
        Answer(about: "a recommendation", status: 200, fields: ["X-VersionGate": "recommend"]),
        Answer(about: "an invalid marker", fields: ["X-VersionGate": #"require; a=""#]),
        Answer(about: "an unknown decision", fields: ["X-VersionGate": "perhaps"]),
        Answer(
            about: "the gate's own status",
            status: 200,
            fields: ["X-VersionGate": "require", "Content-Type": "application/json"],
            path: "/.versiongate/status",
            body: #"{"decision":"require"}"#
        ),
    ])
    func `a response from another server is not a denial`(_ answer: Answer) throws {
        let response = try Self.response(answer.status, answer.fields, path: answer.path)
        #expect(Denial(response, Data(answer.body.utf8), at: Self.now) == nil)
    }

    @Test
    func `a denial has all members of the body`() throws {
        let body = """
            {"type":"urn:versiongate:upgrade-required","title":"T","status":426,"message":"M",
             "button":"B","storeUrl":"https://store.example/app","minimumVersion":"3.5.0",
             "minimumBuild":41200,"latestVersion":"4.2.0","currentVersion":"3.4.9",
             "cannotUpdate":true,"enforceFrom":"2027-01-10T00:00:00Z","rule":"ios",
             "revision":"9f2c","snoozeSeconds":60,"later":[{}]}
            """
        let response = try Self.response(
            426,
            ["x-versiongate": "require", "content-type": Self.problem]
        )
        let denial = try #require(Denial(response, Data(body.utf8), at: Self.now))
        var update = Update()
        update.title = "T"
        update.message = "M"
        update.button = "B"
        update.storeURL = URL(string: "https://store.example/app")
        update.minimumVersion = "3.5.0"
        update.minimumBuild = 41200
        update.latestVersion = "4.2.0"
        update.currentVersion = "3.4.9"
        update.cannotUpdate = true
        update.enforceFrom = Date(timeIntervalSince1970: 1_799_539_200)
        update.rule = "ios"
        update.revision = "9f2c"
        #expect(denial.reason == .updateRequired(update))
        #expect(denial.status == 426)
        #expect(denial.retryAfter == nil)
        #expect(!denial.isBrownout)
        let error = GateDenied(denial: denial)
        #expect(error.localizedDescription == "T")
        #expect(error.failureReason == "M")
    }

    @Test(arguments: [
        Answer(about: "another status", status: 403, fields: ["X-VersionGate": "require"]),
        Answer(about: "a success status", status: 200, fields: ["X-VersionGate": "require"]),
        Answer(
            about: "a custom body",
            fields: ["X-VersionGate": "require", "Content-Type": "application/json"],
            body: #"{"error":{"code":1001},"message":"E-1001"}"#
        ),
        Answer(
            about: "a page",
            fields: ["X-VersionGate": "require", "Content-Type": "text/html"],
            body: "<!doctype html>"
        ),
        Answer(about: "two gates", fields: ["X-VersionGate": "recommend, require"]),
    ])
    func `a denial without a valid body has no texts`(_ answer: Answer) throws {
        let response = try Self.response(answer.status, answer.fields)
        let denial = try #require(Denial(response, Data(answer.body.utf8), at: Self.now))
        #expect(denial.reason == .updateRequired(Update()))
        #expect(denial.status == answer.status)
    }

    @Test
    func `the problem type suffices if a proxy has removed the header field`() throws {
        let response = try Self.response(426, ["Content-Type": "application/Problem+JSON; a=b"])
        let body = #"{"type":"urn:versiongate:upgrade-required","title":"T"}"#
        let denial = try #require(Denial(response, Data(body.utf8), at: Self.now))
        var update = Update()
        update.title = "T"
        #expect(denial.reason == .updateRequired(update))
    }

    @Test(arguments: [
        Answer(
            about: "a Connect error",
            fields: ["X-VersionGate": "require", "Content-Type": "application/json"],
            body: #"{"code":"failed_precondition","type":"urn:versiongate:upgrade-required","#
                + #""title":"T","details":[{"type":"google.rpc.ErrorInfo","value":"AA"}]}"#
        ),
        Answer(
            about: "a Connect end-of-stream message",
            status: 200,
            fields: ["X-VersionGate": "require", "Content-Type": "application/connect+proto"],
            body: "\u{2}\u{0}\u{0}\u{0}\u{3C}"
                + #"{"error":{},"type":"urn:versiongate:upgrade-required","title":"T"}"#
        ),
        Answer(
            about: "a GraphQL response",
            fields: [
                "X-VersionGate": "require", "Content-Type": "application/graphql-response+json",
            ],
            body: #"{"errors":[{"message":"M","extensions":{"title":"X"}}],"#
                + #""type":"urn:versiongate:upgrade-required","title":"T"}"#
        ),
    ])
    func `a denial in another format has the same members`(_ answer: Answer) throws {
        let response = try Self.response(answer.status, answer.fields)
        let denial = try #require(Denial(response, Data(answer.body.utf8), at: Self.now))
        var update = Update()
        update.title = "T"
        #expect(denial.reason == .updateRequired(update))
    }

    @Test(arguments: [
        "", "\u{2}", "\u{2}\u{0}\u{0}\u{0}", "\u{0}\u{0}\u{0}\u{0}\u{2}{}", "{}", "\u{2}null!{}",
    ])
    func `an invalid end-of-stream message has no members`(_ body: String) throws {
        let fields = ["X-VersionGate": "require", "Content-Type": "application/connect+json"]
        let denial = try Denial(Self.response(200, fields), Data(body.utf8), at: Self.now)
        #expect(denial?.reason == .updateRequired(Update()))
    }

    @Test
    func `a brownout has its end from either the header field or the body`() throws {
        let fields = ["X-VersionGate": "require", "Retry-After": "1800"]
        let short = try #require(Denial(try Self.response(426, fields), Data(), at: Self.now))
        #expect(short.isBrownout)
        #expect(short.retryAfter == 1800)
        var update = Update()
        update.brownoutUntil = Self.now + 1800
        #expect(short.reason == .updateRequired(update))
        // A proxy has removed the header field, but the member is present.
        let body =
            #"{"type":"urn:versiongate:upgrade-required","brownoutUntil":"2026-12-20T03:00:00Z"}"#
        let response = try Self.response(426, ["X-VersionGate": "require"])
        let long = try #require(Denial(response, Data(body.utf8), at: Self.now))
        #expect(
            long.retryAfter
                == Date(timeIntervalSince1970: 1_797_735_600)
                .timeIntervalSince(Self.now)
        )
    }

    @Test
    func `the end of maintenance is calculated from Retry-After`() throws {
        let fields = ["X-VersionGate": "maintenance", "Retry-After": "600"]
        let body = #"{"type":"urn:versiongate:maintenance","title":"T","message":"M"}"#
        let response = try Self.response(503, fields)
        let denial = try #require(Denial(response, Data(body.utf8), at: Self.now))
        var window = MaintenanceWindow()
        window.title = "T"
        window.message = "M"
        window.until = Self.now + 600
        #expect(denial.reason == .maintenance(window))
        #expect(denial.retryAfter == 600)
        #expect(!denial.isBrownout)
    }

    @Test(arguments: ["Sun, 20 Dec 2026 03:00:00 GMT", "-1", "1.5", "soon", ""])
    func `an invalid Retry-After is ignored`(_ value: String) throws {
        let response = try Self.response(426, ["X-VersionGate": "require", "Retry-After": value])
        #expect(try #require(Denial(response, Data(), at: Self.now)).retryAfter == nil)
    }

    @Test
    func `a body that is too large is ignored, but the response is a denial`() throws {
        let response = try Self.response(426, ["X-VersionGate": "require"])
        let body = Data(#"{"title":"T"}"#.utf8) + Data(repeating: 0x20, count: 1 << 20)
        let denial = try #require(Denial(response, body, at: Self.now))
        #expect(denial.reason == .updateRequired(Update()))
    }

    @Test
    func `a hint has the update and the maintenance`() throws {
        let value =
            #"recommend; latest="4.2.0"; url="https://store.example/app"; enforce-from=@1799539200"#
            + "; next-brownout=@1797732000; snooze-seconds=3600; mood=?1"
            + ", maintenance-announced; from=@1797800000; until=@1797803600, later; x"
        let hint = try #require(GateHint(try Self.response(200, ["X-VersionGate": value])))
        var update = Update()
        update.latestVersion = "4.2.0"
        update.storeURL = URL(string: "https://store.example/app")
        update.enforceFrom = Date(timeIntervalSince1970: 1_799_539_200)
        update.brownoutFrom = Date(timeIntervalSince1970: 1_797_732_000)
        update.snoozeSeconds = 3600
        #expect(hint.update == update)
        #expect(hint.maintenance?.from == Date(timeIntervalSince1970: 1_797_800_000))
        #expect(hint.maintenance?.until == Date(timeIntervalSince1970: 1_797_803_600))
    }

    @Test(arguments: [nil, "", "require", "allow", #"recommend; latest="4"#])
    func `other values are not a hint`(_ value: String?) throws {
        let fields = value.map { ["X-VersionGate": $0] } ?? [:]
        #expect(GateHint(try Self.response(200, fields)) == nil)
    }

    struct Status: Sendable {
        var status = 200
        var type: String? = "application/json"
        var body: String
        var knownTag: String?
        var answer: StatusResult
    }

    private static func update(_ change: (inout Update) -> Void) -> Update {
        var update = Update()
        change(&update)
        return update
    }

    @Test(arguments: [
        Status(body: #"{"decision":"allow"}"#, answer: .state(.allowed, tag: "\"1\"")),
        Status(
            type: "application/json; charset=utf-8",
            body: #"{"decision":"recommend","title":"T","snoozeSeconds":60}"#,
            answer: .state(
                .recommended(
                    Self.update {
                        $0.title = "T"
                        $0.snoozeSeconds = 60
                    }
                ),
                tag: "\"1\""
            )
        ),
        Status(
            body: #"{"decision":"require","message":42,"minimumBuild":"x","snoozeSeconds":60}"#,
            answer: .state(.required(Update()), tag: "\"1\"")
        ),
        Status(
            body: #"{"decision":"maintenance"}"#,
            answer: .state(.maintenance(MaintenanceWindow()), tag: "\"1\"")
        ),
        Status(status: 304, body: "", knownTag: "\"1\"", answer: .unchanged),
        Status(status: 304, body: "", answer: .foreign),
        Status(body: #"{"decision":"perhaps"}"#, answer: .foreign),
        Status(body: #"{"decision":7}"#, answer: .foreign),
        Status(body: #"{"decision":"allow"#, answer: .foreign),
        Status(body: #"["allow"]"#, answer: .foreign),
        Status(body: "", answer: .foreign),
        Status(type: "text/html", body: "<html>Sign in</html>", answer: .foreign),
        Status(type: "text/html", body: #"{"decision":"require"}"#, answer: .foreign),
        Status(type: nil, body: #"{"decision":"require"}"#, answer: .foreign),
        Status(status: 404, body: #"{"decision":"require"}"#, answer: .foreign),
        Status(status: 426, body: #"{"decision":"require"}"#, answer: .foreign),
        Status(status: 302, body: "", answer: .foreign),
        Status(status: 511, type: "text/html", body: "", answer: .foreign),
    ])
    func `a status response is distinguished from other servers' responses`(_ test: Status) throws {
        var fields = ["ETag": "\"1\""]
        fields["Content-Type"] = test.type
        let response = try Self.response(test.status, fields, path: "/.versiongate/status")
        let answer = StatusResult(response, Data(test.body.utf8), knownTag: test.knownTag)
        #expect(answer == test.answer)
    }
}
