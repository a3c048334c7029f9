import GatePolicy
import Testing

@testable import GateProxy

/// Tests in a rules file, which give the gate's decisions although no request is parsed for them.
struct RuleTestAgreementTests {
    private static let fields: [[HeaderField]] = [
        [HeaderField(name: "Origin", value: "https://shop.example")],
        [HeaderField(name: "Access-Control-Request-Method", value: "GET")],
        [HeaderField(name: "Upgrade", value: "websocket")],
        [HeaderField(name: "Connection", value: "keep-alive")],
        [HeaderField(name: "Connection", value: "x,  uPgrade")],
        [HeaderField(name: "Content-Length", value: "3")],
        [HeaderField(name: "X-App-Version", value: "5")],
    ]

    /// The requests with each subset of these fields.
    private static let requests: [(method: String, headers: [HeaderField])] =
        ["GET", "OPTIONS"].flatMap { method in
            (0..<(1 << fields.count)).map { choice in
                (method, fields.indices.filter { choice >> $0 & 1 == 1 }.flatMap { fields[$0] })
            }
        }

    @Test func `a test in a rules file decides like the gate`() throws {
        var rule = RuleDefinition(id: "r")
        rule.minimum = try AppVersion(parsing: "4")
        let identity = IdentitySources(
            headers: [.version: ["x-app-version"]],
            query: [.version: "v"]
        )
        let rules = RuleSet(
            RuleSetDefinition(revision: "r1", identity: identity, rules: [rule])
        )
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        var kinds: [Decision.Kind: Int] = [:]
        for request in Self.requests {
            let lines = request.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
            let head = "\(request.method) /chat?V=3.4 HTTP/1.1\r\nHost: a\r\n\(lines)\r\n"
            let decision: Decision
            switch DryRun(ruleSet: rules, at: now).judge(head) {
            case .refused(let answer):
                Issue.record("\(head) is refused: \(answer)")
                continue
            case .answered:
                Issue.record("\(head) is answered by an endpoint")
                continue
            case .denied(let denied, _, _): decision = denied
            case .passed(let passed, _, _, _): decision = passed
            }
            kinds[decision.kind, default: 0] += 1
            let test = RuleTest(
                name: "t",
                headers: request.headers,
                method: request.method,
                path: "/chat?V=3.4",
                at: now,
                expectation: RuleExpectation(decisions: [decision.kind])
            )
            #expect(rules.run(test, now: now) == nil, "\(head)")
        }
        #expect(kinds[.allow, default: 0] > 0)
        #expect(kinds[.require, default: 0] > 0)
    }
}
