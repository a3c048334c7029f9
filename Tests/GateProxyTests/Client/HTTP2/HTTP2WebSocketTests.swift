import GateWire
import NIOCore
import NIOEmbedded
import Testing
import WireSamples

@testable import GateProxy

/// WebSockets over HTTP/2, with emulated sockets.
struct HTTP2WebSocketTests {
    /// A client with an open WebSocket on stream 1.
    private struct Tunnel {
        let stage: Stage
        let upstream: Wire<UpstreamConnection>
        let client: Wire<ClientConnection>

        /// `early`: the bytes sent before the backend's response.
        init(early: [UInt8] = [], answer: (String) -> String = Self.switching(_:)) throws {
            self.stage = try Stage()
            self.upstream = try self.stage.upstream()
            self.client = try self.stage.client()
            try self.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4))
            #expect(self.client.socket.takeBytes().contains([0, 8, 0, 0, 0, 1]))
            try self.send(Self.connect + early)
            let lines = self.upstream.socket.takeSent().split(separator: "\r\n")
            #expect(lines.first == "GET /chat HTTP/1.1")
            let key = try #require(self.stream?.webSocketKey)
            #expect(lines.contains("Sec-WebSocket-Key: \(key.text)"))
            try self.upstream.receive(answer(key.accept))
            self.stage.loop.run()
        }

        private static let connect: [UInt8] = {
            let fields = [
                (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"),
                (":path", "/chat"), (":authority", "a"), ("x-app-version", "3"),
            ]
            var block: [UInt8] = []
            for (name, value) in fields {
                block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
                block += [UInt8(value.utf8.count)] + Array(value.utf8)
            }
            return frame(1, flags: 0x04, stream: 1, block)
        }()

        static func switching(_ accept: String) -> String {
            wire(
                "HTTP/1.1 101 Switching Protocols",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Accept: \(accept)"
            )
        }

        /// The stream while it exists.
        var stream: HTTP2Stream? {
            let pipeline = self.client.channel.pipeline.syncOperations
            return try? pipeline.handler(type: HTTP2Connection.self).streams[1]
        }

        func send(_ bytes: [UInt8]) throws {
            try self.client.channel.writeInbound(ByteBuffer(bytes: bytes))
            self.stage.loop.run()
        }

        func receive(_ text: String) throws {
            try self.upstream.receive(text)
            self.stage.loop.run()
        }

        /// Returns the frames sent to the client since the last call, in short form.
        func frames() -> [String] {
            self.stage.loop.run()
            return ByteBuffer(bytes: self.client.socket.takeBytes()).framesAndCodes
        }
    }

    private static func data(_ text: String, ends: Bool = false) -> [UInt8] {
        frame(0, flags: ends ? 1 : 0, stream: 1, Array(text.utf8))
    }

    @Test func `bytes pass in both directions, whatever they contain`() throws {
        let tunnel = try Tunnel()
        let answer = tunnel.client.socket.takeBytes()
        // The first field of the block is the indexed field `:status: 200` (RFC 7541 Appendix A).
        #expect(answer.contains([0x88]))
        let text = String(decoding: answer, as: UTF8.self).lowercased()
        for name in ["upgrade", "connection", "accept", "content-length"] {
            #expect(!text.contains(name), "\(name)")
        }
        try tunnel.send(Self.data(Message.outdated))
        #expect(tunnel.upstream.socket.takeSent() == Message.outdated)
        try tunnel.receive(Message.ok)
        #expect(tunnel.frames() == ["1: room", "1: data \(Message.ok.utf8.count)"])
        #expect(tunnel.stage.worker.statistics.counters.requests == 1)
    }

    @Test func `bytes sent before the response are forwarded after it`() throws {
        let tunnel = try Tunnel(early: Self.data("early") + Self.data(" bird"))
        #expect(tunnel.upstream.socket.sent == "early bird")
        #expect(tunnel.frames() == ["1: headers", "1: room"])
    }

    @Test func `an end sent before the response is forwarded after it`() throws {
        let tunnel = try Tunnel(early: Self.data("all", ends: true))
        #expect(tunnel.upstream.socket.sent == "all")
        #expect(tunnel.upstream.socket.isOutputClosed && !tunnel.upstream.socket.isClosed)
    }

    @Test func `bytes sent before a refusal are never a request`() throws {
        let tunnel = try Tunnel(early: Self.data(Message.get)) { _ in
            wire("HTTP/1.1 403 Forbidden", "Content-Length: 2") + "no"
        }
        #expect(tunnel.upstream.socket.sent == "")
        #expect(tunnel.frames() == ["1: headers", "1: data 2 end"])
        #expect(tunnel.stage.worker.statistics.counters.requests == 1)
    }

    @Test func `a response that does not match the key is a bad gateway`() throws {
        let answers = [
            wire("HTTP/1.1 101 S", "Upgrade: websocket", "Connection: Upgrade"),
            wire(
                "HTTP/1.1 101 S",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
            ),
        ]
        for answer in answers {
            let tunnel = try Tunnel { _ in answer }
            #expect(
                String(decoding: tunnel.client.socket.takeBytes(), as: UTF8.self).contains("502")
            )
            #expect(tunnel.upstream.socket.isClosed)
        }
        let twice = try Tunnel { accept in
            Tunnel.switching(accept).replacing(
                "\r\n\r\n",
                with: "\r\nSec-WebSocket-Accept: x\r\n\r\n"
            )
        }
        #expect(String(decoding: twice.client.socket.takeBytes(), as: UTF8.self).contains("502"))
    }

    @Test func `the client can end its side alone`() throws {
        let tunnel = try Tunnel()
        _ = tunnel.frames()
        try tunnel.send(Self.data("last", ends: true))
        #expect(tunnel.upstream.socket.sent == "last")
        #expect(tunnel.upstream.socket.isOutputClosed && !tunnel.upstream.socket.isClosed)
        try tunnel.receive("more")
        #expect(tunnel.frames() == ["1: data 4"])
        tunnel.upstream.endInput()
        #expect(tunnel.frames() == ["1: data 0 end"])
        #expect(tunnel.upstream.socket.isClosed)
    }

    @Test func `the backend can end its side alone`() throws {
        let tunnel = try Tunnel()
        _ = tunnel.frames()
        tunnel.upstream.endInput()
        #expect(tunnel.frames() == ["1: data 0 end"])
        #expect(!tunnel.upstream.socket.isClosed)
        try tunnel.send(Self.data("more"))
        #expect(tunnel.upstream.socket.takeSent() == "more")
        #expect(tunnel.frames() == ["1: room"])
        try tunnel.send(Self.data("", ends: true))
        // The stream has ended on both sides, and no reset follows.
        #expect(tunnel.frames() == [])
        #expect(tunnel.upstream.socket.isClosed)
        try tunnel.send(frame(6, [1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(tunnel.frames() == ["6 ping"])
    }

    @Test func `a lost backend connection is reported as such`() throws {
        let tunnel = try Tunnel()
        _ = tunnel.frames()
        try tunnel.receive("part")
        tunnel.upstream.disconnect()
        #expect(tunnel.frames() == ["1: data 4", "1: reset 8"])
    }

    @Test func `a client's reset closes the backend connection`() throws {
        let tunnel = try Tunnel()
        _ = tunnel.frames()
        try tunnel.send(frame(3, stream: 1, big(8)))
        #expect(tunnel.upstream.socket.isClosed)
        #expect(tunnel.frames() == [])
    }

    @Test func `an idle tunnel is closed`() throws {
        let tunnel = try Tunnel()
        _ = tunnel.frames()
        let stream = try #require(tunnel.stream)
        let timeouts = tunnel.stage.worker.loop.settings.timeouts
        #expect(stream.client.deadline == tunnel.stage.worker.loop.now + timeouts.tunnel)
        stream.client.deadlineReached()
        #expect(tunnel.frames() == ["1: reset 8"])
        #expect(tunnel.upstream.socket.isClosed)
    }

    @Test func `a client's window grows only as the backend reads`() throws {
        let tunnel = try Tunnel()
        _ = tunnel.frames()
        tunnel.upstream.stall()
        for _ in 0..<3 {
            try tunnel.send(frame(0, stream: 1, [UInt8](repeating: 7, count: 16_000)))
        }
        #expect(tunnel.frames() == [])
        tunnel.upstream.resume()
        #expect(tunnel.frames() == ["1: room"])
    }

    @Test func `the backend is not read while the client's window is closed`() throws {
        let tunnel = try Tunnel()
        let before = tunnel.upstream.socket.readCount
        try tunnel.receive(String(repeating: "x", count: 200_000))
        tunnel.upstream.channel.read()
        #expect(tunnel.upstream.socket.readCount == before)
        try tunnel.send(frame(8, stream: 0, big(300_000)) + frame(8, stream: 1, big(300_000)))
        #expect(tunnel.upstream.socket.readCount > before)
    }

    @Test func `data beyond the window ends the stream`() throws {
        let tunnel = try Tunnel()
        _ = tunnel.frames()
        tunnel.upstream.stall()
        for _ in 0..<5 {
            try tunnel.send(frame(0, stream: 1, [UInt8](repeating: 7, count: 16_000)))
        }
        #expect(tunnel.frames() == ["1: reset 3"])
        #expect(tunnel.upstream.socket.isClosed)
    }
}

extension ByteBuffer {
    /// The frames in short form, and resets with their codes.
    fileprivate var framesAndCodes: [String] {
        var bytes = self
        var frames: [String] = []
        while let header = bytes.frameHeader {
            bytes.moveReaderIndex(forwardBy: HTTP2FrameHeader.size)
            let payload = bytes.readSlice(length: header.length) ?? ByteBuffer()
            let end = header.flags.contains(.endStream) ? " end" : ""
            switch header.type {
            case .data: frames.append("\(header.stream): data \(header.length)\(end)")
            case .headers: frames.append("\(header.stream): headers\(end)")
            case .resetStream:
                let code = payload.getInteger(at: payload.readerIndex, as: UInt32.self) ?? 0
                frames.append("\(header.stream): reset \(code)")
            case .windowUpdate: frames.append("\(header.stream): room")
            case .settings: frames.append("4 settings")
            case .ping: frames.append("6 ping")
            default: frames.append("other")
            }
        }
        return frames
    }
}
