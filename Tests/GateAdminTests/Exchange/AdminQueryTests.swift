import GatePolicy
import Testing

@testable import GateAdmin

struct AdminQueryTests {
    @Test(arguments: [
        ("/a?b=c", ["b=c"]), ("/a", []), ("/a?", []), ("/a?b", ["b="]),
        ("/a?b=c&b=d&&e=%2Ff+g%zz", ["b=c", "b=d", "e=/f g%zz"]), ("/a?b==&?=1", ["b==", "?=1"]),
        ("/a?%62=%E3%81%82%FF", ["b=あ\u{FFFD}"]),
    ])
    func `a query is parsed like a form`(target: String, items: [String]) {
        #expect(AdminQuery(target).items.map { "\($0.name)=\($0.value)" } == items)
    }

    @Test func `an invalid parameter is rejected by name`() throws {
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        let query = AdminQuery("/a?since=2h&limit=7&at=2027-01-10T00%3A00%3A00Z&x=&y=-1&z=8")
        #expect(try query.since(before: now, usually: "24h") == now.advanced(by: -7_200))
        #expect(try AdminQuery("").since(before: now, usually: "1d") == now.advanced(by: -86_400))
        #expect(try query.number("limit", in: 1...7) == 7)
        #expect(try query.number("none", in: 1...7) == nil)
        #expect(try query.time("at") == Timestamp(parsing: "2027-01-10T00:00:00Z"))
        for name in ["x", "y", "z", "at"] {
            #expect(throws: AdminAnswer.invalid(name, "expected a whole number from 1 to 7")) {
                try query.number(name, in: 1...7)
            }
        }
        #expect(throws: AdminAnswer.self) { try query.time("x") }
    }
}
