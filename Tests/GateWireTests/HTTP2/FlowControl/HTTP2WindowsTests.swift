import Testing

@testable import GateWire

struct HTTP2ReceiveWindowTests {
    @Test func `a peer may send the size of the window, but not a byte more`() {
        var window = HTTP2ReceiveWindow(size: 100)
        #expect(window.receive(60) == true)
        #expect(window.receive(40) == true)
        #expect(window.receive(1) == false)
    }

    @Test func `the window is updated when half of it is consumed`() {
        var window = HTTP2ReceiveWindow(size: 100)
        #expect(window.receive(49) == true)
        #expect(window.take() == nil)
        #expect(window.receive(1) == true)
        #expect(window.take() == 50)
        #expect(window.take() == nil)
        #expect(window.receive(100) == true)
        #expect(window.receive(1) == false)
    }

    @Test func `unconsumed data does not increase the window`() {
        var window = HTTP2ReceiveWindow(size: 100)
        #expect(window.receive(100) == true)
        #expect(window.receive(1) == false)
    }

    @Test func `a small initial window grows to the full size once data is consumed`() {
        var window = HTTP2ReceiveWindow(size: 100, first: 20)
        #expect(window.receive(20) == true)
        #expect(window.take() == 100)
        #expect(window.receive(100) == true)
        #expect(window.receive(1) == false)
    }

    @Test func `data consumed in parts increases the window by its total`() {
        var window = HTTP2ReceiveWindow(size: 100)
        #expect(window.receive(80) == true)
        #expect(window.take(30) == nil)
        #expect(window.untaken == 50)
        #expect(window.take(20) == 50)
        #expect(window.take(30) == nil)
        #expect(window.take(0) == nil)
    }
}
struct HTTP2SendWindowTests {
    @Test(arguments: [
        (1, true), (0x7FFF_FFFF - 65_535, true), (0x7FFF_FFFF - 65_534, false),
        (0x7FFF_FFFF, false),
    ])
    func `a window update beyond the maximum is rejected`(_ increment: Int, _ isFine: Bool) {
        var window = HTTP2SendWindow()
        #expect(window.widen(by: increment) == isFine)
    }

    @Test func `a peer may reduce the window below zero`() {
        var window = HTTP2SendWindow(10)
        window.use(8)
        #expect(window.widen(by: -10) == true)
        #expect(window.left == -8)
        #expect(window.widen(by: 9) == true)
        #expect(window.left == 1)
    }
}
