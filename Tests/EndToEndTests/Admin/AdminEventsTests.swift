import GateTestSupport
import Testing

/// The event stream of the admin page, with a real gate.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct AdminEventsTests {
    /// Reads until a line contains all of these texts, and returns that line.
    private static func line(
        with words: String...,
        from client: RawClient
    ) throws -> String {
        var text = ""
        while true {
            let byte = try client.bytes(1)
            guard !byte.isEmpty else { throw HarnessError("the stream ended after:\n\(text)") }
            text += String(decoding: byte, as: UTF8.self)
            let line = text.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
            if words.allSatisfy({ line.contains($0) }) { return String(line) }
        }
    }

    @Test func `the stream reports new rules, records, findings and counts`() async throws {
        try await Scene.play(flags: [.adminListen()]) { scene in
            let client = try RawClient(port: try #require(scene.gate.adminPort))
            try client.send(Request.text("GET", "/api/v1/events", host: "localhost"))
            let head = try client.head()
            #expect(head?.status == 200)
            #expect(head?.fields["Content-Type"] == ["text/event-stream"])
            #expect(head?.fields["Cache-Control"] == ["no-store"])
            _ = try Self.line(with: "\"requests\":0,", from: client)
            try scene.reload(RulesText.shop(minimum: "4.0.0"))
            _ = try Self.line(with: "\"rules\"", from: client)
            _ = try Self.line(with: "\"audit\"", from: client)
            #expect(try scene.ask(Request.text(fields: Request.outdated)).status == 426)
            _ = try Self.line(with: "\"denied\":1,", "\"requests\":1,", from: client)
            try scene.folder.replace("rules.yaml", with: RulesText.broken(line: 2))
            _ = try Self.line(with: "\"findings\"", from: client)
        }
    }

    @Test func `event streams are limited to their share of connections`() async throws {
        try await Scene.play(flags: [.adminListen()]) { scene in
            let port = try #require(scene.gate.adminPort)
            var clients: [RawClient] = []
            for _ in 0..<16 {
                let client = try RawClient(port: port)
                try client.send(Request.text("GET", "/api/v1/events", host: "localhost"))
                #expect(try client.head()?.status == 200)
                clients.append(client)
            }
            let late = try scene.askAdmin("GET", "/api/v1/events")
            #expect(late.status == 503)
            #expect(late.fields["Retry-After"] == ["10"])
            clients.removeFirst().close()
            // A response to a request sent after a stream ended shows that the gate has noticed the end.
            let other = try scene.askAdmin("GET", "/feeds")
            #expect(other.status == 200)
            let next = try RawClient(port: port)
            try next.send(Request.text("GET", "/api/v1/events", host: "localhost"))
            #expect(try next.head()?.status == 200)
            scene.gate.send(signal: 15)
            for client in clients { _ = try client.rest() }
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }
}
