import GatePolicy
import NIOCore
import NIOEmbedded
import Testing
import WireSamples

@testable import GateProxy

/// Requests and responses on one client connection and one backend connection.
struct ClientConnectionTests {
    @Test func `an allowed request is forwarded, and so is its response`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        let head = upstream.socket.takeSent()
        #expect(head.hasPrefix("GET /a HTTP/1.1\r\nHost: a\r\nX-App-Version: 3\r\n"))
        #expect(head.contains("X-VersionGate-Decision: allow\r\n"))
        #expect(stage.idle == nil)
        try upstream.receive(Message.ok)
        #expect(client.socket.takeSent() == Message.ok)
        #expect(stage.idle === upstream.handler)
        #expect(client.handler.exchange == .idle)
        #expect(stage.worker.statistics.counters.allowed == 1)
    }

    @Test func `the part of a body that is read at once is written at once`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        let head = wire("HTTP/1.1 200 OK", "Content-Length: 6")
        upstream.channel.pipeline.fireChannelRead(ByteBuffer(string: head + "ab"))
        upstream.channel.pipeline.fireChannelRead(ByteBuffer(string: "cd"))
        #expect(client.socket.sent == "")
        upstream.channel.pipeline.fireChannelReadComplete()
        #expect(client.socket.sent.hasSuffix("\r\n\r\nabcd"))
        upstream.channel.pipeline.fireChannelRead(ByteBuffer(string: "ef"))
        #expect(client.socket.sent.hasSuffix("\r\n\r\nabcdef"))
    }

    @Test func `the client gets what arrived before the backend's reset`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        let head = wire("HTTP/1.1 200 OK", "Content-Length: 6")
        upstream.channel.pipeline.fireChannelRead(ByteBuffer(string: head + "ab"))
        upstream.channel.pipeline.fireErrorCaught(ChannelError.ioOnClosedChannel)
        #expect(client.socket.sent.hasSuffix("\r\n\r\nab"))
        #expect(client.socket.isClosed)
    }

    @Test func `an outdated request gets a denial and never reaches the backend`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        for _ in 0..<2 {
            try client.receive(Message.outdated)
            let answer = client.socket.takeSent()
            #expect(answer.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
            #expect(answer.contains("\r\nDate: "))
            #expect(!answer.contains("Connection: close"))
            #expect(!client.socket.isOutputClosed)
        }
        #expect(upstream.socket.sent == "")
        #expect(stage.worker.statistics.counters.required == 2)
    }

    @Test func `a response to HEAD has a length and no body`() throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.receive(Message.outdated.replacing("GET", with: "HEAD"))
        let answer = client.socket.takeSent()
        #expect(answer.contains("Content-Length: "))
        #expect(answer.hasSuffix("\r\n\r\n"))
        try client.receive(Message.outdated)
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
    }

    @Test func `the web app that sent the request can read a denial`() throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.receive(
            wire("GET / HTTP/1.1", "Host: a", "X-App-Version: 1", "Origin: https://b")
        )
        #expect(
            client.socket.takeSent().contains("Access-Control-Allow-Origin: https://b\r\n")
        )
        try client.receive(Message.outdated)
        #expect(!client.socket.takeSent().contains("Access-Control"))
    }

    @Test(arguments: [("HTTP/1.1", true), ("HTTP/1.0", false)])
    func `the protocol to upgrade to is named only to clients that know it`(
        _ version: String,
        _ isNamed: Bool
    ) throws {
        let stage = try Stage(answer: AnswerStyle(sendsUpgrade: true))
        let client = try stage.client()
        try client.receive(wire("GET / \(version)", "Host: a", "X-App-Version: 1"))
        let answer = client.socket.takeSent()
        #expect(answer.hasPrefix("HTTP/1.1 426 "))
        #expect(
            answer.contains("Upgrade: HTTP/1.1\r\nConnection: upgrade\r\n\r\n") == isNamed
        )
    }

    @Test func `requests and responses may be split anywhere`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        let request =
            wire("POST / HTTP/1.1", "Host: a", "X-App-Version: 3", "Content-Length: 5") + "hello"
        let chunked = wire("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "2\r\nok\r\n0\r\n\r\n"
        for response in [Message.ok, chunked] {
            for byte in request.utf8 { try client.receive(String(UnicodeScalar(byte))) }
            let sent = upstream.socket.takeSent()
            #expect(sent.hasPrefix("POST / HTTP/1.1\r\n"))
            #expect(sent.hasSuffix("\r\n\r\nhello"))
            for byte in response.utf8 { try upstream.receive(String(UnicodeScalar(byte))) }
            #expect(client.socket.takeSent() == response)
            #expect(stage.idle === upstream.handler)
        }
    }

    @Test func `pipelined requests are forwarded one after the other`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get + Message.outdated + Message.second)
        #expect(upstream.socket.takeSent().hasPrefix("GET /a "))
        #expect(client.socket.takeSent() == "")
        try upstream.receive(Message.ok)
        let answers = client.socket.takeSent()
        #expect(answers.hasPrefix(Message.ok + "HTTP/1.1 426 "))
        #expect(upstream.socket.takeSent().hasPrefix("GET /second "))
        try upstream.receive(Message.ok)
        #expect(client.socket.takeSent() == Message.ok)
    }

    @Test func `a pipelined request that waited for a slow reader is sent`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        _ = upstream.socket.takeSent()
        client.stall()
        try client.receive(Message.second)
        try upstream.receive(Message.ok)
        #expect(upstream.socket.sent == "")
        client.resume()
        #expect(upstream.socket.sent.hasPrefix("GET /second "))
    }

    @Test func `a pipelined request after a failed one is sent`() throws {
        let stage = try Stage()
        let spare = try stage.upstream()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(
            wire("POST / HTTP/1.1", "Host: a", "X-App-Version: 3") + Message.second
        )
        #expect(upstream.socket.takeSent().hasPrefix("POST / "))
        upstream.disconnect()
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 502 "))
        #expect(spare.socket.sent.hasPrefix("GET /second "))
        try spare.receive(Message.ok)
        #expect(client.socket.takeSent() == Message.ok)
    }

    @Test func `interim responses are forwarded, but not to HTTP 1_0 clients`() throws {
        let interim = wire("HTTP/1.1 103 Early Hints", "Link: a")
        for (version, expected) in [("1.1", interim), ("1.0", "")] {
            let stage = try Stage()
            let upstream = try stage.upstream()
            let client = try stage.client()
            try client.receive(Message.get.replacing("HTTP/1.1", with: "HTTP/\(version)"))
            try upstream.receive(interim)
            #expect(client.socket.takeSent() == expected)
            try upstream.receive(Message.ok)
            #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func `an HTTP 1_0 client gets a chunked body unchunked, ended by the close`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(
            wire("GET / HTTP/1.0", "Host: a", "X-App-Version: 3", "Connection: keep-alive")
        )
        try upstream.receive(
            wire("HTTP/1.1 200 OK", "Transfer-Encoding: chunked") + "3\r\nabc\r\n"
        )
        try upstream.receive("2;x\r\nde\r\n0\r\n\r\n")
        #expect(client.socket.sent == wire("HTTP/1.1 200 OK", "Connection: close") + "abcde")
        #expect(client.socket.isOutputClosed)
        #expect(stage.idle === upstream.handler)
    }

    @Test func `an HTTP 1_0 connection stays open if the client requests it`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(
            wire("GET / HTTP/1.0", "Host: a", "X-App-Version: 3", "Connection: keep-alive")
        )
        try upstream.receive(Message.ok)
        #expect(client.socket.takeSent().contains("Connection: keep-alive\r\n"))
        try client.receive(wire("GET / HTTP/1.0", "Host: a", "X-App-Version: 1"))
        #expect(client.socket.takeSent().contains("Connection: close\r\n"))
        #expect(client.socket.isOutputClosed)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
    func `an invalid request is refused, and nothing after it is read`(_ text: String) throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(text + Message.get)
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(client.socket.sent.contains("Connection: close\r\n"))
        #expect(client.socket.isOutputClosed)
        #expect(!client.socket.isClosed)
        try client.receive(Message.get)
        #expect(upstream.socket.sent == "")
        #expect(stage.worker.loop.counters.malformed == 1)
        client.endInput()
        #expect(client.socket.isClosed)
    }

    @Test(arguments: [
        "HTTP/1.1 20 OK\r\n\r\n", "garbage\r\n\r\n", wire("HTTP/1.1 101 X", "Upgrade: websocket"),
        wire("HTTP/1.1 200 OK", "Content-Length: 1", "Content-Length: 2"),
        wire("HTTP/1.1 200 OK", "A : b"),
    ])
    func `an invalid response is a bad gateway`(_ text: String) throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        try upstream.receive(text)
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        #expect(upstream.socket.isClosed)
        #expect(!client.socket.isOutputClosed)
        #expect(stage.idle == nil)
        #expect(stage.worker.loop.counters.upstreamFailures == 1)
    }

    @Test func `a new rule set applies to a head that is being received`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(String(Message.get.dropLast()))
        stage.worker.use(try Stage.ruleSet(minimum: "9"))
        try client.receive("\r\n")
        #expect(client.socket.sent.hasPrefix("HTTP/1.1 426 "))
        #expect(upstream.socket.sent == "")
    }

    @Test func `a client beyond the limit gets a 503`() throws {
        let stage = try Stage { $0.maxConnections = 1 }
        let first = try stage.client()
        let second = try stage.client()
        #expect(first.socket.sent == "")
        #expect(second.socket.sent.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        #expect(second.socket.isOutputClosed)
        second.disconnect()
        first.disconnect()
        #expect(try stage.client().socket.sent == "")
    }

    @Test func `the buffer does not grow even if a client never lets it become empty`() throws {
        let stage = try Stage()
        let client = try stage.client()
        let padding = String(repeating: "p", count: 4096)
        let head = "GET / HTTP/1.1\r\nHost: a\r\nX-App-Version: 1\r\nP: \(padding)\r\n\r\n"
        let half = head.index(head.startIndex, offsetBy: head.utf8.count / 2)
        try client.receive(String(head[..<half]))
        for _ in 0..<500 {
            try client.receive(String(head[half...]) + head[..<half])
            _ = client.socket.takeSent()
        }
        #expect(stage.worker.statistics.counters.required == 500)
        #expect(client.handler.inbound.capacity < 64 * 1024)
    }
}
