import GatePolicy
import Testing

@testable import GateProxy

struct GateCountersTests {
    /// What this rule set decides on a client that says this.
    private static func decision(
        _ headers: [(String, String)],
        mode: RuleMode = .enforce,
        unidentified: UnidentifiedPolicy = .defaults
    ) throws -> Decision {
        let ruleSet = RuleSet(
            RuleSetDefinition(
                revision: "1",
                unidentified: unidentified,
                rules: [
                    RuleDefinition(
                        id: "floor",
                        minimum: try AppVersion(parsing: "2"),
                        recommended: try AppVersion(parsing: "3"),
                        mode: mode
                    )
                ]
            )
        )
        var claims = ruleSet.noClaims
        for (name, value) in headers { claims.addHeader(name, value) }
        return ruleSet.decide(
            ruleSet.identify(claims),
            in: .unrestricted,
            at: Timestamp(secondsSinceEpoch: 0),
            address: nil
        )
    }

    @Test func `each decision is counted as what it is`() throws {
        var counters = GateCounters()
        for version in ["1", "2", "2.5", "3", "4"] {
            counters.count(try Self.decision([("x-app-version", version)]))
        }
        var expected = GateCounters()
        expected.requests = 5
        expected.required = 1
        expected.recommended = 2
        expected.allowed = 2
        #expect(counters == expected)
    }

    @Test func `what is missing and what is unreadable are told apart`() throws {
        var counters = GateCounters()
        counters.count(try Self.decision([]))
        counters.count(try Self.decision([("x-app-version", "?")]))
        counters.count(try Self.decision([("x-app-version", "??")]))
        var expected = GateCounters()
        expected.requests = 3
        expected.allowed = 3
        expected.identityMissing = 1
        expected.identityUnreadable = 2
        #expect(counters == expected)
    }

    @Test func `what would have been denied is counted as observed`() throws {
        var counters = GateCounters()
        counters.count(try Self.decision([("x-app-version", "1")], mode: .observe))
        var expected = GateCounters()
        expected.requests = 1
        expected.allowed = 1
        expected.observed = 1
        #expect(counters == expected)
    }

    private static var fields: [WritableKeyPath<GateCounters, UInt64>] {
        [
            \.requests, \.allowed, \.recommended, \.required, \.maintenance, \.observed,
            \.identityMissing, \.identityUnreadable, \.malformed, \.upstreamFailures,
            \.launchChecks, \.eventStreams, \.eventsSent, \.revoked,
            \.connectionsRefused, \.connectionsPerAddressRefused, \.proxyHeadersRefused,
            \.requestsShed, \.requestsLate, \.descriptorsExhausted, \.acceptFailures,
        ]
    }

    @Test func `a sum adds every counter to itself and to no other`() {
        var left = GateCounters()
        var right = GateCounters()
        for (index, field) in Self.fields.enumerated() {
            left[keyPath: field] = UInt64(index + 1)
            right[keyPath: field] = UInt64(100 * (index + 1))
        }
        let sum = left + right
        for (index, field) in Self.fields.enumerated() {
            #expect(sum[keyPath: field] == UInt64(101 * (index + 1)))
        }
    }

    @Test func `every counter is in the sum`() {
        #expect(Mirror(reflecting: GateCounters()).children.count == Self.fields.count)
    }
}
