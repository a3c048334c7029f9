import GatePolicy
import NIOCore
import NIOEmbedded
import Testing
import WireSamples

@testable import GateProxy

struct EventStreamTests {
    private static func open(
        _ stage: Stage,
        version: String = "1",
        http: String = "HTTP/1.1",
        _ fields: String...
    ) throws -> Wire<ClientConnection> {
        let client = try stage.client()
        try client.receive(
            wire(
                ["GET /.versiongate/events \(http)", "Host: a", "X-App-Version: \(version)"]
                    + fields
            )
        )
        return client
    }

    /// Returns the content of the chunks, and whether the last chunk is present.
    private static func content(_ wire: String) -> (text: String, isComplete: Bool) {
        var rest = wire[...]
        var text = ""
        while let lineEnd = rest.firstRange(of: "\r\n"),
            let count = Int(rest[..<lineEnd.lowerBound], radix: 16)
        {
            rest = rest[lineEnd.upperBound...]
            guard count > 0 else { return (text, true) }
            text += String(decoding: Array(rest.utf8.prefix(count)), as: UTF8.self)
            rest = Substring(decoding: Array(rest.utf8.dropFirst(count + 2)), as: UTF8.self)
        }
        return (text, false)
    }

    private static func opening(_ client: Wire<ClientConnection>) throws -> (String, String) {
        let sent = client.socket.takeSent()
        let end = try #require(sent.firstRange(of: "\r\n\r\n"))
        return (String(sent[..<end.lowerBound]), Self.content(String(sent[end.upperBound...])).text)
    }

    @Test func `a stream starts with the status of the client`() throws {
        let stage = try Stage()
        let (head, content) = try Self.opening(Self.open(stage))
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"))
        #expect(head.contains("Cache-Control: no-store\r\n"))
        #expect(head.contains("Transfer-Encoding: chunked"))
        #expect(!head.contains("Content-Length"))
        let lines = content.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 7)
        #expect(lines[0].hasPrefix("retry: "))
        #expect(lines[2].hasPrefix("id: "))
        #expect(lines[3] == "event: decision")
        #expect(lines[4].hasPrefix("data: {\"decision\":\"require\","))
        #expect(stage.worker.loop.counters.eventStreams == 1)
    }

    @Test func `new rules are only sent to clients whose decision changes`() throws {
        let stage = try Stage(minimum: "2.0")
        let clients = try ["1", "3"].map { try Self.open(stage, version: $0) }
        for client in clients { _ = client.socket.takeSent() }
        stage.worker.use(try Stage.ruleSet(minimum: "2.0"))
        for client in clients { #expect(client.socket.takeSent() == "") }
        // The client is allowed before and after; the higher minimum alone is not an event.
        stage.worker.use(try Stage.ruleSet(minimum: "2.5"))
        #expect(clients[0].socket.takeSent().contains("\"minimumVersion\":\"2.5\""))
        #expect(clients[1].socket.takeSent() == "")
        stage.worker.use(try Stage.ruleSet(minimum: "4.0"))
        let told = clients.map { Self.content($0.socket.takeSent()).text }
        #expect(told[0].contains("\"minimumVersion\":\"4.0\""))
        #expect(told[1].contains("data: {\"decision\":\"require\""))
        stage.worker.use(try Stage.ruleSet(minimum: "3"))
        #expect(Self.content(clients[1].socket.takeSent()).text.contains("\"decision\":\"allow\""))
        #expect(stage.worker.loop.counters.eventsSent == 5)
    }

    @Test func `every one of many streams gets new rules, in batches`() throws {
        let stage = try Stage(minimum: "2.0")
        let clients = try (0..<200).map { _ in try Self.open(stage) }
        for client in clients { _ = client.socket.takeSent() }
        stage.worker.use(try Stage.ruleSet(minimum: "4.0"))
        // Another rule change in the meantime starts the batches again.
        stage.worker.use(try Stage.ruleSet(minimum: "5.0"))
        for client in clients[..<30] { client.disconnect() }
        stage.loop.advanceTime(by: .milliseconds(100))
        for client in clients[30...] {
            #expect(client.socket.takeSent().contains("\"minimumVersion\":\"5.0\""))
        }
    }

    @Test func `a client that reconnects without a change gets no event`() throws {
        let stage = try Stage()
        let (_, first) = try Self.opening(Self.open(stage))
        let line = try #require(first.split(separator: "\n").first { $0.hasPrefix("id: ") })
        let again = try Self.open(stage, "Last-Event-ID: \(line.dropFirst(4))")
        #expect(try !Self.opening(again).1.contains("data:"))
        stage.worker.use(try Stage.ruleSet(minimum: "4.0"))
        #expect(again.socket.takeSent().contains("data:"))
    }

    @Test func `an HTTP 1_0 client gets a stream delimited by the close`() throws {
        let stage = try Stage()
        let client = try Self.open(stage, http: "HTTP/1.0")
        let sent = client.socket.takeSent()
        #expect(sent.contains("Connection: close\r\n"))
        #expect(!sent.contains("chunked"))
        #expect(sent.contains("\r\n\r\nretry: "))
    }

    @Test func `an idle stream has a heartbeat`() throws {
        let stage = try Stage()
        let client = try Self.open(stage)
        _ = client.socket.takeSent()
        let deadline = try #require(client.handler.deadline)
        #expect(deadline <= .now() + EventStream.heartbeatInterval)
        client.handler.deadlineReached()
        #expect(client.socket.takeSent() == "3\r\n:\n\n\r\n")
    }

    @Test func `a decision that changes with time is sent in the exact second`() throws {
        let stage = try Stage()
        let rule = RuleDefinition(
            id: "dated",
            minimum: try AppVersion(parsing: "4"),
            schedule: RuleSchedule(enforceFrom: stage.clock.later(10))
        )
        stage.worker.use(RuleSet(RuleSetDefinition(revision: "r", rules: [rule])))
        stage.worker.start()
        defer { stage.worker.closeAll() }
        let client = try Self.open(stage)
        #expect(try Self.opening(client).1.contains("\"decision\":\"allow\""))
        let steps: [(Int64, String?)] = [
            (9, nil), (1, "require"), (1, nil), (-5, "allow"), (7, "require"),
        ]
        for (seconds, decision) in steps {
            stage.tick(after: seconds)
            let told = client.socket.takeSent()
            if let decision {
                #expect(told.contains("\"decision\":\"\(decision)\""))
            } else {
                #expect(told == "")
            }
        }
    }

    @Test func `a client that does not read is disconnected`() throws {
        let stage = try Stage(minimum: "2.0")
        let client = try Self.open(stage)
        client.stall()
        stage.worker.use(try Stage.ruleSet(minimum: "4.0"))
        #expect(client.socket.isClosed)
    }

    @Test func `data from a client on a stream is discarded`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try Self.open(stage)
        _ = client.socket.takeSent()
        try client.receive(Message.get)
        #expect(client.socket.takeSent() == "")
        #expect(upstream.socket.takeSent() == "")
        client.endInput()
        #expect(client.socket.isClosed)
    }

    @Test func `a drain ends the streams`() throws {
        let stage = try Stage()
        let client = try Self.open(stage)
        _ = client.socket.takeSent()
        let drained = stage.worker.drain()
        stage.loop.run()
        #expect(client.socket.takeSent() == "0\r\n\r\n")
        #expect(client.socket.isClosed)
        try drained.wait()
    }

    @Test func `a stream that has ended sends no more events`() throws {
        let stage = try Stage(minimum: "2.0")
        let client = try Self.open(stage)
        _ = client.socket.takeSent()
        let drained = stage.worker.drain()
        stage.worker.use(try Stage.ruleSet(minimum: "4.0"))
        stage.loop.run()
        #expect(client.socket.takeSent() == "0\r\n\r\n")
        try drained.wait()
    }

    @Test func `the number of streams is limited, and ended streams free capacity`() throws {
        let stage = try Stage { $0.maxEventStreams = 2 }
        let first = try Self.open(stage)
        let second = try Self.open(stage)
        #expect(second.socket.takeSent().hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(try Self.open(stage).socket.takeSent().hasPrefix("HTTP/1.1 503 "))
        first.disconnect()
        #expect(try Self.open(stage).socket.takeSent().hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func `HEAD and a request with a body get no stream`() throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.receive(wire("HEAD /.versiongate/events HTTP/1.1", "Host: a"))
        #expect(client.socket.takeSent().hasSuffix("\r\n\r\n"))
        try client.receive(
            wire("GET /.versiongate/events HTTP/1.1", "Host: a", "Content-Length: 1") + "a"
        )
        #expect(client.socket.takeSent().contains("Content-Length: "))
        #expect(stage.worker.loop.counters.eventStreams == 0)
    }
}

extension Substring {
    fileprivate init(decoding bytes: [UInt8], as encoding: UTF8.Type) {
        self = Substring(String(decoding: bytes, as: encoding))
    }
}
