import NIOCore
import Testing
import WireSamples

@testable import GateProxy

/// Request bodies: their ends, their limits, and the requests after them.
struct ClientConnectionBodyTests {
    private static let chunkedHead = wire(
        "POST / HTTP/1.1",
        "Host: a",
        "X-App-Version: 3",
        "Transfer-Encoding: chunked"
    )

    @Test func `a body beyond the limit is refused by its length`() throws {
        let stage = try Stage { $0.maxBodyBytes = 10 }
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(
            wire("POST / HTTP/1.1", "Host: a", "X-App-Version: 3", "Content-Length: 11")
        )
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 413 "))
        #expect(upstream.socket.sent == "")
        #expect(client.socket.isOutputClosed)
    }

    @Test func `the content of a body beyond the limit is never read as a request`() throws {
        let stage = try Stage { $0.maxBodyBytes = 20 }
        let upstream = try stage.upstream()
        let spare = try stage.upstream()
        let client = try stage.client()
        let smuggled = wire("GET /smuggled HTTP/1.1", "Host: a", "X-App-Version: 3")
        let size = String(smuggled.utf8.count, radix: 16)
        try client.receive(Self.chunkedHead + "\(size)\r\n")
        try client.receive("\(smuggled)\r\n0\r\n\r\n")
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 413 "))
        #expect(!upstream.socket.sent.contains("GET /smuggled"))
        #expect(!spare.socket.sent.contains("GET /smuggled"))
    }

    @Test func `a body beyond the limit gets the same response, wherever it is split`() throws {
        let size = String(Message.outdated.utf8.count, radix: 16)
        let body = "5\r\nhello\r\n\(size)\r\n\(Message.outdated)\r\n0\r\n\r\n"
        let bytes = Array(body.utf8)
        for split in 0...bytes.count {
            let stage = try Stage { $0.maxBodyBytes = 20 }
            _ = try stage.upstream()
            let client = try stage.client()
            try client.receive(Self.chunkedHead + String(decoding: bytes[..<split], as: UTF8.self))
            try client.receive(String(decoding: bytes[split...], as: UTF8.self))
            #expect(client.socket.sent.hasPrefix("HTTP/1.1 413 "), "\(split)")
            #expect(client.socket.sent.split(separator: "HTTP/1.1 ").count == 1, "\(split)")
        }
    }

    @Test func `a malformed body is refused before and after its first part is forwarded`() throws {
        for first in ["x\r\n", "1\r\na\r\nx\r\n"] {
            let stage = try Stage()
            let upstream = try stage.upstream()
            let client = try stage.client()
            try client.receive(Self.chunkedHead)
            try client.receive(first + Message.get)
            #expect(client.socket.sent.hasPrefix("HTTP/1.1 400 "))
            #expect(client.socket.isOutputClosed)
            #expect(upstream.socket.isClosed)
            #expect(!upstream.socket.sent.contains("GET"))
        }
    }

    @Test func `a body that is malformed from the start never reaches the backend`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.chunkedHead + "x\r\n")
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 400 "))
        #expect(upstream.socket.sent == "")
        #expect(stage.idle === upstream.handler)
    }

    @Test func `the response to an outdated request waits for its small body`() throws {
        let stage = try Stage()
        let client = try stage.client()
        let head = wire("POST / HTTP/1.1", "Host: a", "X-App-Version: 1", "Content-Length: 37")
        try client.receive(head + "GET /smug")
        #expect(client.socket.takeSent() == "")
        try client.receive("gled HTTP/1.1\r\nHost: a\r\n\r\n" + "GE")
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
        try client.receive("T / HTTP/1.1\r\nHost: a\r\nX-App-Version: 1\r\n\r\n")
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
        #expect(stage.worker.statistics.counters.requests == 2)
        #expect(stage.worker.statistics.counters.discardedBytes == 37)
    }

    @Test func `a single timeout applies to all of a small body`() throws {
        let stage = try Stage()
        let client = try stage.client()
        let head = wire("POST / HTTP/1.1", "Host: a", "X-App-Version: 1", "Content-Length: 9")
        let limits = stage.worker.loop.settings.discardLimits
        let end = stage.worker.loop.now + limits.awaitedTime
        try client.receive(head)
        #expect(client.handler.deadline == end)
        try client.receive("a")
        #expect(client.handler.deadline == end)
        client.handler.deadlineReached()
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 426 "))
        #expect(client.socket.sent.contains("Connection: close\r\n"))
        #expect(client.socket.isOutputClosed)
        _ = client.socket.takeSent()
        try client.receive("bcdefghi" + Message.outdated)
        #expect(client.socket.sent == "")
    }

    @Test(arguments: [
        ["Content-Length: 70000"], ["Content-Length: 5", "Expect: 100-continue"],
        ["Transfer-Encoding: chunked", "Expect: 100-continue"],
    ])
    func `if an outdated request's body may not end soon, the connection closes`(
        _ lines: [String]
    ) throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.receive(wire(["POST / HTTP/1.1", "Host: a", "X-App-Version: 1"] + lines))
        #expect(client.socket.sent.contains("Connection: close\r\n"))
        #expect(client.socket.isOutputClosed)
        #expect(!client.socket.isClosed)
        _ = client.socket.takeSent()
        try client.receive(Message.outdated)
        #expect(client.socket.sent == "")
    }

    @Test func `an early response is the last, and the rest of the body is discarded`() throws {
        let stage = try Stage()
        let spare = try stage.upstream()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(
            wire("POST / HTTP/1.1", "Host: a", "X-App-Version: 3", "Content-Length: 10") + "hello"
        )
        try upstream.receive(Message.ok)
        #expect(client.socket.sent.contains("Connection: close\r\n"))
        #expect(client.socket.isOutputClosed)
        #expect(upstream.socket.isClosed)
        try client.receive("world" + Message.second)
        #expect(spare.socket.sent == "")
    }

    @Test func `no request is sent after an early response`() throws {
        let stage = try Stage()
        let spare = try stage.upstream()
        let upstream = try stage.upstream()
        let client = try stage.client()
        // The end of the last chunk is held back until its line is complete.
        try client.receive(Self.chunkedHead + "1\r\na\r\n0\r\nA: b")
        try upstream.receive(wire("HTTP/1.1 200 OK", "Content-Length: 3") + "o")
        try client.receive("\r\n\r\n" + Message.second)
        try upstream.receive("ok")
        #expect(client.socket.sent.hasSuffix("ook"))
        #expect(client.socket.isOutputClosed)
        #expect(!(upstream.socket.sent + spare.socket.sent).contains("GET /second "))
    }

    @Test func `a client that waits for 100 and gets another response may not send its body`()
        throws
    {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(
            wire(
                "PUT / HTTP/1.1",
                "Host: a",
                "X-App-Version: 3",
                "Content-Length: 100",
                "Expect: 100-continue"
            )
        )
        #expect(upstream.socket.sent.contains("Expect: 100-continue\r\n"))
        try upstream.receive(wire("HTTP/1.1 401 Unauthorized", "Content-Length: 0"))
        // The gate cannot determine whether the next bytes are the body or a request.
        #expect(client.socket.sent.contains("Connection: close\r\n"))
        #expect(client.socket.isOutputClosed)
    }

    @Test func `a client that gets a 100 stays connected`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(
            wire(
                "PUT / HTTP/1.1",
                "Host: a",
                "X-App-Version: 3",
                "Content-Length: 5",
                "Expect: 100-continue"
            )
        )
        try upstream.receive(wire("HTTP/1.1 100 Continue"))
        #expect(client.socket.takeSent() == wire("HTTP/1.1 100 Continue"))
        try client.receive("hello")
        #expect(upstream.socket.sent.hasSuffix("hello"))
        try upstream.receive(Message.ok)
        #expect(client.socket.takeSent() == Message.ok)
        #expect(!client.socket.isOutputClosed)
    }

    @Test func `an upload waits for a slow backend`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(
            wire("POST / HTTP/1.1", "Host: a", "X-App-Version: 3", "Content-Length: 10") + "a"
        )
        let reads = client.socket.readCount
        upstream.stall()
        client.channel.read()
        #expect(client.socket.readCount == reads)
        upstream.resume()
        #expect(client.socket.readCount == reads + 1)
    }

    @Test func `a download waits for a slow client`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        try upstream.receive(wire("HTTP/1.1 200 OK", "Content-Length: 10") + "a")
        let reads = upstream.socket.readCount
        client.stall()
        upstream.channel.read()
        #expect(upstream.socket.readCount == reads)
        client.resume()
        #expect(upstream.socket.readCount == reads + 1)
    }

    @Test func `nothing more is read while a pipelined request waits`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        client.channel.read()
        let reads = client.socket.readCount
        #expect(reads > 0)
        try client.receive(Message.second)
        client.channel.read()
        #expect(client.socket.readCount == reads)
        try upstream.receive(Message.ok)
        #expect(client.socket.readCount == reads + 1)
    }
}
