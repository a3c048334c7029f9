import GatePolicy
import Testing

@testable import GateProxy

struct GateCountersTests {
    @Test func `each decision is counted by kind and number`() {
        var counters = GateCounters()
        counters.add(RequestTerms(kind: .allow), times: 2)
        counters.add(RequestTerms(kind: .recommend, observed: ["a", "b"]), times: 3)
        counters.add(RequestTerms(kind: .require, gap: .missing(.version)), times: 5)
        counters.add(RequestTerms(kind: .maintenance, gap: .unreadable(.build)), times: 7)
        counters.add(RequestTerms(kind: .allow, rule: "a", isPassed: true), times: 11)
        // A pass that lifted a route, but no denial.
        counters.add(RequestTerms(kind: .recommend, rule: "a", isPassed: true), times: 13)
        var expected = GateCounters()
        expected.requests = 41
        expected.allowed = 2
        expected.passed = 24
        expected.recommended = 3
        expected.observed = 3
        expected.required = 5
        expected.identityMissing = 5
        expected.maintenance = 7
        expected.identityUnreadable = 7
        #expect(counters == expected)
    }

    private static var fields: [WritableKeyPath<GateCounters, UInt64>] {
        [
            \.requests, \.allowed, \.recommended, \.required, \.maintenance, \.passed,
            \.observed,
            \.identityMissing, \.identityUnreadable, \.malformed, \.upstreamFailures,
            \.launchChecks, \.eventStreams, \.eventsSent, \.revoked,
            \.connectionsAccepted, \.connectionsRefused, \.connectionsPerAddressRefused,
            \.proxyHeadersRefused,
            \.requestsShed, \.requestsLate, \.descriptorsExhausted, \.acceptFailures,
            \.previewsShown, \.previewsExpired, \.previewsForged,
            \.routeFallbacks, \.discardedBytes, \.discardsOverSize, \.discardsOverTime,
            \.discardsOverBudget,
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
        // Decisions are counted by gateway, and refused passes by the reason.
        #expect(Mirror(reflecting: GateCounters()).children.count == Self.fields.count + 2)
        var (left, right) = (GateCounters(), GateCounters())
        left.decisions.count(.nginx)
        right.decisions.count(.nginx)
        right.decisions.count(.envoyGRPC)
        let sum = (left + right).decisions
        #expect((sum[.nginx], sum[.envoyGRPC], sum[.traefik]) == (2, 1, 0))
        left.passes = [.used: 1]
        right.passes = [.used: 1, .invalid: 1]
        let passes = (left + right).passes
        #expect(passes == [.used: 2, .invalid: 1])
    }
}
