import Testing

@testable import GateProxy

struct HTTP2ReceiveWindowTests {
    @Test func `a peer may send what it was told, and not a byte more`() {
        var window = HTTP2ReceiveWindow(size: 100)
        #expect(window.receive(60) == true)
        #expect(window.receive(40) == true)
        #expect(window.receive(1) == false)
    }

    @Test func `room is made when half of it was taken, and never before`() {
        var window = HTTP2ReceiveWindow(size: 100)
        #expect(window.receive(49) == true)
        #expect(window.take() == nil)
        #expect(window.receive(1) == true)
        #expect(window.take() == 50)
        #expect(window.take() == nil)
        #expect(window.receive(100) == true)
        #expect(window.receive(1) == false)
    }

    @Test func `what nobody takes makes no room`() {
        var window = HTTP2ReceiveWindow(size: 100)
        #expect(window.receive(100) == true)
        #expect(window.receive(1) == false)
    }
}
