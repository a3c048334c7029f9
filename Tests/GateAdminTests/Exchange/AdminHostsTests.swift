import NIOCore
import Testing

@testable import GateAdmin

struct AdminHostsTests {
    private func hosts(_ address: String, _ name: String?) throws -> AdminHosts {
        AdminHosts(try SocketAddress(ipAddress: address, port: 9901), listeningOn: name)
    }

    @Test(arguments: [
        ("localhost", true), ("localhost:9901", true), ("LocalHost:1", true), ("127.0.0.1", true),
        ("127.0.0.1:80", true), ("[::1]", true), ("[::1]:9901", true), ("[::ffff:127.0.0.1]", true),
        // These come through a forwarded port.
        ("192.0.2.1:8080", true), ("gate.internal", true), ("GATE.internal:9901", true),
        ("evil.example", false), ("evil.example:9901", false), ("localhost.evil.example", false),
        ("127.0.0.1.evil.example", false), ("127.0.0.1@evil.example", false), ("2130706433", false),
        ("0x7f.1", false), ("::1", false), ("", false), (":9901", false), ("a b", false),
        ("localhost:x", false), ("localhost:99999", false),
    ])
    func `on a loopback address only local host names are admitted`(
        value: String,
        isAdmitted: Bool
    ) throws {
        for address in ["127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"] {
            #expect(try self.hosts(address, "gate.internal").admits([value]) == isAdmitted)
        }
    }

    @Test func `only the name of the listener itself is admitted`() throws {
        #expect(try !self.hosts("::1", nil).admits(["gate.internal"]))
        #expect(try self.hosts("::1", nil).admits(["localhost"]))
        #expect(try self.hosts("::1", "127.0.0.1").admits(["localhost"]))
    }

    @Test func `a request without a host is admitted, and every one of several must be valid`()
        throws
    {
        let hosts = try self.hosts("127.0.0.1", nil)
        #expect(hosts.admits([]))
        #expect(hosts.admits(["localhost", "127.0.0.1"]))
        #expect(!hosts.admits(["localhost", "evil.example"]))
    }

    @Test func `on other addresses every host name is admitted`() throws {
        for address in ["192.0.2.1", "0.0.0.0", "::"] {
            #expect(try self.hosts(address, nil).admits(["gate.example"]))
        }
        #expect(AdminHosts(nil, listeningOn: nil).admits(["gate.example", ""]))
    }
}
