import GatePolicy
import Testing

@testable import GateWire

struct HTTPDateTests {
    @Test func `the line is a complete field line`() {
        let time = Timestamp(secondsSinceEpoch: 784_111_777)
        let line = String(decoding: HTTPDate.line(time), as: UTF8.self)
        #expect(line == "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n")
    }
}
