import NIOCore
import Testing
import WireSamples

@testable import GateProxy

/// Connections after a protocol upgrade.
struct ClientConnectionTunnelTests {
    private static let handshake = wire(
        "GET /socket HTTP/1.1",
        "Host: a",
        "X-App-Version: 3",
        "Connection: Upgrade",
        "Upgrade: websocket"
    )
    private static let switching = wire(
        "HTTP/1.1 101 Switching Protocols",
        "Upgrade: WebSocket",
        "Connection: Upgrade"
    )

    private struct Tunnel {
        let stage: Stage
        let upstream: Wire<UpstreamConnection>
        let client: Wire<ClientConnection>

        init(clientExtra: String = "", upstreamExtra: String = "") throws {
            self.stage = try Stage()
            self.upstream = try self.stage.upstream()
            self.client = try self.stage.client()
            try self.client.receive(handshake + clientExtra)
            #expect(self.upstream.socket.takeSent().contains("Upgrade: websocket\r\n"))
            try self.upstream.receive(switching + upstreamExtra)
            let head = self.client.socket.takeSent()
            #expect(head.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
            #expect(head.hasSuffix("\r\n\r\n" + upstreamExtra))
        }
    }

    @Test func `bytes pass in both directions, whatever they contain`() throws {
        let tunnel = try Tunnel()
        try tunnel.client.receive(Message.outdated)
        #expect(tunnel.upstream.socket.takeSent() == Message.outdated)
        try tunnel.upstream.receive(Message.ok)
        #expect(tunnel.client.socket.takeSent() == Message.ok)
        #expect(tunnel.stage.worker.statistics.counters.requests == 1)
    }

    @Test func `bytes that arrive with the handshake pass in both directions`() throws {
        let tunnel = try Tunnel(clientExtra: "early", upstreamExtra: "prompt")
        #expect(tunnel.upstream.socket.takeSent() == "early")
    }

    @Test func `the bytes after a declined handshake are the next request`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.handshake + Message.outdated)
        try upstream.receive(Message.ok)
        #expect(client.socket.sent.hasPrefix(Message.ok + "HTTP/1.1 426 "))
    }

    @Test(arguments: ["h2c", "foo"])
    func `a protocol that was not offered is a bad gateway`(_ name: String) throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.handshake)
        try upstream.receive(Self.switching.replacing("WebSocket", with: name))
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 502 "))
        #expect(upstream.socket.isClosed)
    }

    @Test func `each side can close alone`() throws {
        let first = try Tunnel()
        first.client.endInput()
        #expect(first.upstream.socket.isOutputClosed && !first.upstream.socket.isClosed)
        try first.upstream.receive("more")
        #expect(first.client.socket.sent == "more")
        let second = try Tunnel()
        second.upstream.endInput()
        #expect(second.client.socket.isOutputClosed && !second.client.socket.isClosed)
        try second.client.receive("more")
        #expect(second.upstream.socket.sent == "more")
    }

    @Test func `the tunnel ends when both sides are closed`() throws {
        let tunnel = try Tunnel()
        tunnel.client.endInput()
        tunnel.upstream.endInput()
        #expect(tunnel.client.socket.isClosed && tunnel.upstream.socket.isClosed)
        #expect(tunnel.stage.idle == nil)
    }

    @Test func `the last bytes for a slow client arrive`() throws {
        let tunnel = try Tunnel()
        tunnel.client.endInput()
        tunnel.client.socket.block()
        try tunnel.upstream.receive("last words")
        tunnel.upstream.endInput()
        tunnel.client.socket.unblock()
        #expect(tunnel.client.socket.sent == "last words")
        #expect(tunnel.client.socket.isClosed)
    }

    @Test func `the last bytes for a slow backend arrive`() throws {
        let tunnel = try Tunnel()
        tunnel.upstream.endInput()
        tunnel.upstream.socket.block()
        try tunnel.client.receive("last words")
        tunnel.client.endInput()
        tunnel.upstream.socket.unblock()
        #expect(tunnel.upstream.socket.sent == "last words")
        #expect(tunnel.upstream.socket.isClosed)
    }

    @Test func `an idle tunnel is closed`() throws {
        let tunnel = try Tunnel()
        let timeouts = tunnel.stage.worker.loop.settings.timeouts
        #expect(tunnel.client.handler.deadline == tunnel.stage.worker.loop.now + timeouts.tunnel)
        tunnel.client.handler.deadlineReached()
        #expect(tunnel.client.socket.isClosed && tunnel.upstream.socket.isClosed)
    }

    @Test func `a client that disconnects ends the tunnel`() throws {
        let tunnel = try Tunnel()
        tunnel.client.disconnect()
        #expect(tunnel.upstream.socket.isClosed)
    }
}
