import GatePolicy
import Testing

@testable import GateProxy

struct RequestTallyTests {
    private static func terms(_ rule: String) -> RequestTerms {
        RequestTerms(app: "shop", platform: "ios", kind: .require, rule: rule)
    }

    @Test func `requests with the same terms are counted together`() {
        let tally = RequestTally()
        let floor = tally.place(of: Self.terms("floor"))
        let other = tally.place(of: Self.terms("other"))
        #expect(tally.place(of: Self.terms("floor")) == floor)
        for _ in 0..<3 { tally.count(floor) }
        #expect(tally.requests == [Self.terms("floor"): 3])
        tally.count(other)
        tally.count(tally.place(of: .preflight))
        #expect(
            tally.requests == [Self.terms("floor"): 3, Self.terms("other"): 1, .preflight: 1]
        )
    }

    @Test func `beyond the limit, requests are counted without names, and none is lost`() {
        let tally = RequestTally(capacity: 3)
        for number in 0..<1000 {
            let terms = RequestTerms(
                app: "app\(number)",
                platform: "ios",
                kind: number < 500 ? .require : .allow,
                rule: "rule\(number)",
                observed: ["rule\(number + 1)"]
            )
            tally.count(tally.place(of: terms))
        }
        #expect(tally.requests.count == 4)
        #expect(tally.requests.values.reduce(0, +) == 1000)
        #expect(tally.requests[RequestTerms(kind: .require, rule: "other")] == 498)
        #expect(tally.requests[RequestTerms(kind: .allow, rule: "other")] == 500)
    }
}
