import NIOCore
import Testing

@testable import GateProxy

struct DiscardAccountTests {
    private static let lot = DiscardBudget.lot

    /// A budget of 64 lots in total and 16 for one client, which is not refilled.
    private let budget = DiscardBudget(
        DiscardLimits(awaitedBytes: 0, bytes: UInt64(Self.lot), time: .seconds(8)),
        clock: { .uptimeNanoseconds(0) }
    )

    @Test func `the first bytes are free, and the rest is charged in lots`() throws {
        let client = try #require(ClientNetwork("203.0.113.9"))
        var account = DiscardAccount()
        account.begin(free: 100)
        #expect(account.charge(100, to: client, self.budget) == true)
        // All sixteen lots are still available.
        #expect(account.charge(16 * Self.lot, to: client, self.budget) == true)
        #expect(account.charge(1, to: client, self.budget) == false)
    }

    @Test func `a lot lasts for several reads`() throws {
        let client = try #require(ClientNetwork("203.0.113.9"))
        var account = DiscardAccount()
        account.begin(free: 0)
        for _ in 0..<32 { #expect(account.charge(Self.lot / 2, to: client, self.budget) == true) }
        #expect(account.charge(1, to: client, self.budget) == false)
    }

    @Test func `unknown clients are charged only to the gate`() {
        var account = DiscardAccount()
        account.begin(free: 0)
        #expect(account.charge(64 * Self.lot, to: nil, self.budget) == true)
        #expect(account.charge(1, to: nil, self.budget) == false)
    }
}
