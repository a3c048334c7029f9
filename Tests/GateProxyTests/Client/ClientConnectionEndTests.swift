import NIOCore
import Testing
import WireSamples

@testable import GateProxy

/// The end of connections: half-closed and closed, too early, too late, and intentionally.
struct ClientConnectionEndTests {
    private static let lastGet = wire(
        "GET / HTTP/1.1",
        "Host: a",
        "X-App-Version: 3",
        "Connection: close"
    )

    @Test func `a client that requests a close is disconnected after its response`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.lastGet)
        try upstream.receive(Message.ok)
        #expect(client.socket.sent.contains("Connection: close\r\n"))
        #expect(client.socket.isOutputClosed && !client.socket.isClosed)
        #expect(stage.idle === upstream.handler)
        client.endInput()
        #expect(client.socket.isClosed)
    }

    @Test func `a client that has closed its side gets its whole response, however slowly`() throws
    {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        client.endInput()
        client.socket.block()
        try upstream.receive(Message.ok)
        #expect(!client.socket.isClosed)
        client.socket.unblock()
        #expect(client.socket.sent.hasSuffix("\r\n\r\nok"))
        #expect(client.socket.isClosed)
    }

    @Test func `a client that closes its side during its last response gets all of it`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.lastGet)
        client.socket.block()
        try upstream.receive(Message.ok)
        client.endInput()
        #expect(!client.socket.isClosed)
        client.socket.unblock()
        #expect(client.socket.sent.hasSuffix("\r\n\r\nok"))
        #expect(client.socket.isClosed)
    }

    @Test func `a client has more time to read its last response than to close afterwards`() throws
    {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        let timeouts = stage.worker.loop.settings.timeouts
        try client.receive(Self.lastGet)
        client.socket.block()
        try upstream.receive(Message.ok)
        #expect(try #require(client.handler.deadline) >= stage.worker.loop.now + timeouts.response)
        client.socket.unblock()
        #expect(client.handler.deadline == stage.worker.loop.now + timeouts.linger)
        client.handler.deadlineReached()
        #expect(client.socket.isClosed)
    }

    @Test func `data from a client during its last response does not shorten its time`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        let timeouts = stage.worker.loop.settings.timeouts
        try client.receive(Self.lastGet)
        client.socket.block()
        try upstream.receive(Message.ok)
        try client.receive("more")
        #expect(try #require(client.handler.deadline) >= stage.worker.loop.now + timeouts.response)
        client.socket.unblock()
        try client.receive("more")
        #expect(client.handler.deadline == stage.worker.loop.now + timeouts.linger)
    }

    @Test func `a client that does not read its last response is disconnected`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.lastGet)
        client.socket.block()
        try upstream.receive(Message.ok)
        client.handler.deadlineReached()
        #expect(client.socket.isClosed)
    }

    @Test func `a client that disconnects also ends its backend connection`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        client.disconnect()
        #expect(upstream.socket.isClosed)
        #expect(client.handler.exchange == .closed)
        #expect(stage.idle == nil)
    }

    @Test func `a backend that is gone at the first write causes a bad gateway`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        upstream.socket.diesOnFlush = true
        try client.receive(wire("POST / HTTP/1.1", "Host: a", "X-App-Version: 3"))
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 502 "))
        #expect(client.handler.exchange == .idle)
        #expect(stage.idle == nil)
        try client.receive(Message.outdated)
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
    }

    @Test(arguments: ["", Message.second, Message.outdated])
    func `a client that is gone when a response is forwarded is removed`(_ behind: String) throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get + behind)
        _ = upstream.socket.takeSent()
        client.socket.diesOnFlush = true
        try upstream.receive(Message.ok)
        #expect(client.handler.exchange == .closed)
        #expect(client.handler.upstream == nil)
        #expect(upstream.socket.sent == "")
        #expect(stage.idle === upstream.handler)
    }

    @Test(arguments: [Message.outdated, "garbage\r\n\r\n", Self.lastGet])
    func `a client that is gone when its response is written is removed`(_ request: String) throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        client.socket.diesOnFlush = true
        try client.receive(request)
        if request == Self.lastGet { try upstream.receive(Message.ok) }
        #expect(client.handler.exchange == .closed)
        try client.receive(Message.get)
        #expect(client.socket.sent == "")
        var isDrained = false
        stage.worker.drain().assumeIsolated().whenComplete { _ in isDrained = true }
        #expect(isDrained)
    }

    @Test func `a client that ends within its body is disconnected`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(
            wire("POST / HTTP/1.1", "Host: a", "X-App-Version: 3", "Content-Length: 10") + "a"
        )
        client.endInput()
        #expect(client.socket.isClosed)
        #expect(upstream.socket.isClosed)
    }

    @Test func `a truncated response is truncated for the client`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        try upstream.receive(wire("HTTP/1.1 200 OK", "Content-Length: 10") + "abc")
        upstream.endInput()
        #expect(client.socket.sent.hasSuffix("abc"))
        #expect(client.socket.isClosed && !client.socket.isOutputClosed)
        #expect(upstream.socket.isClosed)
    }

    @Test func `a close-delimited response ends with the backend's close`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        try upstream.receive(wire("HTTP/1.1 200 OK") + "abc")
        try upstream.receive("de")
        #expect(!client.socket.isOutputClosed)
        upstream.endInput()
        #expect(client.socket.sent == wire("HTTP/1.1 200 OK", "Connection: close") + "abcde")
        #expect(client.socket.isOutputClosed && !client.socket.isClosed)
        #expect(stage.idle == nil)
    }

    @Test(arguments: [
        wire("HTTP/1.1 200 OK", "Content-Length: 0", "Connection: close"),
        wire("HTTP/1.0 200 OK", "Content-Length: 0"),
        wire("HTTP/1.1 200 OK", "Content-Length: 0") + "x",
        wire("HTTP/1.1 304 Not Modified") + wire("HTTP/1.1 200 OK", "Content-Length: 0"),
    ])
    func `a backend connection that cannot be reused is closed`(_ response: String) throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        try upstream.receive(response)
        #expect(upstream.socket.isClosed)
        #expect(stage.idle == nil)
        #expect(client.handler.exchange == .idle)
        #expect(!client.socket.sent.contains("close"))
    }

    @Test func `an idle backend connection that sends data is closed`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        try upstream.receive(Message.ok)
        #expect(upstream.socket.isClosed)
        #expect(stage.idle == nil)
    }

    @Test func `an idle backend connection that ends leaves the pool`() throws {
        let stage = try Stage()
        let first = try stage.upstream()
        let second = try stage.upstream()
        second.endInput()
        #expect(stage.idle === first.handler)
        first.disconnect()
        #expect(stage.idle == nil)
    }

    @Test func `a client whose head remains incomplete gets a 408`() throws {
        let stage = try Stage()
        let client = try stage.client()
        let timeouts = stage.worker.loop.settings.timeouts
        #expect(client.handler.deadline == stage.worker.loop.now + timeouts.head)
        try client.receive("GET / HT")
        #expect(client.handler.deadline == stage.worker.loop.now + timeouts.head)
        client.handler.deadlineReached()
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 408 "))
        #expect(client.socket.isOutputClosed)
    }

    @Test func `a client that sends nothing for too long is closed without a response`() throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.receive(Message.outdated)
        _ = client.socket.takeSent()
        let timeouts = stage.worker.loop.settings.timeouts
        #expect(client.handler.deadline == stage.worker.loop.now + timeouts.idle)
        client.handler.deadlineReached()
        #expect(client.socket.sent == "")
        #expect(client.socket.isClosed)
    }

    @Test func `the next head has its own timeout`() throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.receive(Message.outdated + "GET /")
        #expect(
            client.handler.deadline == stage.worker.loop.now
                + stage.worker.loop.settings.timeouts.head
        )
    }

    @Test func `a backend that is silent for too long causes a gateway timeout`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        #expect(
            client.handler.deadline == stage.worker.loop.now
                + stage.worker.loop.settings.timeouts.response
        )
        client.handler.deadlineReached()
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 504 "))
        #expect(upstream.socket.isClosed)
        #expect(client.handler.exchange == .idle)
    }

    private static let upload =
        wire("POST / HTTP/1.1", "Host: a", "X-App-Version: 3", "Content-Length: 9") + "a"

    @Test func `a client that stalls its upload gets a 408`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.upload)
        #expect(
            client.handler.deadline == stage.worker.loop.now
                + stage.worker.loop.settings.timeouts.body
        )
        client.handler.deadlineReached()
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 408 "))
        #expect(upstream.socket.isClosed)
    }

    @Test func `a backend that stops reading an upload has its own timeout and causes a 504`()
        throws
    {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.upload)
        upstream.stall()
        client.handler.deadlineReached()
        #expect(client.socket.sent == "")
        #expect(
            client.handler.deadline == stage.worker.loop.now
                + stage.worker.loop.settings.timeouts.response
        )
        client.handler.deadlineReached()
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 504 "))
        #expect(upstream.socket.isClosed)
    }

    @Test func `a client's timeout restarts once the backend reads more`() throws {
        let uptime = ManualUptime()
        let stage = try Stage(uptime: uptime)
        stage.worker.start()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.upload)
        for _ in 0..<3 {
            upstream.stall()
            uptime.now = uptime.now + stage.worker.loop.settings.timeouts.body
            stage.tick()
            #expect(client.socket.sent == "")
            upstream.resume()
            #expect(
                client.handler.deadline == stage.worker.loop.now
                    + stage.worker.loop.settings.timeouts.body
            )
        }
    }

    @Test func `reading other data gives a backend that has the whole request no more time`() throws
    {
        let uptime = ManualUptime()
        let stage = try Stage(uptime: uptime)
        stage.worker.start()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        let end = client.handler.deadline
        uptime.now = uptime.now + .seconds(1)
        stage.tick()
        upstream.stall()
        upstream.resume()
        #expect(client.handler.deadline == end)
    }

    @Test func `a drain closes idle connections and lets the others finish`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let idle = try stage.client()
        let busy = try stage.client()
        try busy.receive(Message.get)
        var isDrained = false
        stage.worker.drain().assumeIsolated().whenComplete { _ in isDrained = true }
        #expect(idle.socket.isClosed)
        #expect(!isDrained)
        try upstream.receive(Message.ok)
        #expect(busy.socket.sent.contains("Connection: close\r\n"))
        #expect(busy.socket.isOutputClosed && !busy.socket.isClosed)
        #expect(upstream.socket.isClosed)
        busy.endInput()
        #expect(isDrained)
    }

    @Test func `a client that may continue gets a response to its next request in a drain`() throws
    {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        let response = Array(Message.ok.utf8)
        try upstream.receive(String(decoding: response.dropLast(), as: UTF8.self))
        _ = stage.worker.drain(grace: .seconds(1))
        try upstream.receive(String(decoding: response.suffix(1), as: UTF8.self))
        #expect(!client.socket.isClosed && !client.socket.isOutputClosed)
        let another = try stage.upstream()
        try client.receive(Message.get)
        try another.receive(Message.ok)
        #expect(client.socket.sent.hasPrefix(Message.ok))
        #expect(client.socket.sent.contains("Connection: close\r\n"))
        #expect(client.socket.isOutputClosed)
    }

    @Test func `a drain does not truncate a response that a slow client is still reading`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        client.socket.block()
        try upstream.receive(Message.ok)
        _ = stage.worker.drain()
        client.socket.unblock()
        #expect(client.socket.sent == Message.ok)
    }
}
