import NIOCore
import Testing

@testable import GateProxy

struct UpstreamDirectoryTests {
    private static let name = Endpoint(host: "api.example", port: 80)

    private static func socket(_ address: String, port: Int = 80) throws -> SocketAddress {
        try SocketAddress(ipAddress: address, port: port)
    }

    private static func directory(_ text: String) throws -> UpstreamDirectory {
        UpstreamDirectory(try #require(UpstreamTarget.list(text)))
    }

    @Test func `literal addresses and Unix sockets need no lookup`() throws {
        let directory = try Self.directory("http://192.0.2.1:1,http://[2001:db8::1],unix:/s")
        #expect(directory.names.isEmpty && !directory.isIncomplete)
        #expect(
            directory.addresses.map(\.description) == [
                "192.0.2.1:1", "[2001:db8::1]:80", "unix:/s",
            ]
        )
    }

    @Test func `each address of a name is used once`() throws {
        var directory = try Self.directory("http://api.example,http://192.0.2.9")
        #expect(directory.names == [Self.name])
        #expect(directory.isIncomplete)
        let found = try ["192.0.2.1", "192.0.2.2", "192.0.2.1"].map { try Self.socket($0) }
        #expect(directory.lookedUp(Self.name, .success(found)) == .publish)
        #expect(!directory.isIncomplete)
        #expect(
            directory.addresses.map(\.description) == [
                "192.0.2.1:80", "192.0.2.2:80", "192.0.2.9:80",
            ]
        )
    }

    @Test func `a different order is not a change, but a different address is`() throws {
        var directory = try Self.directory("http://api.example")
        let (first, second) = (try Self.socket("192.0.2.1"), try Self.socket("192.0.2.2"))
        #expect(directory.lookedUp(Self.name, .success([first, second])) == .publish)
        #expect(directory.lookedUp(Self.name, .success([second, first])) == .doNothing)
        #expect(directory.lookedUp(Self.name, .success([second])) == .publish)
        #expect(directory.addresses.map(\.socket) == [second])
    }

    @Test func `addresses survive failed lookups, which are reported once`() throws {
        var directory = try Self.directory("http://api.example")
        let failure = LookupFailure(description: "no such host")
        #expect(
            directory.lookedUp(Self.name, .failure(failure))
                == .report(failure, hasAddresses: false)
        )
        #expect(directory.lookedUp(Self.name, .failure(failure)) == .doNothing)
        let found = [try Self.socket("192.0.2.1")]
        #expect(directory.lookedUp(Self.name, .success(found)) == .publish)
        #expect(
            directory.lookedUp(Self.name, .failure(failure))
                == .report(failure, hasAddresses: true)
        )
        let other = LookupFailure(description: "try again")
        #expect(
            directory.lookedUp(Self.name, .failure(other)) == .report(other, hasAddresses: true)
        )
        #expect(directory.addresses.map(\.socket) == found)
        #expect(directory.lookedUp(Self.name, .success(found)) == .doNothing)
        #expect(
            directory.lookedUp(Self.name, .failure(other)) == .report(other, hasAddresses: true)
        )
    }
}
