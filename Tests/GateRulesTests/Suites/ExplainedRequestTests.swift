import GatePolicy
import Testing

@testable import GateRules

struct ExplainedRequestTests {
    private static let identity = IdentitySources.defaults

    @Test func `a JSON document and a query result in the same request`() throws {
        let json = """
            { "platform": "ios", "version": "3.4.9", "build": 17, "path": "/v2?x=1",
              "method": "post", "headers": { "X-More": "a b" }, "at": "2027-01-10T00:00:00Z",
              "address": "192.0.2.7" }
            """
        let document = try ExplainedRequest(json: Array(json.utf8), identity: Self.identity)
        let query = try ExplainedRequest(
            parameters: [
                ("platform", "ios"), ("version", "3.4.9"), ("build", "17"), ("path", "/v2?x=1"),
                ("method", "post"), ("header", "X-More: a b"), ("at", "2027-01-10T00:00:00Z"),
                ("address", "192.0.2.7"),
            ],
            identity: Self.identity
        )
        let day = try Timestamp(parsing: "2027-01-10T00:00:00Z")
        for asked in [document, query] {
            let fields = Set(asked.headers.map { "\($0.name): \($0.value)" })
            #expect(
                fields == [
                    "x-app-platform: ios", "x-app-version: 3.4.9", "x-app-build: 17",
                    "x-more: a b",
                ]
            )
            #expect(asked.method == "POST")
            #expect(asked.path == "/v2?x=1")
            #expect(asked.address == "192.0.2.7")
            #expect(asked.time == day)
        }
        let nobody = try ExplainedRequest(parameters: [], identity: Self.identity)
        #expect(nobody.headers.isEmpty)
        #expect(nobody.path == "/")
        #expect(nobody.time == nil)
    }

    @Test(arguments: ["17", "17.0", "1.7e1", "170E-1"])
    func `an integer is accepted in every JSON notation`(number: String) throws {
        let json = Array("{\"build\":\(number)}".utf8)
        let asked = try ExplainedRequest(json: json, identity: Self.identity)
        #expect(asked.headers.map(\.value) == ["17"])
    }

    @Test func `a surrogate pair is one character`() throws {
        let json = #"{"device":"\ud83d\ude0d"}"#
        let asked = try ExplainedRequest(json: Array(json.utf8), identity: Self.identity)
        #expect(asked.headers.map(\.value) == ["😍"])
    }

    @Test(arguments: [
        "", "[]", "{", "{\"verison\":\"1\"}", "{\"version\":1.5}", "{\"path\":\"v2\"}",
        "{\"at\":\"tomorrow\"}", "{\"version\":\"1\\r\\nX: y\"}", "{\"build\":\"x\"}",
        "{\"build\":1.5}", "{\"build\":-1.0}",
        "{\"address\":\"nowhere\"}", "{\"country\":\"jp\"}", "{\"headers\":{\"a b\":\"c\"}}",
    ])
    func `an invalid request is rejected`(json: String) {
        #expect(throws: RulesFileErrors.self) {
            try ExplainedRequest(json: Array(json.utf8), identity: Self.identity)
        }
    }

    @Test(arguments: [
        ("path", "v2"), ("header", "no colon"), ("header", ": x"), ("build", "-1"),
        ("build", ""), ("method", "a b"), ("at", "now"), ("since", "7d"), ("version", ""),
    ])
    func `an invalid query is rejected`(name: String, value: String) {
        #expect(throws: RulesFileErrors.self) {
            try ExplainedRequest(parameters: [(name, value)], identity: Self.identity)
        }
    }
}
