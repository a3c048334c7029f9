import GateCensus
import Testing

@testable import GateProxy

struct AddressLimitTests {
    private static func network(_ address: String) throws -> ClientNetwork {
        try #require(ClientNetwork(address))
    }

    @Test func `a client has as many slots as the limit allows, and a slot can be reused`() throws {
        let limit = AddressLimit(limit: 2)
        let client = try Self.network("203.0.113.9")
        #expect(limit.enter(client))
        #expect(limit.enter(client))
        #expect(!limit.enter(client))
        #expect(limit.enter(try Self.network("203.0.113.8")))
        limit.leave(client)
        #expect(limit.enter(client))
        #expect(!limit.enter(client))
    }

    @Test func `nothing is kept about a client without connections`() throws {
        let limit = AddressLimit(limit: 2)
        let client = try Self.network("203.0.113.9")
        for _ in 0..<2 { #expect(limit.enter(client)) }
        for _ in 0..<2 { limit.leave(client) }
        #expect(limit.clientCount == 0)
    }

    @Test(arguments: [
        ("203.0.113.9", "203.0.113.9", true), ("203.0.113.9", "203.0.113.8", false),
        ("203.0.113.9", "::ffff:203.0.113.9", true), ("::ffff:1.2.3.4", "::ffff:1.2.3.5", false),
        ("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", true),
        ("2001:db8::1", "2001:db8:0:1::1", false), ("::1", "0.0.0.0", false),
        ("0:0:cb00:7109::", "203.0.113.9", false),
    ])
    func `a client is an IPv4 address or a /64`(_ a: String, _ b: String, _ isSame: Bool) throws {
        #expect(try (Self.network(a) == Self.network(b)) == isSame)
    }

    @Test func `a client without an address has no limit`() {
        #expect(ClientNetwork("unknown") == nil)
    }

    @Test(
        arguments: [
            ("203.0.113.9", false), ("172.15.0.1", false), ("172.32.0.1", false),
            ("192.169.0.1", false), ("11.0.0.1", false), ("2001:db8::1", false),
            ("10.0.0.1", true), ("127.0.0.1", true), ("172.16.0.1", true),
            ("172.31.255.255", true), ("192.168.1.1", true), ("169.254.1.1", true),
            ("fd00::1", true), ("fc00::1", true), ("fe80::1", true), ("::1", true),
            ("::ffff:10.0.0.1", true),
        ]
    )
    func `a private address may be shared by several clients`(_ address: String, isShared: Bool)
        throws
    {
        #expect(try Self.network(address).place.isShared == isShared)
    }

    @Test func `each network has its own place, which all of its addresses share`() throws {
        let places = try ["203.0.113.9", "203.0.113.10", "2001:db8::1", "2001:db8:0:1::1"]
            .map { try Self.network($0).place }
        #expect(Set(places).count == 4)
        #expect(try Self.network("2001:db8::1").place == Self.network("2001:db8::2").place)
    }
}
