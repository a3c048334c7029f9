import Foundation
import GateTestSupport
import Glibc
import Testing

/// Dates in the rules, with the real clock.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ScheduleTests {
    @Test
    func `a floor takes effect on time while a connection is open`() async throws {
        try await Scene.play { scene in
            // The rules are written only now, because on a busy machine the gate may take seconds
            // to start.
            let rules = """
                rules:
                  - id: ios
                    match: { platform: ios }
                    minimum: "3.5.0"
                    warnFrom: \(Self.time(-60))
                    enforceFrom: \(Self.time(4))
                    storeUrl: https://example.com

                """
            try scene.reload(rules)
            let client = try scene.connect()
            try client.send(Request.text(fields: Request.outdated))
            let warned = try client.response()
            #expect(warned.status == 200)
            let marker = warned.fields["X-VersionGate"].first ?? ""
            #expect(marker.hasPrefix("recommend;"))
            #expect(marker.contains("; enforce-from=\"20"))
            #expect(warned.fields["Deprecation"].first?.hasPrefix("@") == true)
            #expect(warned.fields["Sunset"].first?.hasSuffix("GMT") == true)
            let deadline = Deadline.usual
            var status = 200
            while status == 200, !deadline.hasPassed {
                try client.send(Request.text(fields: Request.outdated))
                status = try client.response().status
            }
            #expect(status == 426)
        }
    }

    @Test
    func `a brownout starts and ends for requests, streams and the status endpoint`()
        async throws
    {
        let stream =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n"
        let script: ScriptedBackend.Script = { request in
            request.target == "/feed" ? [.send(stream), .stall] : [.echo]
        }
        try await Scene.play(backend: script) { scene in
            // The rules are written only now, because on a busy machine the gate may take seconds
            // to start.
            let rules = """
                rules:
                  - id: ios
                    match: { platform: ios }
                    minimum: "3.5.0"
                    warnFrom: \(Self.time(-60))
                    brownouts: [{ from: \(Self.time(5)), until: \(Self.time(10)) }]
                    enforceFrom: \(Self.time(600))
                    storeUrl: https://example.com

                """
            try scene.reload(rules)
            let feed = try scene.connect()
            try feed.send(Request.text("GET", "/feed", fields: Request.outdated))
            #expect(try feed.head()?.status == 200)
            #expect(try feed.bytes(6) == Array("1\r\na\r\n".utf8))
            let events = try scene.connect()
            let target = "/.versiongate/events"
            try events.send(Request.text("GET", target, fields: Request.outdated))
            #expect(try events.head()?.status == 200)
            let client = try scene.connect()
            let before = try Self.answers(to: client) { $0.status == 200 }
            let hint = before.request.fields["X-VersionGate"].first ?? ""
            #expect(hint.contains("; brownout-from=\"20"))
            #expect(before.status.contains(#""decision":"recommend""#))
            #expect(before.status.contains(#""brownoutFrom":""#))

            let refused = try Self.answers(to: client) { $0.status == 426 }
            let seconds = Int(refused.request.fields["Retry-After"].first ?? "") ?? 0
            #expect((1...5).contains(seconds))
            #expect(refused.request.fields["Sunset"].first?.hasSuffix("GMT") == true)
            #expect(refused.request.fields["Cache-Control"] == ["no-store"])
            let problem = String(decoding: refused.request.body, as: UTF8.self)
            #expect(problem.contains(#""brownoutUntil":""#))
            #expect(refused.status.contains(#""decision":"require""#))
            // A response that started before the brownout is cut off.
            #expect(try feed.rest().bytes == [])

            let after = try Self.answers(to: client) { $0.status == 200 }
            #expect(after.request.fields["Retry-After"] == [])
            #expect(after.request.fields["X-VersionGate"].first?.contains("brownout") == false)
            #expect(after.status.contains(#""decision":"recommend""#))
            #expect(!after.status.contains("brownout"))

            var told: [String] = []
            var text = ""
            while told.count < 3 {
                let bytes = try events.bytes(1)
                try #require(!bytes.isEmpty)
                text += String(decoding: bytes, as: UTF8.self)
                told = text.split(separator: "\n").dropLast().filter { $0.hasPrefix("data: ") }
                    .map { String($0) }
            }
            let hears = told.map {
                ($0.contains(#""decision":"require""#), $0.contains("brownout"))
            }
            #expect(hears.map(\.0) == [false, true, false])
            #expect(hears.map(\.1) == [true, true, false])
        }
    }

    /// Sends requests until a response is as expected, and returns it with the status right after
    /// it.
    private static func answers(
        to client: RawClient,
        until isExpected: (RawResponse) -> Bool
    ) throws -> (request: RawResponse, status: String) {
        let deadline = Deadline.usual
        var answer: RawResponse
        repeat {
            try client.send(Request.text(fields: Request.outdated))
            answer = try client.response()
        } while !isExpected(answer) && !deadline.hasPassed
        try client.send(Request.text("GET", "/.versiongate/status", fields: Request.outdated))
        return (answer, String(decoding: try client.response().body, as: UTF8.self))
    }

    @Test
    func `maintenance is a 503 with a Retry-After`() async throws {
        let rules = """
            rules:
              - id: orders
                match: { path: /orders/** }
                maintenance: { from: \(Self.time(-60)), until: \(Self.time(600)) }

            """
        try await Scene.play(rules: rules) { scene in
            let answer = try scene.ask(Request.text("GET", "/orders/1", fields: Request.current))
            #expect(answer.status == 503)
            #expect(answer.fields["X-VersionGate"].first == "maintenance")
            let seconds = Int(answer.fields["Retry-After"].first ?? "") ?? 0
            #expect((500...600).contains(seconds))
            #expect(try scene.ask(Request.text("GET", "/other")).status == 200)
        }
    }

    @Test
    func `rules with failing tests are rejected, and the log names the reason`() async throws {
        try await Scene.play { scene in
            let before = try scene.ask(Request.text(fields: Request.outdated)).problem()
            let text =
                RulesText.shop(minimum: "9.0.0") + """
                    tests:
                      - name: the current app passes
                        request: { app: com.example.shop, platform: ios, version: "4.0.0" }
                        expect: { decision: allow }

                    """
            try scene.folder.replace("rules.yaml", with: text)
            scene.gate.send(signal: SIGHUP)
            let error = try scene.gate.logLine("the failing test") {
                $0.level == "error" && $0.message.contains("the current app passes")
            }
            #expect(error.message.contains("expected decision allow"))
            #expect(error.message.contains("got require"))
            let after = try scene.ask(Request.text(fields: Request.outdated)).problem()
            #expect(after == before)
        }
    }

    @Test
    func `explain evaluates the rules for another time`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rules = """
            rules:
              - id: ios
                minimum: "2.0"
                enforceFrom: 2030-01-01T00:00:00Z
                storeUrl: https://example.com

            """
        try folder.writeInPlace(rules, to: "rules.yaml")
        for (time, decision) in [
            ("2029-12-31T23:59:59Z", "allow"), ("2030-01-01T01:00:00+01:00", "require"),
        ] {
            let result = try ToolProcess.versiongate(
                "explain",
                "--rules",
                folder.path(of: "rules.yaml"),
                "--at",
                time,
                "--header",
                "X-App-Version: 1.0"
            )
            #expect(result.output.hasPrefix("decision: \(decision)\n"))
        }
    }

    /// Returns the time in this number of seconds, in the format of the rules.
    private static func time(_ seconds: Double) -> String {
        Date(timeIntervalSinceNow: seconds).formatted(.iso8601)
    }
}
