import Foundation
import Testing

@testable import VersionGateClient

struct GateStateTests {
    private static let now = Date(timeIntervalSince1970: 1_000_000)
    private static let required = GateState.required(.sample())
    private static let recommended = GateState.recommended(.sample(snooze: 60))
    private static let maintenance = GateState.maintenance(MaintenanceWindow())

    struct Case: Sendable {
        var state: GateState
        var inEffect: GateState
    }

    private static func brownout(_ seconds: TimeInterval) -> GateState {
        .required(.sample(brownoutUntil: Self.now + seconds))
    }

    @Test(arguments: [
        Case(state: .allowed, inEffect: .allowed),
        Case(state: Self.recommended, inEffect: Self.recommended),
        Case(state: Self.required, inEffect: Self.required),
        Case(state: Self.maintenance, inEffect: Self.maintenance),
        Case(state: .unknown(last: nil), inEffect: .allowed),
        Case(state: .unknown(last: .allowed), inEffect: .allowed),
        Case(state: .unknown(last: Self.recommended), inEffect: .allowed),
        Case(state: .unknown(last: Self.required), inEffect: .allowed),
        Case(state: .unknown(last: Self.maintenance), inEffect: .allowed),
        // The gate's state has precedence over the device's clock.
        Case(state: Self.brownout(-1), inEffect: Self.brownout(-1)),
    ])
    func `an unknown state denies nothing`(_ test: Case) {
        #expect(test.state.inEffect == test.inEffect)
    }

    @Test(arguments: [
        GateState.allowed, Self.recommended, Self.required, Self.maintenance,
        .unknown(last: Self.required), .unknown(last: nil),
    ])
    func `each state can be encoded and decoded`(_ state: GateState) throws {
        let data = try JSONEncoder().encode(state)
        #expect(try JSONDecoder().decode(GateState.self, from: data) == state)
    }

    @Test
    func `the known state is never unknown`() {
        #expect(GateState.unknown(last: .unknown(last: .allowed)).known == .allowed)
        #expect(GateState.unknown(last: nil).known == nil)
        #expect(Self.required.known == Self.required)
    }
}
