import Testing

@testable import GateProxy

struct UpstreamStreamBudgetTests {
    @Test func `nothing is sent before the backend has said how much it takes`() {
        let budget = UpstreamStreamBudget()
        #expect(!budget.hasRoom)
    }

    @Test(arguments: [(nil, 128), (1, 1), (100, 100), (1_000_000, 128), (0, 0)] as [(Int?, Int)])
    func `there are as many streams as the backend takes, and no more than are good`(
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

    @Test func `streams have odd numbers, each higher than the last`() {
        var budget = UpstreamStreamBudget()
        let opened = (0..<3).map { _ in budget.open() }
        #expect(opened == [1, 3, 5])
        let known = [0, 1, 2, 5, 6, 7].filter { budget.hasOpened($0) }
        #expect(known == [1, 5])
    }

    @Test func `fewer than there are leave no room until enough are over`() {
        var budget = UpstreamStreamBudget()
        budget.allow(3)
        for _ in 0..<3 { budget.reserve() }
        budget.allow(2)
        budget.release()
        #expect(!budget.hasRoom)
        budget.release()
        #expect(budget.hasRoom)
    }

    @Test func `a retired connection gets no more, and is unused when all are over`() {
        var budget = UpstreamStreamBudget()
        budget.allow(nil)
        budget.reserve()
        budget.retire()
        #expect(!budget.hasRoom && !budget.isUnused)
        budget.release()
        #expect(!budget.hasRoom && budget.isUnused)
    }
}
