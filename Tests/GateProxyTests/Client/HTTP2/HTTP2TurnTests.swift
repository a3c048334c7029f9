import Testing

@testable import GateProxy

struct HTTP2TurnTests {
    private func turn(sections: Int) -> HTTP2Turn {
        var turn = HTTP2Turn()
        for _ in 0..<sections { turn.readSection() }
        return turn
    }

    @Test func `a turn is over after sixteen header sections, and the next one is scheduled once`()
    {
        var turn = self.turn(sections: 16)
        #expect(turn.isOver)
        #expect(!turn.isWaiting)
        #expect(turn.end(isClosing: false) == true)
        #expect(turn.isWaiting)
        #expect(turn.isOver)
        // More bytes arrive.
        #expect(turn.end(isClosing: false) == false)
        turn.begin()
        #expect(!turn.isOver)
        #expect(!turn.isWaiting)
    }

    @Test func `a turn that does not reach the limit is followed by a new one`() {
        var turn = self.turn(sections: 15)
        #expect(turn.end(isClosing: false) == false)
        for _ in 0..<15 { turn.readSection() }
        #expect(!turn.isOver)
    }

    @Test func `a connection that closes has no other turn`() {
        var turn = self.turn(sections: 16)
        #expect(turn.end(isClosing: true) == false)
        #expect(!turn.isWaiting)
    }
}
