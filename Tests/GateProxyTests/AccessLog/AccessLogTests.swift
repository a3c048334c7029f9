import GatePolicy
import GateWire
import NIOCore
import Testing
import WireSamples

@testable import GateProxy

/// The log lines of requests on one client connection.
struct AccessLogTests {
    private func stage(_ format: AccessLogFormat) throws -> (Stage, AccessLogLines) {
        let lines = AccessLogLines()
        let stage = try Stage(accessLog: lines) { $0.accessLog = format }
        return (stage, lines)
    }

    /// Returns the log so far, with placeholders for times and other values that differ between runs.
    private func logged(_ stage: Stage, _ lines: AccessLogLines) -> String {
        stage.worker.loop.accessLog?.tick()
        defer { lines.text = "" }
        return lines.text
            .replacing(/\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000/, with: "TIME")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
            .replacing(/duration_ms(=|":)"?\d+\.\d{3}/) { "duration_ms\($0.output.1)" }
    }

    @Test
    func `a line has the actual decision and the status of the preview`()
        throws
    {
        let lines = AccessLogLines()
        let stage = try Stage(accessLog: lines) {
            $0.accessLog = .json
            let until = Timestamp(secondsSinceEpoch: .max)
            $0.previews = { _, _ in .shows(Preview(kind: .maintenance, until: until)) }
        }
        let client = try stage.client()
        try client.receive(
            wire("GET / HTTP/1.1", "Host: a", "X-App-Version: 3.1", "\(Preview.fieldName): x")
        )
        let line = self.logged(stage, lines)
        #expect(line.contains("\"decision\":\"allow\",") && line.contains("\"status\":503,"))
    }

    private static let request = wire(
        "GET /a/b?token=secret HTTP/1.1",
        "Host: a",
        "X-App-Id: com.example.shop",
        "X-App-Platform: iPhone",
        "X-App-Version: 3.1",
        "User-Agent: Shop/3.1 \"x\"",
        "referer: https://example.com/c?code=secret",
        "X-Request-Id: r-1"
    )

    @Test(
        arguments: [
            (
                AccessLogFormat.common,
                """
                203.0.113.5 - - [TIME] "GET /a/b HTTP/1.1" 200 2 app="com.example.shop" \
                platform="ios" version="3.1" build="-" decision="allow" rule="-" observed="-" \
                request_id="r-1" upstream_status="200" duration_ms="

                """
            ),
            (
                .combined,
                """
                203.0.113.5 - - [TIME] "GET /a/b HTTP/1.1" 200 2 "https://example.com/c" \
                "Shop/3.1 \\x22x\\x22" app="com.example.shop" platform="ios" version="3.1" \
                build="-" decision="allow" rule="-" observed="-" request_id="r-1" \
                upstream_status="200" duration_ms="

                """
            ),
            (
                .json,
                """
                {"time":"TIME","level":"info","message":"request","client":"203.0.113.5",\
                "method":"GET","path":"/a/b","protocol":"HTTP/1.1",\
                "referer":"https://example.com/c","user_agent":"Shop/3.1 \\"x\\"",\
                "app":"com.example.shop","platform":"ios","version":"3.1","decision":"allow",\
                "request_id":"r-1","status":200,"bytes":2,"upstream_status":200,"duration_ms":}

                """
            ),
            (
                .otel,
                """
                {"time":"TIME","level":"info","message":"request","client.address":"203.0.113.5",\
                "http.request.method":"GET","url.path":"/a/b","network.protocol.version":"1.1",\
                "http.request.header.referer":["https://example.com/c"],\
                "user_agent.original":"Shop/3.1 \\"x\\"","versiongate.app":"com.example.shop",\
                "versiongate.platform":"ios","versiongate.version":"3.1",\
                "versiongate.decision":"allow","versiongate.request_id":"r-1",\
                "http.response.status_code":200,"http.response.body.size":2,\
                "versiongate.upstream_status":200,"versiongate.duration_ms":}

                """
            ),
        ]
    )
    func `a forwarded request has one line`(_ format: AccessLogFormat, _ line: String) throws {
        let (stage, lines) = try self.stage(format)
        let upstream = try stage.upstream()
        let client = try stage.client()
        for _ in 0..<2 {
            try client.receive(Self.request)
            #expect(self.logged(stage, lines) == "")
            try upstream.receive(Message.ok)
            #expect(self.logged(stage, lines) == line)
        }
    }

    @Test(
        arguments: [
            (.json, #""trace_id":"\#(Self.trace)","span_id":"00f067aa0ba902b7","request_id":"#),
            (
                .otel,
                #""trace_id":"\#(Self.trace)","span_id":"00f067aa0ba902b7","versiongate.request_id":"#
            ),
            (.combined, #"observed="-" trace_id="\#(Self.trace)" request_id="#),
        ] as [(AccessLogFormat, String)]
    )
    func `the trace of a request is logged`(_ format: AccessLogFormat, _ part: String) throws {
        let (stage, lines) = try self.stage(format)
        let client = try stage.client()
        let upstream = try stage.upstream()
        for field in [
            "traceparent: 00-\(Self.trace)-00f067aa0ba902b7-01",
            "b3: \(Self.trace)-00f067aa0ba902b7-1",
            "X-B3-TraceId: \(Self.trace)\r\nX-B3-SpanId: 00f067aa0ba902b7",
        ] {
            try client.receive(wire("GET / HTTP/1.1", "Host: a", field))
            try upstream.receive(Message.ok)
            let line = self.logged(stage, lines)
            #expect(line.contains(part), "\(field)\n\(line)")
        }
        try client.receive(wire("GET / HTTP/1.1", "Host: a", "traceparent: 00-\(Self.trace)"))
        try upstream.receive(Message.ok)
        #expect(!self.logged(stage, lines).contains("trace_id"))
    }

    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    @Test func `clients that share a verdict are logged with their own values`() throws {
        let (stage, lines) = try self.stage(.combined)
        let upstream = try stage.upstream()
        let client = try stage.client()
        func shown(_ fields: String...) throws -> String {
            try client.receive(wire(["GET / HTTP/1.1", "Host: a"] + fields))
            try upstream.receive(Message.ok)
            let line = self.logged(stage, lines)
            let start = try #require(line.firstRange(of: " app=")).lowerBound
            let end = try #require(line.firstRange(of: " decision=")).lowerBound
            return String(line[start..<end])
        }
        let plain = #" app="a" platform="ios" version="4.1" build="7""#
        for _ in 0..<2 {
            let line = try shown(
                "X-App-Id: a",
                "X-App-Platform: ios",
                "X-App-Version: 4.1",
                "X-App-Build: 7"
            )
            #expect(line == plain)
        }
        #expect(
            try shown("X-App-Id: b\"", "X-App-Version: 4.2+x")
                == #" app="b\x22" platform="-" version="4.2" build="-""#
        )
        #expect(try shown("X-App-Id: a", "X-App-Version: ios / 4.1 (7)") == plain)
        #expect(
            try shown("X-App-Platform: iPhone", "X-App-Version: v04.1", "X-App-Build: 007")
                == #" app="-" platform="ios" version="4.1" build="7""#
        )
    }

    @Test func `a denial has its rule and no backend status`() throws {
        let (stage, lines) = try self.stage(.combined)
        let client = try stage.client()
        try client.receive(Message.outdated)
        let body = try #require(client.socket.sent.split(separator: "\r\n\r\n").last).utf8.count
        let line = self.logged(stage, lines)
        #expect(line.contains("\"GET /a HTTP/1.1\" 426 \(body) \"-\" \"-\" app=\"-\""))
        #expect(line.contains(" version=\"1\" build=\"-\" decision=\"require\" rule=\"floor\""))
        #expect(line.contains(" upstream_status=\"-\" duration_ms=\""))
        let (json, objects) = try self.stage(.json)
        try json.client().receive(Message.outdated)
        let object = self.logged(json, objects)
        #expect(object.contains("\"version\":\"1\",\"decision\":\"require\",\"rule\":\"floor\""))
        #expect(object.contains("\"status\":426,\"bytes\":\(body),\"duration_ms\":}"))
    }

    @Test(arguments: AccessLogFormat.allCases)
    func `no client input creates a second line`(_ format: AccessLogFormat) throws {
        let (stage, lines) = try self.stage(format)
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(
            wire(
                "GET /\(String(repeating: "p", count: 5000)) HTTP/1.1",
                "Host: a",
                "X-App-Version: 1\t\"\\",
                "X-App-Id: \(String(repeating: "\"", count: 256))",
                "User-Agent: \(String(repeating: "\t\"", count: 1000))é",
                "Referer: \(String(repeating: "日", count: 1000))",
                "X-Request-Id: \(String(repeating: "\\", count: 128))"
            )
        )
        try upstream.receive(Message.ok)
        let line = self.logged(stage, lines)
        #expect(line.hasSuffix("\n"))
        #expect(line.count { $0 == "\n" } == 1)
        #expect(line.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
        #expect(line.contains("/\(String(repeating: "p", count: 1023))..."))
        #expect(line.utf8.count < 10_000)
    }

    @Test(arguments: AccessLogFormat.allCases, [0x09, 0x22, 0x5C, 0x80, 0xE6] as [UInt8])
    func `the longest line fits into the buffer`(_ format: AccessLogFormat, _ byte: UInt8) throws {
        let value = [0x61] + [UInt8](repeating: byte, count: 600) + [0x61]
        let method = String(repeating: "M", count: 40)
        let path = String(repeating: "\"", count: 1100)
        var wire = Array("\(method) /\(path) HTTP/1.1\r\nHost: a\r\nReferer: ".utf8)
        wire += value + Array("\r\nUser-Agent: ".utf8) + value + Array("\r\n".utf8)
        wire += Array("traceparent: 00-\(Self.trace)-00f067aa0ba902b7-01\r\n".utf8)
        wire += Array("X-Request-Id: \(String(repeating: "\\", count: 128))\r\n\r\n".utf8)
        var parser = RequestHeadParser()
        let table = FieldNameTable.request(identityHeaderNames: [])
        try #require(parser.parse(wire.span, table: table) == .complete)
        let facts = try RequestFacts(parser.head, in: wire.span)
        var text = ""
        let log = AccessLog(format) { text += $0.text(from: 0, to: $0.count) }
        let id = ForwardedRequest.clientRequestID(parser.head, facts: facts, bytes: wire.span)
        var entry = log.begin(
            parser.head,
            in: wire.span,
            of: String(repeating: "f", count: 45),
            isHTTP2: false,
            verdict: log.unjudged,
            id: id.map { .given($0) } ?? .new(RequestID(high: 0, low: 0)),
            at: .uptimeNanoseconds(0)
        )
        entry.forwarded(599)
        entry.bytes = .max
        // The request ends a hundred years later.
        log.end(entry, at: .uptimeNanoseconds(3_155_760_000_123_456_789))
        log.tick()
        #expect(text.hasSuffix(format.isJSON ? "000123.456}\n" : "000123.456\"\n"))
        #expect(text.count { $0 == "\n" } == 1)
        #expect(text.contains("\(method.prefix(32))... ") == !format.isJSON)
    }

    @Test(arguments: AccessLogFormat.allCases)
    func `each identity has its own line, regardless of cached ones`(
        _ format: AccessLogFormat
    ) throws {
        let (stage, lines) = try self.stage(format)
        let client = try stage.client()
        let other = try stage.client()
        let fields = [
            ("app", "X-App-Id", "com.example.shop", "com.example.other"),
            ("platform", "X-App-Platform", "ios", "android"),
            ("version", "X-App-Version", "1.1", "1.2"),
            ("build", "X-App-Build", "11", "12"),
        ]
        // In each identity, the name and value of one field differ.
        let identities = (-1..<fields.count).map { changed in
            fields.enumerated().map { index, field in
                (field.0, field.1, index == changed ? field.3 : field.2)
            }
        }
        for device in ["d1", "d2"] {
            for identity in identities + identities.reversed() {
                for connection in [client, client, other] {
                    let sent = identity.map { "\($0.1): \($0.2)" }
                    let head = ["GET / HTTP/1.1", "Host: a", "X-Device-Id: \(device)"]
                    try connection.receive(wire(head + sent))
                    let line = self.logged(stage, lines)
                    for (name, _, value) in identity {
                        let prefix = format == .otel ? "versiongate." : ""
                        let json = "\"\(prefix)\(name)\":\"\(value)\""
                        let member = format.isJSON ? json : " \(name)=\"\(value)\""
                        #expect(line.contains(member), "\(line)")
                    }
                }
            }
        }
    }

    private static let agents: [(fields: [String], text: String)] = [
        ([], "\"-\" \"-\""),
        (["USER-AGENT: a", "REFERER: b?c"], "\"b\" \"a\""),
        (["Referer: b", "User-Agent: a"], "\"b\" \"a\""),
        (["User-Agent: a", "User-Agent: b"], "\"-\" \"b\""),
        (["Referer: ?c", "User-Agent:"], "\"\" \"\""),
        (["User_Agent: a", "Refere: b", "Connecting: c", "Referee: d"], "\"-\" \"-\""),
    ]

    @Test func `Referer and User-Agent are found by name in each head`() throws {
        let (stage, lines) = try self.stage(.combined)
        let client = try stage.client()
        for (fields, text) in Self.agents + Self.agents.reversed() {
            // The second head has another request line with the same header section, and the third is unchanged.
            for target in ["/", "/a/long/path", "/a/long/path"] {
                let head = ["GET \(target) HTTP/1.1", "Host: a", "X-App-Version: 1"]
                try client.receive(wire(head + fields))
                let line = self.logged(stage, lines)
                #expect(line.contains("\"GET \(target) HTTP/1.1\" 426 "))
                #expect(line.contains(" \(text) app=\"-\""), "\(line)")
            }
        }
    }

    @Test func `a client that disconnects has a line without a status`() throws {
        for (format, status) in [(AccessLogFormat.common, " 000 0 "), (.json, "\"status\":0,")] {
            let (stage, lines) = try self.stage(format)
            _ = try stage.upstream()
            let client = try stage.client()
            try client.receive(Message.get)
            client.disconnect()
            #expect(self.logged(stage, lines).contains(status))
        }
    }

    @Test func `HTTP 1_0, HEAD, preflights and the gate's own endpoints are logged`() throws {
        let (stage, lines) = try self.stage(.common)
        try stage.client().receive(Message.outdated.replacing("HTTP/1.1", with: "HTTP/1.0"))
        try stage.client().receive(Message.outdated.replacing("GET", with: "HEAD"))
        try stage.client().receive(wire("GET /.versiongate/status?a HTTP/1.1", "Host: a"))
        let text = self.logged(stage, lines).split(separator: "\n")
        #expect(text.count == 3)
        #expect(text[0].contains("\"GET /a HTTP/1.0\" 426 "))
        #expect(text[1].contains("\"HEAD /a HTTP/1.1\" 426 0 "))
        #expect(text[2].contains("\"GET /.versiongate/status HTTP/1.1\" 200 "))
        #expect(text[2].contains(" decision=\"-\" "))
    }

    @Test func `a full buffer is flushed before the tick, and every line at the end`() throws {
        let (stage, lines) = try self.stage(.json)
        let client = try stage.client()
        for _ in 0..<100 where lines.text.isEmpty { try client.receive(Message.outdated) }
        #expect(lines.text.utf8.count >= 3584)
        #expect(lines.text.hasSuffix("}\n"))
        stage.worker.loop.accessLog?.end()
        lines.text = ""
        try client.receive(Message.outdated)
        #expect(lines.text.hasSuffix("}\n"))
    }
}
