import GatePolicy
import GateTestSupport
import RulesTestSupport
import Testing

@testable import GateRules

/// The `tests` in a rules file: their requests, and when they run.
struct RuleTestsTests {
    private static let noon = Timestamp(secondsSinceEpoch: 1_798_113_600)

    private func load(_ texts: String...) throws(RulesFileErrors) -> RuleSetDefinition {
        let sources = texts.enumerated().map { (name: "\($0).yaml", text: $1) }
        return try RulesFileLoader.load(sources: sources, now: { Self.noon }).definition
    }

    private func errors(_ texts: String...) -> [String] {
        do {
            let sources = texts.enumerated().map { (name: "\($0).yaml", text: $1) }
            _ = try RulesFileLoader.load(sources: sources, now: { Self.noon })
            return []
        } catch {
            return error.errors.map(\.description)
        }
    }

    @Test func `a test with all settings is parsed`() throws {
        let definition = try self.load(
            """
            rules: []
            unidentified: { missing: observe }
            identity: { headers: { country: [CF-IPCountry, X-Country] } }
            tests:
            - name: everything
              at: 2027-01-10T00:00:00+09:00
              request:
                app: com.example.shop
                platform: iPhone
                version: "3.4.9"
                build: 412
                channel: beta
                osVersion: "16.2"
                device: 6F9619FF
                language: ko-KR, en;q=0.5
                country: KR
                storefront: KOR
                path: /v2/orders?page=2
                method: post
                headers: { User-Agent: Shop/3.4.9, X-Twice: [a, b] }
                address: 2001:DB8:0::1
              expect: { decision: allow, rule: none, observed: [] }
            - name: nothing
              expect: { observed: unidentified }
            """
        )
        let fields = [
            ("x-app-id", "com.example.shop"), ("x-app-platform", "iPhone"),
            ("x-app-version", "3.4.9"), ("x-app-build", "412"), ("x-app-channel", "beta"),
            ("x-os-version", "16.2"), ("x-device-id", "6F9619FF"),
            ("accept-language", "ko-KR, en;q=0.5"), ("cf-ipcountry", "KR"),
            ("x-app-storefront", "KOR"), ("user-agent", "Shop/3.4.9"),
            ("x-twice", "a"), ("x-twice", "b"),
        ]
        let everything = RuleTest(
            name: "everything",
            headers: fields.map { HeaderField(name: $0, value: $1) },
            method: "POST",
            path: "/v2/orders?page=2",
            at: try Timestamp(parsing: "2027-01-09T15:00:00Z"),
            address: "2001:db8::1",
            expectation: RuleExpectation(decisions: [.allow], rule: "none", observed: [])
        )
        let nothing = RuleTest(
            name: "nothing",
            expectation: RuleExpectation(observed: ["unidentified"])
        )
        #expect(definition.tests == [everything, nothing])
    }

    @Test func `the values of a request use the headers configured in another file`() throws {
        let definition = try self.load(
            "tests: [{ name: t, request: { version: '1' }, expect: { status: 426, rule: a } }]",
            "rules: [{ id: a, minimum: '2', storeUrl: https://a.example }]",
            "identity: { headers: { version: [X-V, X-Legacy-V] } }"
        )
        #expect(definition.tests.map(\.headers) == [[HeaderField(name: "x-v", value: "1")]])
    }

    @Test func `a test without a time runs at the current time`() throws {
        let folder = try TestFolder()
        try folder.write(
            """
            rules:
            - { id: a, minimum: '2', enforceFrom: 2026-12-24T12:00:00Z, storeUrl: https://a.example }
            tests: [{ name: t, request: { version: '1' }, expect: { decision: require } }]
            """,
            to: "rules.yaml"
        )
        let path = folder.path(of: "rules.yaml")
        #expect(throws: Never.self) {
            try RulesFileLoader(path: path, now: { Self.noon }).load()
        }
        let before = Timestamp(secondsSinceEpoch: Self.noon.secondsSinceEpoch - 1)
        let refusal = #expect(throws: RulesFileErrors.self) {
            try RulesFileLoader(path: path, now: { before }).load()
        }
        let start = "\(path):3:17: test 't': expected decision require, got allow ("
        #expect(refusal?.errors.count == 1)
        #expect(refusal?.description.hasPrefix(start) == true)
    }

    @Test func `tests run only if the rules are otherwise valid`() {
        let errors = self.errors(
            "rules: []\ntests: [{ name: t, expect: { decision: require } }]\n",
            "exempt: /healthz\n"
        )
        #expect(errors == ["1.yaml:1:9: expected a list, found the string '/healthz'"])
    }

    @Test func `rules that an invalid file may contain are not reported as missing`() {
        let errors = self.errors(
            "rules: []\ntests: [{ name: t, expect: { rule: ios } }]\n",
            "rules: ["
        )
        #expect(errors.count == 1)
        #expect(errors.first?.hasPrefix("1.yaml:") == true)
    }

    @Test func `a test name is unique across files`() {
        let test = "tests: [{ name: t, expect: { decision: allow } }]\n"
        let errors = self.errors("rules: []\n" + test, test)
        #expect(errors == ["1.yaml:1:17: there is already a test 't' at 0.yaml:2:17"])
    }

    @Test(
        arguments: [
            ("decision: require", "decision require, got allow (no rule applies)"),
            ("rule: a", "decision by rule a, got allow (no rule applies)"),
            ("status: 426", "status 426, got none (the request passes)"),
            ("observed: [a]", "observed a, got nothing"),
        ]
    )
    func `a failure contains the expected and the actual result`(
        _ expected: String,
        _ message: String
    ) {
        let errors = self.errors(
            """
            rules: [{ id: a, match: { path: /a }, recommended: '1' }]
            tests: [{ name: t, request: { version: '1' }, expect: { \(expected) } }]
            """
        )
        #expect(errors == ["0.yaml:2:17: test 't': expected \(message)"])
    }
}
