import GateTestSupport
import Glibc
import Testing

/// A long-lived exchange ends when the rules no longer allow its client.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct RevocationTests {
    private static let upgrade =
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    @Test
    func `a denied WebSocket gets a close frame, and an allowed one stays open`() async throws {
        try await Scene.play(backend: { _ in [.send(Self.switching), .mirror] }) { scene in
            func open(_ version: String) throws -> RawClient {
                let client = try scene.connect()
                let fields = Request.identity(version: version) + Self.upgrade
                try client.send(Request.text("GET", "/chat", fields: fields))
                #expect(try client.head()?.status == 101)
                return client
            }
            let old = try open("3.6.0")
            let new = try open("9.0.0")
            try scene.reload(RulesText.shop(minimum: "4.0.0"))
            // FIN and close, 18 bytes: code 1008 and the reason.
            #expect(try old.bytes(4) == [0x88, 18, 0x03, 0xF0])
            #expect(try old.bytes(16) == Array("upgrade required".utf8))
            let end = try old.rest()
            #expect(end.bytes == [])
            try new.send([0x81, 2, 0x68, 0x69])
            #expect(try new.bytes(4) == [0x81, 2, 0x68, 0x69])
        }
    }

    @Test
    func `a gate that shuts down sends close frames to both ends of a WebSocket`() async throws {
        let script: ScriptedBackend.Script = { _ in [.send(Self.switching), .stall] }
        let flags: [GateFlag] = [.drainTimeout(seconds: 1)]
        try await Scene.play(flags: flags, backend: script) { scene in
            let client = try scene.connect()
            let fields = Request.identity(version: "9.0.0") + Self.upgrade
            try client.send(Request.text("GET", "/chat", fields: fields))
            #expect(try client.head()?.status == 101)
            let frame: [UInt8] = [0x81, 0x82, 1, 2, 3, 4, 0x69, 0x6B]
            try client.send(frame)
            try scene.backend.wait(for: "the frame") { record in
                record.received.suffix(frame.count) == frame[...] ? true : nil
            }
            scene.gate.send(signal: SIGTERM)
            // FIN and close: code 1001 and the reason.
            #expect(try client.bytes(2) == [0x88, 12])
            #expect(try client.bytes(12) == [0x03, 0xE9] + Array("going away".utf8))
            #expect(try client.rest().bytes == [])
            let received = try scene.backend.waitUntilAllEnded().received
            // A client's frames are masked: the key, followed by the masked payload.
            let close = Array(received.suffix(18))
            try #require(close.prefix(2) == [0x88, 0x8C])
            let key = close[2..<6]
            let payload = zip(close[6...], 0...).map { $0 ^ key[2 + $1 % 4] }
            #expect(payload == [0x03, 0xE9] + Array("going away".utf8))
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }

    @Test
    func `an event stream is cut off, and its client is denied when it reconnects`()
        async throws
    {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n9\r\ndata: a\n\n\r\n"
        try await Scene.play(backend: { _ in [.send(head), .stall] }) { scene in
            let request = Request.text("GET", "/feed", fields: Request.current)
            let client = try scene.connect()
            try client.send(request)
            #expect(try client.head()?.status == 200)
            #expect(try client.bytes(12) == Array("9\r\ndata: a\n\n".utf8))
            try scene.reload(RulesText.shop(minimum: "4.0.0"))
            #expect(try client.rest().bytes == Array("\r\n".utf8))
            #expect(try scene.ask(request).status == 426)
        }
    }
}
