import NIOCore
import Synchronization
import Testing

@testable import GateProxy

struct DiscardBudgetTests {
    /// A clock that the test advances.
    private final class Clock: Sendable {
        private let now = Mutex(NIODeadline.uptimeNanoseconds(0))

        var time: NIODeadline { self.now.withLock { $0 } }

        func advance(by time: TimeAmount) {
            self.now.withLock { $0 = $0 + time }
        }
    }

    private static let lot = DiscardBudget.lot
    private let clock = Clock()

    /// Returns a budget in which the largest body is one lot, so a client may have 16 bodies at once, and all clients
    /// together 64.
    private func budget() -> DiscardBudget {
        let limits = DiscardLimits(awaitedBytes: 0, bytes: UInt64(Self.lot), time: .seconds(8))
        return DiscardBudget(limits, clock: { [clock = self.clock] in clock.time })
    }

    private func client(_ number: Int) throws -> ClientNetwork {
        try #require(ClientNetwork("198.51.\(number / 256).\(number % 256)"))
    }

    @Test func `a client may send sixteen bodies at once, and as many again after one timeout`()
        throws
    {
        let budget = self.budget()
        let client = try self.client(1)
        for _ in 0..<16 { #expect(budget.take(Self.lot, for: client)) }
        #expect(!budget.take(Self.lot, for: client))
        self.clock.advance(by: .seconds(4))
        for _ in 0..<8 { #expect(budget.take(Self.lot, for: client)) }
        #expect(!budget.take(Self.lot, for: client))
    }

    @Test func `one client's use does not affect another client`() throws {
        let budget = self.budget()
        for _ in 0..<17 { _ = budget.take(Self.lot, for: try self.client(1)) }
        #expect(budget.take(Self.lot, for: try self.client(2)))
    }

    @Test(arguments: [false, true])
    func `all clients together may send sixty-four bodies`(_ areKnown: Bool) throws {
        let budget = self.budget()
        for number in 0..<64 {
            #expect(budget.take(Self.lot, for: areKnown ? try self.client(number) : nil))
        }
        #expect(!budget.take(Self.lot, for: areKnown ? try self.client(64) : nil))
        self.clock.advance(by: .seconds(8))
        #expect(budget.take(Self.lot, for: areKnown ? try self.client(64) : nil))
    }

    @Test func `refusing a client takes nothing from the others`() throws {
        let budget = self.budget()
        for _ in 0..<100 { _ = budget.take(Self.lot, for: try self.client(1)) }
        for number in 2..<50 { #expect(budget.take(Self.lot, for: try self.client(number))) }
    }
}
