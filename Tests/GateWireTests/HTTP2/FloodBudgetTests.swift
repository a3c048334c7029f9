import NIOCore
import Testing

@testable import GateWire

struct FloodBudgetTests {
    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func `frames without progress exhaust the budget`() {
        var budget = FloodBudget(capacity: 3, perSecond: 2)
        let answers = (0..<4).map { _ in budget.charge(at: Self.start) }
        #expect(answers == [true, true, true, false])
    }

    @Test func `progress refills the budget up to its capacity`() {
        var budget = FloodBudget(capacity: 3, perSecond: 0)
        for _ in 0..<10 {
            let isCalm = budget.charge(at: Self.start)
            #expect(isCalm)
            budget.earn(1)
        }
        budget.earn(100)
        let answers = (0..<4).map { _ in budget.charge(at: Self.start) }
        #expect(answers == [true, true, true, false])
    }

    @Test func `the budget refills every second`() {
        var budget = FloodBudget(capacity: 10, perSecond: 2)
        var served = 0
        for quarter in 0..<400 where budget.charge(at: Self.start + .milliseconds(250) * quarter) {
            served += 1
        }
        // Ten frames at once, and two for each of the 99 whole seconds that have passed.
        #expect(served == 10 + 2 * 99)
    }

    @Test func `idle time refills the budget up to its capacity`() {
        var budget = FloodBudget(capacity: 2, perSecond: 1)
        _ = budget.charge(at: Self.start)
        let later = Self.start + .hours(1000)
        let answers = (0..<3).map { _ in budget.charge(at: later) }
        #expect(answers == [true, true, false])
    }
}
