import NIOCore
import Testing

@testable import GateProxy

struct ParkedConnectionTableTests {
    private static func connection(_ descriptor: CInt, until seconds: Int64 = 75)
        -> ParkedConnection
    {
        ParkedConnection(
            descriptor: descriptor,
            isTrusted: false,
            address: "203.0.113.9",
            permit: nil,
            deadline: .uptimeNanoseconds(0) + .seconds(seconds)
        )
    }

    @Test func `each connection is found by its token until it is removed`() throws {
        var parked = ParkedConnectionTable(worker: 5)
        let tokens = (0..<100).map { parked.add(Self.connection($0)) }
        #expect(parked.count == 100)
        #expect(tokens.allSatisfy { $0.worker == 5 })
        for (index, token) in tokens.enumerated() {
            #expect(parked[token]?.descriptor == CInt(index))
        }
        for token in tokens.reversed() {
            let found = try #require(parked[token])
            #expect(parked.remove(token)?.descriptor == found.descriptor)
            #expect(parked[token] == nil)
            #expect(parked.remove(token) == nil)
        }
        #expect(parked.count == 0)
    }

    @Test func `a removed connection's token does not match the next connection in its slot`()
        throws
    {
        var parked = ParkedConnectionTable(worker: 0)
        let stays = parked.add(Self.connection(1))
        let gone = parked.add(Self.connection(2))
        #expect(parked.remove(gone) != nil)
        let next = parked.add(Self.connection(3))
        #expect(next.slot == gone.slot)
        #expect(parked[gone] == nil)
        #expect(parked[next]?.descriptor == 3)
        #expect(parked[stays]?.descriptor == 1)
    }

    @Test func `nor does the token match after the table was empty`() {
        var parked = ParkedConnectionTable(worker: 0)
        let gone = parked.add(Self.connection(1))
        #expect(parked.remove(gone) != nil)
        let next = parked.add(Self.connection(2))
        #expect(next.slot == gone.slot)
        #expect(parked[gone] == nil)
    }

    @Test func `an unknown token finds nothing`() {
        var parked = ParkedConnectionTable(worker: 0)
        #expect(parked[ParkedConnectionToken(rawValue: .max)] == nil)
        #expect(parked.remove(ParkedConnectionToken(rawValue: 0)) == nil)
    }

    @Test func `overdue connections are removed, and the others are kept`() {
        var parked = ParkedConnectionTable(worker: 0)
        let tokens = [30, 10, 20, 10].enumerated().map { index, seconds in
            parked.add(Self.connection(CInt(index), until: seconds))
        }
        #expect(parked.remove(tokens[3]) != nil)
        let overdue = parked.removeOverdue(at: .uptimeNanoseconds(0) + .seconds(20))
        #expect(Set(overdue.map(\.descriptor)) == [1, 2])
        #expect(parked.count == 1)
        #expect(parked[tokens[0]] != nil)
        #expect(parked[tokens[1]] == nil)
    }

    @Test func `all connections can be overdue at once`() {
        var parked = ParkedConnectionTable(worker: 0)
        for descriptor in 0..<10 { _ = parked.add(Self.connection(CInt(descriptor), until: 1)) }
        let overdue = parked.removeOverdue(at: .uptimeNanoseconds(0) + .seconds(1))
        #expect(Set(overdue.map(\.descriptor)) == Set(0..<10))
        #expect(parked.count == 0)
    }

    @Test func `a limit only shortens later deadlines`() {
        var parked = ParkedConnectionTable(worker: 0)
        let tokens = [5, 50].map { parked.add(Self.connection(1, until: $0)) }
        parked.limitDeadlines(to: .uptimeNanoseconds(0) + .seconds(10))
        #expect(parked[tokens[0]]?.deadline == .uptimeNanoseconds(0) + .seconds(5))
        #expect(parked[tokens[1]]?.deadline == .uptimeNanoseconds(0) + .seconds(10))
    }

    @Test func `a connection keeps its permit`() throws {
        let limit = AddressLimit(limit: 1)
        let client = try #require(ClientNetwork("203.0.113.9"))
        var parked = ParkedConnectionTable(worker: 0)
        let token = parked.add(Self.connection(1))
        parked.give(ConnectionPermit.take(for: client, in: limit), to: token)
        #expect(ConnectionPermit.take(for: client, in: limit) == nil)
        parked.remove(token)?.permit?.leave()
        #expect(limit.clientCount == 0)
    }

    /// The documented memory use of 10,000 parked connections depends on this size.
    @Test func `a record has no more than 64 bytes`() {
        #expect(MemoryLayout<ParkedConnection>.stride <= 64)
    }
}
