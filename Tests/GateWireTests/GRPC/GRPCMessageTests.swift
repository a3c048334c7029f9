import Testing

@testable import GateWire

struct GRPCMessageTests {
    @Test func `a message follows its prefix`() throws {
        let content: [UInt8] = [0, 0, 0, 0, 2, 8, 1]
        let range = try GRPCMessage.only(in: content.span)
        #expect(range == 5..<7)
        #expect(GRPCMessage.prefix(count: 2) == [0, 0, 0, 0, 2])
        #expect(GRPCMessage.prefix(count: 0x0102_0304) == [0, 1, 2, 3, 4])
    }

    @Test(
        arguments: [
            ([], .malformed), ([0, 0, 0, 0], .malformed), ([0, 0, 0, 0, 1], .malformed),
            ([0, 0, 0, 0, 0, 1], .malformed), ([0, 0xFF, 0xFF, 0xFF, 0xFF, 1], .malformed),
            ([1, 0, 0, 0, 1, 9], .compressed),
        ] as [([UInt8], GRPCMessage.Fault)]
    )
    func `anything but exactly one message is rejected`(content: [UInt8], fault: GRPCMessage.Fault)
    {
        #expect(throws: fault) { try GRPCMessage.only(in: content.span) }
    }
}
