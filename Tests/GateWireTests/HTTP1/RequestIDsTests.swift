import Testing

@testable import GateWire

struct RequestIDsTests {
    @Test func `an ID has 32 lower-case hexadecimal digits`() {
        var ids = RequestIDs()
        for _ in 0..<1000 {
            let id = ids.next().description
            #expect(id.utf8.count == 32)
            #expect(id.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
        }
    }

    @Test(
        arguments: [
            (0, 0, "00000000000000000000000000000000"),
            (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, "0123456789abcdeffedcba9876543210"),
            (.max, 1, "ffffffffffffffff0000000000000001"),
        ] as [(UInt64, UInt64, String)]
    )
    func `an ID is formatted in hexadecimal`(_ high: UInt64, _ low: UInt64, _ text: String) {
        #expect(RequestID(high: high, low: low).description == text)
    }

    @Test func `IDs from one or two generators are unique`() {
        var first = RequestIDs()
        var second = RequestIDs()
        let ids = (0..<1000).flatMap { _ in [first.next().description, second.next().description] }
        #expect(Set(ids).count == 2000)
    }
}
