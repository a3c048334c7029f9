import NIOCore
import NIOEmbedded
import Testing
import WireSamples

@testable import GateProxy

/// Streams and their connection, which reference each other until the connection has ended.
struct HTTP2ConnectionLifetimeTests {
    private static func request(_ stream: UInt32, version: String) -> [UInt8] {
        let fields = [
            (":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/a"),
            ("x-app-version", version),
        ]
        // Literal fields without indexing (RFC 7541 section 6.2.2).
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            block += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return frame(1, flags: 0x05, stream: stream, block)
    }

    @Test func `requests that arrive together are read in several event-loop ticks`() throws {
        let stage = try Stage()
        let client = try stage.client()
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4)
        try client.channel.writeInbound(ByteBuffer(bytes: preface))
        stage.loop.run()
        let handler = try client.channel.pipeline.syncOperations
            .handler(type: HTTP2Connection.self)
        let perTurn = HTTP2Turn.maxSections
        let count = 2 * perTurn + 1
        let streams = (0..<count).map { UInt32(1 + 2 * $0) }
        let requests = streams.flatMap { Self.request($0, version: "0.1") }
        let reads = client.socket.readCount
        try client.channel.writeInbound(ByteBuffer(bytes: requests))
        #expect(handler.lastStream == streams[perTurn - 1])
        // In the meantime, no more data is read.
        client.channel.read()
        #expect(client.socket.readCount == reads)
        try client.channel.writeInbound(ByteBuffer(bytes: Self.request(999, version: "0.1")))
        // Other tasks of the event loop run first.
        stage.loop.run()
        #expect(handler.lastStream == streams[perTurn - 1])
        stage.loop.advanceTime(by: HTTP2Connection.pause)
        #expect(handler.lastStream == streams[2 * perTurn - 1])
        stage.loop.advanceTime(by: HTTP2Connection.pause)
        #expect(handler.lastStream == 999)
        #expect(client.socket.readCount == reads + 1)
    }

    @Test(arguments: [false, true])
    func `a connection that has ended is freed with its streams`(_ isFailed: Bool) throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        weak var connection: HTTP2Connection?
        weak var stream: HTTP2Stream?
        do {
            let client = try stage.client()
            var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4)
            // One stream waits for its response; the other has its response, and the connection waits for another
            // request.
            bytes += Self.request(1, version: "99.0") + Self.request(3, version: "0.1")
            try client.channel.writeInbound(ByteBuffer(bytes: bytes))
            stage.loop.run()
            #expect(upstream.socket.sent.hasPrefix("GET /a HTTP/1.1\r\n"))
            let handler = try client.channel.pipeline.syncOperations
                .handler(type: HTTP2Connection.self)
            connection = handler
            stream = handler.streams[1]
            #expect(handler.idle.count == 1)
            #expect(stream != nil)
            // An invalid frame makes the gate close the connection.
            if isFailed {
                try client.channel.writeInbound(ByteBuffer(bytes: frame(0, stream: 0, [0])))
            }
            client.disconnect()
            stage.loop.run()
        }
        #expect(connection == nil)
        #expect(stream == nil)
    }
}
