import GatePolicy
import Testing

@testable import GateSystem

struct RetryAfterTests {
    @Test(
        arguments: [
            ("120", 120), ("0", 0), ("999999999", RetryAfter.longest),
            ("Sat, 21 Nov 2026 08:00:30 GMT", 30), ("Saturday, 21-Nov-26 08:01:00 GMT", 60),
            ("Sat, 21 Nov 2026 07:59:59 GMT", nil), ("-1", nil), ("soon", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func `Retry-After is parsed as seconds or as a date`(text: String, seconds: Int64?) {
        let head = ResponseHead(
            status: 503,
            fields: [HeaderField(name: "Retry-After", value: text)]
        )
        // 2026-11-21T08:00:00Z
        let now = Timestamp(secondsSinceEpoch: 1_795_248_000)
        #expect(RetryAfter(head, now: now)?.seconds == seconds)
    }

    @Test func `Retry-After is optional`() {
        #expect(RetryAfter(ResponseHead(status: 503, fields: [])) == nil)
    }
}
