import Testing

@testable import GateProxy

struct ConnectionPermitTests {
    private let limit = AddressLimit(limit: 1)

    private func take() throws -> ConnectionPermit? {
        ConnectionPermit.take(for: try #require(ClientNetwork("203.0.113.9")), in: self.limit)
    }

    @Test func `a permit is released once, when it is left`() throws {
        let first = try #require(try self.take())
        #expect(try self.take() == nil)
        first.leave()
        let second = try #require(try self.take())
        first.leave()
        #expect(try self.take() == nil)
        second.leave()
        #expect(self.limit.clientCount == 0)
    }

    @Test func `a moved permit belongs to its new owner`() throws {
        let first = try #require(try self.take())
        let moved = try #require(first.moved())
        first.leave()
        #expect(try self.take() == nil)
        #expect(first.moved() == nil)
        moved.leave()
        #expect(self.limit.clientCount == 0)
    }
}
