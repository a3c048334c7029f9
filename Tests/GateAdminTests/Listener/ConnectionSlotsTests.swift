import GateProxy
import Testing

@testable import GateAdmin

struct ConnectionSlotsTests {
    private static func network(_ address: String) -> ClientNetwork? { ClientNetwork(address) }

    @Test func `the oldest connection is displaced by a new one`() {
        var slots = ConnectionSlots<Int>(limit: 2)
        #expect(slots.take(1, from: nil) == nil)
        #expect(slots.take(2, from: nil) == nil)
        #expect(slots.take(3, from: nil) == 1)
        slots.free(2)
        #expect(slots.take(4, from: nil) == nil)
        #expect(slots.take(5, from: nil) == 3)
        // A connection that has lost its slot does not free another connection's slot.
        slots.free(1)
        #expect(slots.take(6, from: nil) == 4)
    }

    @Test(arguments: [
        // The network with the most connections displaces its own oldest connection.
        (["10.0.0.1", "10.0.0.2", "10.0.0.2"], "10.0.0.2", 1),
        (["10.0.0.1", "10.0.0.2", "10.0.0.2"], "10.0.0.3", 1),
        // A network with as many connections as others displaces the oldest of all.
        (["10.0.0.1", "10.0.0.2", "10.0.0.3"], "10.0.0.4", 0),
        (["10.0.0.1", "10.0.0.2", "10.0.0.3"], "10.0.0.3", 2),
        // All addresses in a /64 are one client.
        (["2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:1::2"], "2001:db8:0:1::3", 1),
    ])
    func `the network with the most connections loses one`(
        taken: [String],
        next: String,
        loser: Int
    ) {
        var slots = ConnectionSlots<Int>(limit: taken.count)
        for (number, address) in taken.enumerated() {
            #expect(slots.take(number, from: Self.network(address)) == nil)
        }
        #expect(slots.take(taken.count, from: Self.network(next)) == loser)
    }

    @Test func `slots are freed in order of age`() {
        var slots = ConnectionSlots<Int>(limit: 3)
        for number in 0..<3 { _ = slots.take(number, from: Self.network("10.0.0.\(number)")) }
        for number in 0..<3 { #expect(slots.freeOldest() == number) }
        #expect(slots.freeOldest() == nil)
        #expect(slots.take(3, from: nil) == nil)
    }
}
