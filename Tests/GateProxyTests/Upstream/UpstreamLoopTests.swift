import NIOCore
import Testing

@testable import GateProxy

struct UpstreamLoopTests {
    @Test(arguments: [
        ("127.0.0.1:80", "127.0.0.1:80", true), ("127.0.0.1:80", "127.0.0.1:81", false),
        ("127.0.0.1:80", "127.0.0.2:80", false), ("0.0.0.0:80", "127.0.0.1:80", true),
        ("0.0.0.0:80", "127.9.0.1:80", true), ("0.0.0.0:80", "192.0.2.7:80", true),
        ("0.0.0.0:80", "192.0.2.8:80", false), ("[::]:80", "[::1]:80", true),
        ("[::]:80", "192.0.2.7:80", true), ("192.0.2.7:80", "127.0.0.1:80", false),
        ("0.0.0.0:80", "0.0.0.0:80", true),
    ])
    func `a backend that is the gate itself is detected`(
        listen: String,
        backend: String,
        isLoop: Bool
    ) throws {
        let target = try #require(UpstreamTarget("http://\(backend)"))
        let listener = try #require(Endpoint(listen))
        let loop = UpstreamLoop(
            among: UpstreamDirectory([target]).addresses,
            listeners: [try SocketAddress(ipAddress: listener.host, port: listener.port)],
            interfaces: [try SocketAddress(ipAddress: "192.0.2.7", port: 0)]
        )
        #expect((loop != nil) == isLoop)
        #expect(
            loop.map { "\($0)".hasPrefix("--upstream http://\(backend) is the gate itself") }
                ?? true
        )
    }

    @Test func `a Unix socket is never the gate`() throws {
        let target = try #require(UpstreamTarget("unix:/run/a.sock"))
        let loop = UpstreamLoop(
            among: UpstreamDirectory([target]).addresses,
            listeners: [try SocketAddress(ipAddress: "0.0.0.0", port: 80)],
            interfaces: []
        )
        #expect(loop == nil)
    }
}
