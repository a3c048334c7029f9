import NIOCore
import Testing

@testable import GateProxy

struct ClientAddressTests {
    @Test(arguments: [
        (["10.0.0.7"], "10.0.0.7", true),
        (["10.0.0.7"], "10.0.0.8", false),
        (["10.0.0.7"], "10.0.0.6", false),
        (["10.0.0.0/8"], "10.255.255.255", true),
        (["10.0.0.0/8"], "11.0.0.0", false),
        (["10.1.2.3/8"], "10.9.9.9", true),
        (["192.168.4.0/22"], "192.168.7.255", true),
        (["192.168.4.0/22"], "192.168.8.0", false),
        (["192.168.4.0/22"], "192.168.3.255", false),
        (["10.0.0.0/31"], "10.0.0.1", true),
        (["10.0.0.0/31"], "10.0.0.2", false),
        (["0.0.0.0/0"], "203.0.113.1", true),
        (["0.0.0.0/0"], "::1", false),
        (["::/0"], "::1", true),
        (["::/0"], "10.0.0.1", false),
        (["fd00::/8"], "fdff::1", true),
        (["fd00::/8"], "fe00::1", false),
        (["2001:db8::/33"], "2001:db8:7fff::1", true),
        (["2001:db8::/33"], "2001:db8:8000::1", false),
        (["::1"], "::1", true),
        (["::1"], "::2", false),
        (["10.0.0.7"], "::ffff:10.0.0.7", true),
        (["10.0.0.0/8"], "::ffff:11.0.0.7", false),
        (["::ffff:10.0.0.7"], "10.0.0.7", true),
        (["1.1.1.1", "fd00::/8", "10.0.0.0/8"], "10.0.0.7", true),
        ([], "10.0.0.7", false),
    ])
    func `a peer is trusted if it is in one of the ranges`(
        _ ranges: [String],
        _ peer: String,
        _ isTrusted: Bool
    ) throws {
        let trusted = try #require(TrustedProxies(ranges))
        let address = try SocketAddress(ipAddress: peer, port: 1)
        #expect(trusted.contains(address) == isTrusted)
        #expect(ClientAddress(address, trusted: trusted).isTrusted == isTrusted)
    }

    @Test(arguments: [
        "", "a", "10.0.0", "10.0.0.256", "10.0.0.0.0", "10.0.0.7:80", "010.0.0.1", " 10.0.0.7",
        "10.0.0.7 ", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/a", "10.0.0.0/8/8",
        "/8", "10.0.0.0 /8", "10.0.0.0/ 8", "[::1]", "::1/129", ":::", "fe80::1%eth0", "localhost",
        "10.0.0.0/255.0.0.0", "10.0.0.0/+8", "10.0.0.0/-0",
    ])
    func `an invalid address or range is rejected`(_ text: String) {
        #expect(TrustedProxies([text]) == nil)
        #expect(TrustedProxies(["10.0.0.1", text]) == nil)
    }

    @Test func `no peer is trusted by default`() throws {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        #expect(!TrustedProxies.none.contains(address))
        #expect(try !#require(TrustedProxies(["0.0.0.0/0", "::/0"])).contains(nil))
    }

    @Test(arguments: ["203.0.113.9", "2001:db8::1"])
    func `the backend gets the address of the peer`(_ ip: String) throws {
        let origin = ClientAddress(try SocketAddress(ipAddress: ip, port: 4711), trusted: .none)
        #expect(origin.address == ip)
        let lines = "X-Forwarded-For: \(ip)\r\nX-Forwarded-Proto: http\r\n"
        #expect(String(decoding: origin.lines, as: UTF8.self) == lines)
    }

    @Test func `a peer without an address is unknown`() throws {
        let socket = try SocketAddress(unixDomainSocketPath: "/tmp/socket")
        #expect(ClientAddress(socket, trusted: .none).address == "unknown")
        #expect(ClientAddress(nil, trusted: .none).address == "unknown")
    }

    @Test(arguments: [
        (["203.0.113.9"], "203.0.113.9"), (["203.0.113.9", "10.0.0.2"], "203.0.113.9"),
        (["198.51.100.1", "203.0.113.9", "10.0.0.2"], "203.0.113.9"),
        (["2001:db8::1", "10.0.0.2"], "2001:db8::1"), (["10.0.0.3", "10.0.0.2"], nil),
        (["203.0.113.9", "unknown"], nil), ([], nil),
    ])
    func `the client's address is the last one that is not a trusted proxy's`(
        _ list: [String],
        _ client: String?
    ) throws {
        let trusted = try #require(TrustedProxies(["10.0.0.0/8"]))
        #expect(trusted.clientAddress(in: list) == client)
    }
}
