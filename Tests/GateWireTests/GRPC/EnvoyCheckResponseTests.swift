import GateWire
import Testing

struct EnvoyCheckResponseTests {
    private static func denial(_ body: [UInt8]) -> [UInt8] {
        EnvoyCheckResponse(deniedWith: 426, lines: [], body: body, metadata: []).bytes
    }

    @Test(arguments: [
        (Array("{}".utf8), true), (Array("é".utf8), true), ([0x80, 0, 0, 0, 1, 0x61], false),
        ([2, 0, 0, 1, 0xFF, 0x7B], false),
    ])
    func `content is in the response only if it is text`(body: [UInt8], isPresent: Bool) {
        #expect((Self.denial(body) != Self.denial([])) == isPresent)
    }
}
