import GatePolicy
import NIOCore
import NIOEmbedded
import Testing
import WireSamples

@testable import GateProxy

/// Long-lived responses whose rules change.
struct RevocableRequestTests {
    private static func handshake(_ version: String) -> String {
        wire(
            "GET /socket HTTP/1.1",
            "Host: a",
            "X-App-Version: \(version)",
            "Connection: Upgrade",
            "Upgrade: websocket"
        )
    }

    private static let switching = wire(
        "HTTP/1.1 101 Switching Protocols",
        "Upgrade: websocket",
        "Connection: Upgrade"
    )
    private static let events = wire(
        "HTTP/1.1 200 OK",
        "Content-Type: text/event-stream",
        "Transfer-Encoding: chunked"
    )

    private struct Scene {
        let stage: Stage
        let upstream: Wire<UpstreamConnection>
        let client: Wire<ClientConnection>

        init(_ request: String, _ response: String) throws {
            self.stage = try Stage(minimum: "2.0")
            self.upstream = try self.stage.upstream()
            self.client = try self.stage.client()
            try self.client.receive(request)
            try self.upstream.receive(response)
            #expect(self.client.socket.takeSent().hasPrefix("HTTP/1.1 "))
        }

        func use(minimum: String) throws {
            self.stage.worker.use(try Stage.ruleSet(minimum: minimum))
        }

        func use(_ rule: RuleDefinition) {
            self.stage.worker.use(RuleSet(RuleSetDefinition(revision: "r", rules: [rule])))
        }
    }

    @Test func `only a WebSocket that is no longer allowed is closed, with a reason`() throws {
        let old = try Scene(Self.handshake("3"), Self.switching)
        let new = try Scene(Self.handshake("9"), Self.switching)
        for scene in [old, new] { try scene.use(minimum: "4.0") }
        #expect(old.client.socket.takeBytes() == WebSocketFrames.close(1008, "upgrade required"))
        #expect(old.client.socket.isOutputClosed)
        #expect(old.upstream.socket.isClosed)
        #expect(old.stage.worker.loop.counters.revoked == 1)
        #expect(new.client.socket.takeSent() == "")
        try new.upstream.receive("go on")
        #expect(new.client.socket.takeSent() == "go on")
        // The client also closes, and its remaining data is discarded.
        try old.client.receive("\u{0}")
        old.client.endInput()
        #expect(old.client.socket.isClosed)
    }

    @Test func `a gate that stops closes WebSockets at both ends`() throws {
        let scene = try Scene(Self.handshake("3"), Self.switching)
        let other = try Scene(Message.get, Self.events)
        _ = scene.upstream.socket.takeBytes()
        #expect(scene.stage.worker.clients.closeWebSockets() == 1)
        #expect(other.stage.worker.clients.closeWebSockets() == 0)
        #expect(scene.client.socket.takeBytes() == WebSocketFrames.close(1001, "going away"))
        #expect(scene.client.socket.isOutputClosed)
        let frame = scene.upstream.socket.takeBytes()
        let key = frame[2..<6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        #expect(frame == WebSocketFrames.close(1001, "going away", maskedBy: key))
        #expect(scene.upstream.socket.isClosed)
    }

    @Test func `a backend gets no close frame in the middle of its client's frame`() throws {
        let scene = try Scene(Self.handshake("3"), Self.switching)
        _ = scene.upstream.socket.takeBytes()
        // FIN and text, masked, with one of two bytes.
        let begun: [UInt8] = [0x81, 0x82, 1, 2, 3, 4, 5]
        try scene.client.channel.writeInbound(ByteBuffer(bytes: begun))
        try scene.use(minimum: "4.0")
        #expect(scene.client.socket.takeBytes() == WebSocketFrames.close(1008, "upgrade required"))
        #expect(scene.upstream.socket.takeBytes() == begun)
        #expect(scene.upstream.socket.isClosed)
    }

    @Test func `the frame in progress is completed first`() throws {
        let scene = try Scene(Self.handshake("3"), Self.switching)
        try scene.upstream.receive("\u{1}\u{A}hello")
        try scene.use(minimum: "4.0")
        #expect(scene.client.socket.takeSent() == "\u{1}\u{A}hello")
        try scene.upstream.receive("there\u{1}\u{3}abc")
        let sent = scene.client.socket.takeBytes()
        #expect(sent == Array("there".utf8) + WebSocketFrames.close(1008, "upgrade required"))
        #expect(scene.upstream.socket.isClosed)
    }

    @Test func `the gate does not wait for a frame that never ends`() throws {
        let scene = try Scene(Self.handshake("3"), Self.switching)
        try scene.upstream.receive("\u{1}\u{A}hello")
        try scene.use(minimum: "4.0")
        let deadline = try #require(scene.client.handler.deadline)
        #expect(deadline <= .now() + scene.stage.worker.loop.settings.timeouts.linger)
        try scene.client.receive("anything")
        #expect(scene.client.handler.deadline == deadline)
        scene.client.handler.deadlineReached()
        #expect(scene.client.socket.isClosed)
    }

    @Test func `the close code for maintenance means that the client may reconnect`() throws {
        let scene = try Scene(Self.handshake("3"), Self.switching)
        let clock = scene.stage.clock
        let window = MaintenanceWindow(from: clock.later(-1), until: clock.later(60))
        scene.use(RuleDefinition(id: "m", maintenance: window))
        #expect(scene.client.socket.takeBytes() == WebSocketFrames.close(1013, "maintenance"))
    }

    @Test func `the close code for a brownout also means that the client may reconnect`() throws {
        let scene = try Scene(Self.handshake("3"), Self.switching)
        let clock = scene.stage.clock
        let (start, end) = (clock.later(-1), clock.later(60))
        scene.use(
            RuleDefinition(
                id: "b",
                minimum: try AppVersion(parsing: "4"),
                schedule: RuleSchedule(
                    warnFrom: start,
                    enforceFrom: clock.later(90),
                    brownouts: [BrownoutWindow(from: start, until: end)]
                )
            )
        )
        #expect(scene.client.socket.takeBytes() == WebSocketFrames.close(1013, "brownout"))
    }

    @Test func `a protocol other than WebSocket is closed without a close frame`() throws {
        let scene = try Scene(
            Self.handshake("3").replacing("websocket", with: "foo"),
            Self.switching.replacing("websocket", with: "foo")
        )
        try scene.use(minimum: "4.0")
        #expect(scene.client.socket.takeSent() == "")
        #expect(scene.client.socket.isClosed)
        #expect(scene.upstream.socket.isClosed)
    }

    @Test func `an event stream is cut off, and does not look complete`() throws {
        let scene = try Scene(Message.get, Self.events + "3\r\n:\n\n\r\n")
        try scene.use(minimum: "2.5")
        try scene.upstream.receive("3\r\n:\n\n\r\n")
        #expect(scene.client.socket.takeSent() == "3\r\n:\n\n\r\n")
        try scene.use(minimum: "4.0")
        #expect(scene.client.socket.takeSent() == "")
        #expect(scene.client.socket.isClosed)
        #expect(scene.upstream.socket.isClosed)
    }

    @Test func `a response that ends by itself is not cut off`() throws {
        let scene = try Scene(
            Message.get,
            wire("HTTP/1.1 200 OK", "Content-Type: text/plain", "Content-Length: 4") + "ab"
        )
        try scene.use(minimum: "4.0")
        try scene.upstream.receive("cd")
        #expect(scene.client.socket.takeSent() == "cd")
        try scene.client.receive(Message.get)
        #expect(scene.client.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
    }

    @Test func `a stream whose rules change before its response is closed at the response`() throws
    {
        let stage = try Stage(minimum: "2.0")
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        stage.worker.use(try Stage.ruleSet(minimum: "4.0"))
        try upstream.receive(Self.events)
        #expect(client.socket.isClosed)
        #expect(upstream.socket.isClosed)
    }

    @Test func `an early hint does not separate a stream from its client`() throws {
        let hint = wire("HTTP/1.1 103 Early Hints", "Link: </a>")
        let scene = try Scene(Message.get, hint + Self.events)
        try scene.use(minimum: "4.0")
        #expect(scene.client.socket.isClosed)
    }

    @Test func `a stream ends in the second in which its floor takes effect`() throws {
        let scene = try Scene(Message.get, Self.events)
        scene.stage.worker.start()
        defer { scene.stage.worker.closeAll() }
        scene.use(
            RuleDefinition(
                id: "dated",
                minimum: try AppVersion(parsing: "4"),
                schedule: RuleSchedule(enforceFrom: scene.stage.clock.later(10))
            )
        )
        for _ in 0..<9 { scene.stage.tick(after: 1) }
        #expect(!scene.client.socket.isClosed)
        scene.stage.tick(after: 1)
        #expect(scene.client.socket.isClosed)
    }

    /// The floor had ended permanently, so no date for another evaluation was left.
    @Test func `long-lived exchanges are evaluated again when the clock is set back`() throws {
        let stage = try Stage()
        let rule = RuleDefinition(
            id: "dated",
            minimum: try AppVersion(parsing: "4"),
            schedule: RuleSchedule(until: stage.clock.later(-10))
        )
        stage.worker.use(RuleSet(RuleSetDefinition(revision: "r", rules: [rule])))
        stage.worker.start()
        defer { stage.worker.closeAll() }
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.handshake("3"))
        try upstream.receive(Self.switching)
        let other = try stage.client()
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 101 "))
        stage.tick(after: -20)
        #expect(client.socket.takeBytes() == WebSocketFrames.close(1008, "upgrade required"))
        try other.receive(Message.get)
        #expect(other.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
    }
}
