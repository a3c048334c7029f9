import Testing

@testable import GateProxy

struct HTTP2SendWindowTests {
    @Test(arguments: [
        (1, true), (0x7FFF_FFFF - 65_535, true), (0x7FFF_FFFF - 65_534, false),
        (0x7FFF_FFFF, false),
    ])
    func `a peer makes room, and no more than there can be`(_ increment: Int, _ isFine: Bool) {
        var window = HTTP2SendWindow()
        #expect(window.widen(by: increment) == isFine)
    }

    @Test func `a peer may want back what it has given`() {
        var window = HTTP2SendWindow(10)
        window.use(8)
        #expect(window.widen(by: -10) == true)
        #expect(window.left == -8)
        #expect(window.widen(by: 9) == true)
        #expect(window.left == 1)
    }
}
