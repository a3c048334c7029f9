import Testing

@testable import GateProxy

struct UpstreamStreamBudgetTests {
    @Test func `no stream is opened before the SETTINGS of the backend`() {
        let budget = UpstreamStreamBudget()
        #expect(!budget.hasRoom)
    }

    @Test(arguments: [(nil, 128), (1, 1), (100, 100), (1_000_000, 128), (0, 0)] as [(Int?, Int)])
    func `the number of streams is limited by the backend and by the gate`(
        _ said: Int?,
        _ count: Int
    ) {
        var budget = UpstreamStreamBudget()
        budget.allow(said)
        var opened = 0
        while budget.hasRoom {
            budget.reserve()
            opened += 1
        }
        #expect(opened == count)
        guard count > 0 else { return }
        budget.release()
        #expect(budget.hasRoom)
    }

    @Test func `streams have ascending odd IDs`() {
        var budget = UpstreamStreamBudget()
        let opened = (0..<3).map { _ in budget.open() }
        #expect(opened == [1, 3, 5])
        let known = [0, 1, 2, 5, 6, 7].filter { budget.hasOpened($0) }
        #expect(known == [1, 5])
    }

    @Test func `a lower limit leaves no capacity until enough streams have ended`() {
        var budget = UpstreamStreamBudget()
        budget.allow(3)
        for _ in 0..<3 { budget.reserve() }
        budget.allow(2)
        budget.release()
        #expect(!budget.hasRoom)
        budget.release()
        #expect(budget.hasRoom)
    }

    @Test func `a retired connection gets no streams, and is unused when all end`() {
        var budget = UpstreamStreamBudget()
        budget.allow(nil)
        budget.reserve()
        budget.retire()
        #expect(!budget.hasRoom && !budget.isUnused)
        budget.release()
        #expect(!budget.hasRoom && budget.isUnused)
    }
}
