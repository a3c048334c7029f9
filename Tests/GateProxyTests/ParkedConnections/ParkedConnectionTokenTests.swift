import Testing

@testable import GateProxy

struct ParkedConnectionTokenTests {
    @Test(arguments: [
        (0, 0, 0), (255, Int(UInt32.max) - 1, 0xFF_FFFF), (1, 7, 9), (200, 1_000_000, 0x80_0000),
    ])
    func `a token contains its worker, slot and generation`(
        _ worker: Int,
        _ slot: Int,
        _ generation: UInt32
    ) {
        let token = ParkedConnectionToken(worker: worker, slot: slot, generation: generation)
        let again = ParkedConnectionToken(rawValue: token.rawValue)
        #expect(again.worker == worker)
        #expect(again.slot == slot)
        #expect(again.generation == generation)
    }

    @Test func `a generation beyond its bits does not affect the worker`() {
        let token = ParkedConnectionToken(worker: 3, slot: 4, generation: 0xAB00_0001)
        #expect(token.worker == 3)
        #expect(token.slot == 4)
        #expect(token.generation == 1)
    }
}
