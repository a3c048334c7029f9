import GateWire
import NIOCore
import Testing
import WireSamples

@testable import GateProxy

/// HTTP/2 frames from a backend, as received by an HTTP/1.1 client.
struct HTTP2AnswerTests {
    private struct Scene {
        let uptime = ManualUptime()
        let stage: Stage
        let upstream: Wire<UpstreamConnection>
        let client: Wire<ClientConnection>

        init(_ request: String) throws {
            self.stage = try Stage(uptime: self.uptime)
            self.stage.worker.start()
            self.upstream = try self.stage.upstream()
            self.client = try self.stage.client()
            try self.client.receive(request)
        }

        func receive(_ fields: [(String, String)], endsStream: Bool = false) throws {
            var list = try HeaderList([(":status", "200")] + fields)
            var head = ResponseHead()
            _ = try HTTP2ResponseHead.read(
                &list,
                endsStream: endsStream,
                answersHead: false,
                limits: .defaults,
                into: &head
            )
            self.upstream.handler.receive(head, in: list.bytes.span)
            self.client.handler.settle()
        }

        func receive(_ content: String, isLast: Bool) {
            self.upstream.handler.receive(ByteBuffer(string: content), isLast: isLast)
            self.client.handler.settle()
        }

        func pass(seconds: Int64) {
            self.uptime.now = self.uptime.now + .seconds(seconds)
            self.stage.tick()
        }
    }

    private static let call = wire(
        "POST /call HTTP/1.1",
        "Host: a",
        "X-App-Version: 3",
        "Content-Type: application/grpc",
        "TE: trailers",
        "Content-Length: 0"
    )

    @Test func `content is sent in chunks, and the last chunk with the end`() throws {
        let scene = try Scene(Message.get)
        try scene.receive([("a", "b")])
        let head = wire("HTTP/1.1 200 OK", "a: b", "transfer-encoding: chunked")
        #expect(scene.client.socket.takeSent() == head)
        scene.receive("abc", isLast: false)
        #expect(scene.client.socket.takeSent() == "3\r\nabc\r\n")
        let long = String(repeating: "x", count: ClientOutput.copyLimit + 1)
        scene.receive(long, isLast: true)
        #expect(scene.client.socket.takeSent() == "1001\r\n\(long)\r\n0\r\n\r\n")
        #expect(!scene.client.socket.isOutputClosed)
    }

    @Test func `content with a length is forwarded unchanged`() throws {
        let scene = try Scene(Message.get)
        try scene.receive([("content-length", "4")])
        scene.receive("abc", isLast: false)
        scene.receive("d", isLast: true)
        #expect(
            scene.client.socket.takeSent() == wire("HTTP/1.1 200 OK", "content-length: 4") + "abcd"
        )
        #expect(!scene.client.socket.isOutputClosed)
    }

    @Test func `an HTTP/1.0 client gets no chunks and a close`() throws {
        let scene = try Scene(wire("GET / HTTP/1.0", "X-App-Version: 3"))
        try scene.receive([("a", "b")])
        scene.receive("abc", isLast: false)
        scene.upstream.handler.receive(trailers: try HeaderList([("c", "d")]))
        scene.client.handler.settle()
        let head = wire("HTTP/1.1 200 OK", "a: b", "Connection: close")
        #expect(scene.client.socket.takeSent() == head + "abc")
        #expect(scene.client.socket.isOutputClosed)
    }

    @Test func `the first part after a head has the whole timeout`() throws {
        let scene = try Scene(Message.get)
        scene.pass(seconds: 20)
        try scene.receive([])
        let time = scene.stage.worker.loop.settings.timeouts.response
        #expect(scene.client.handler.deadline == scene.stage.worker.loop.now + time)
    }

    @Test func `a denied call with chunks ends with its status`() throws {
        let scene = try Scene(Self.call)
        try scene.receive([("content-type", "application/grpc")])
        scene.receive("abc", isLast: false)
        _ = scene.client.socket.takeSent()
        scene.stage.worker.use(try Stage.ruleSet(minimum: "4.0"))
        let sent = scene.client.socket.takeSent()
        #expect(sent.hasPrefix("0\r\n") && sent.contains("grpc-status: 9\r\n"))
    }

    @Test func `content with a length does not get a last chunk`() throws {
        let scene = try Scene(Self.call)
        try scene.receive([("content-type", "application/grpc"), ("content-length", "9")])
        scene.receive("abc", isLast: false)
        _ = scene.client.socket.takeSent()
        scene.stage.worker.use(try Stage.ruleSet(minimum: "4.0"))
        #expect(scene.client.socket.takeSent() == "")
        #expect(scene.client.socket.isClosed)
    }
}
