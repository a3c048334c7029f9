import GatePolicy
import GateWire
import NIOCore
import Testing
import WireSamples

@testable import GateProxy

/// Decisions over HTTP/1.1, as gateways ask for them.
struct DecisionTests {
    private static let described = ["X-Forwarded-Method: GET", "X-Forwarded-Uri: /orders?a=b"]

    /// Returns the response to a question, split into lines; the content is the last one.
    private static func ask(
        _ path: String,
        method: String = "GET",
        _ fields: [String],
        body: String = "",
        answer: AnswerStyle = .standard
    ) throws -> (lines: [String], isClosed: Bool) {
        let client = try Stage(answer: answer).gateway()
        let head = wire(["\(method) \(path) HTTP/1.1", "Host: gate"] + fields)
        try client.receive(head + body)
        return (Self.lines(client.socket.takeSent()), client.socket.isOutputClosed)
    }

    private static func lines(_ response: String) -> [String] {
        response.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test(
        arguments: [
            ("/decide", described), ("/decide?q=1", described), ("/decide/traefik", described),
            ("/decide/caddy", described), ("/decide/haproxy", described),
            ("/decide/nginx", ["X-Original-Method: GET", "X-Original-URI: /orders?a=b"]),
            (
                "/decide/ingress-nginx",
                ["X-Original-Method: GET", "X-Original-URL: https://api.example/orders?a=b"]
            ), ("/decide/envoy/orders?a=b", []), ("/decide/envoy", []),
        ]
    )
    func `a current build is allowed with 200`(path: String, fields: [String]) throws {
        let (lines, isClosed) = try Self.ask(path, fields + ["X-App-Version: 3"])
        #expect(lines.first == "HTTP/1.1 200 OK")
        #expect(lines.contains("Content-Length: 0"))
        #expect(lines.contains("X-VersionGate-Decision: allow"))
        #expect(!isClosed)
    }

    @Test(arguments: ["/decide", "/decide/traefik", "/decide/caddy", "/decide/haproxy"])
    func `an old build gets the whole denial`(path: String) throws {
        let (lines, isClosed) = try Self.ask(
            path,
            Self.described + ["X-App-Version: 1", "Origin: https://web.example"]
        )
        #expect(lines.first == "HTTP/1.1 426 Upgrade Required")
        #expect(lines.contains("X-VersionGate: require"))
        #expect(lines.contains("X-VersionGate-Decision: require"))
        #expect(lines.contains("Content-Type: application/problem+json"))
        #expect(lines.contains("Access-Control-Allow-Origin: https://web.example"))
        #expect(lines.last?.hasPrefix("{") == true)
        let names = lines.dropFirst().prefix { !$0.isEmpty }.compactMap {
            $0.split(separator: ":").first
        }
        #expect(Set(names).count == names.count, "a name has more than one line")
        #expect(!names.contains("Upgrade"))
        #expect(!isClosed)
    }

    @Test func `nginx gets 403, and the content in a field of ASCII`() throws {
        let style = AnswerStyle(status: 410)
        let (lines, _) = try Self.ask(
            "/decide/nginx",
            [
                "X-Original-Method: HEAD", "X-Original-URI: /", "X-App-Version: 1",
                "Accept-Language: ja", "Accept: text/html,application/xhtml+xml",
            ],
            answer: style
        )
        #expect(lines.first == "HTTP/1.1 403 Forbidden")
        #expect(lines.contains("X-VersionGate-Status: 410"))
        #expect(lines.contains("Content-Length: 0"))
        #expect(lines.contains("Content-Type: application/problem+json"))
        let body = try #require(lines.first { $0.hasPrefix("X-VersionGate-Body: {") })
        #expect(body.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(body.contains("\\u"))
        #expect(lines.suffix(2) == ["", ""])
    }

    @Test func `a denial is never a success, whatever the status of the rules or the protocol`()
        throws
    {
        let call = ["X-App-Version: 1", "Content-Type: application/grpc"]
        let (grpc, _) = try Self.ask("/decide", Self.described + call)
        #expect(grpc.first == "HTTP/1.1 426 Upgrade Required")
        #expect(grpc.contains("grpc-status: 9"))
        let style = AnswerStyle(status: 200)
        let (own, _) = try Self.ask("/decide", Self.described + ["X-App-Version: 1"], answer: style)
        #expect(own.first == "HTTP/1.1 426 Upgrade Required")
        let (stream, _) = try Self.ask(
            "/decide",
            Self.described + ["X-App-Version: 1", "Content-Type: application/connect+json"]
        )
        #expect(stream.contains("Content-Type: application/json"))
    }

    @Test func `a status that Envoy would take for a failure becomes another one`() throws {
        var rule = RuleDefinition(id: "r", minimum: try AppVersion(parsing: "2"))
        rule.answer = AnswerStyle(status: 503)
        let ruleSet = RuleSet(RuleSetDefinition(revision: "1", rules: [rule]))
        for (path, status) in [("/decide/envoy/", 429), ("/decide", 503), ("/decide/nginx", 403)] {
            let client = try Stage(ruleSet: ruleSet).gateway()
            let described = Self.described + ["X-Original-Method: GET", "X-Original-URI: /"]
            try client.receive(
                wire(["GET \(path) HTTP/1.1", "Host: gate", "X-App-Version: 1"] + described)
            )
            let lines = Self.lines(client.socket.takeSent())
            #expect(lines.first?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(path): \(lines)")
            #expect(lines.contains("X-VersionGate-Status: 503") == (status != 503), "\(path)")
        }
    }

    @Test func `the content follows the question's own method`() throws {
        // Envoy asks with the method of its client; all others ask with GET.
        let (envoy, _) = try Self.ask("/decide/envoy/a", method: "HEAD", ["X-App-Version: 1"])
        #expect(envoy.suffix(2) == ["", ""])
        #expect(!envoy.contains("Content-Length: 0"))
        let (caddy, _) = try Self.ask(
            "/decide/caddy",
            ["X-Forwarded-Method: HEAD", "X-Forwarded-Uri: /", "X-App-Version: 1"]
        )
        #expect(caddy.last?.hasPrefix("{") == true)
    }

    @Test(
        arguments: [
            ["Content-Length: 100"], ["Transfer-Encoding: chunked"],
            ["Content-Length: 100", "Expect: 100-continue"],
        ]
    )
    func `an announced body is not waited for`(announcement: [String]) throws {
        for version in ["1", "3"] {
            let (lines, isClosed) = try Self.ask(
                "/decide/nginx",
                ["X-Original-Method: POST", "X-Original-URI: /", "X-App-Version: \(version)"]
                    + announcement
            )
            #expect(
                lines.first?.hasPrefix(version == "1" ? "HTTP/1.1 403" : "HTTP/1.1 200") == true
            )
            #expect(lines.contains("Connection: close"))
            #expect(isClosed)
        }
    }

    @Test func `fields of the message itself change nothing`() throws {
        let (lines, isClosed) = try Self.ask(
            "/decide/caddy",
            Self.described + [
                "X-App-Version: 3", "Expect: 100-continue", "TE: trailers", "Content-Length: 0",
                "Connection: Upgrade", "Upgrade: websocket", "Max-Forwards: x",
            ]
        )
        #expect(lines.first == "HTTP/1.1 200 OK")
        #expect(!isClosed)
    }

    @Test(
        arguments: [
            ("/decide", ["X-Forwarded-Method: GET"], "did not send x-forwarded-uri"),
            ("/decide", ["X-Forwarded-Uri: /"], "did not send x-forwarded-method"),
            (
                "/decide", described + ["X-Forwarded-Uri: /"],
                "x-forwarded-uri occurs more than once"
            ),
            ("/decide", ["X-Forwarded-Method: G T", "X-Forwarded-Uri: /"], "x-forwarded-method"),
            ("/decide", ["X-Forwarded-Method: GET", "X-Forwarded-Uri: a b"], "x-forwarded-uri"),
            ("/decide/nginx", described, "did not send x-original-method"),
            (
                "/decide/nginx", ["X-Original-Method: GET", "X-Original-URL: http://a/"],
                "did not send x-original-uri"
            ),
        ]
    )
    func `a question without a whole description gets 400 and the reason`(
        path: String,
        fields: [String],
        reason: String
    ) throws {
        let (lines, isClosed) = try Self.ask(path, fields + ["X-App-Version: 3"])
        #expect(lines.first == "HTTP/1.1 400 Bad Request")
        #expect(lines.last?.contains(reason) == true)
        #expect(isClosed)
    }

    @Test(
        arguments: [
            ("GET /decide HTTP/1.1\nHost: a\n\n", "400"),
            ("GET  /decide HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
            ("GET /decide HTTP/1.1\r\n\r\n", "400"),
            ("GET /decide HTTP/2.0\r\nHost: a\r\n\r\n", "505"),
            ("GET /decide HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
            ("GET /decide HTTP/1.1\r\nHost: a\r\n X: b\r\n\r\n", "400"),
            ("GET /decide HTTP/1.1\r\nHost: a\r\nX\0: b\r\n\r\n", "400"),
            ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", "501"),
            ("GET /decide" + String(repeating: "x", count: 9000), "414"),
            ("GET /decide HTTP/1.1\r\nX: " + String(repeating: "x", count: 50_000), "431"),
            ("POST /envoy.service.auth.v3.Authorization/Check HTTP/1.1\r\nHost: a\r\n\r\n", "404"),
        ]
    )
    func `malformed questions are answered, and end the connection`(
        question: String,
        status: String
    ) throws {
        let client = try Stage().gateway()
        try client.receive(question)
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 \(status) "))
        #expect(client.socket.isOutputClosed == (status != "404"))
    }

    @Test func `a User-Agent that the gateway made up is none`() throws {
        let rule = RuleDefinition(id: "r", minimum: try AppVersion(parsing: "2"))
        let identity = IdentitySources(
            headers: [.version: ["x-app-version"]],
            userAgents: [try UserAgentPattern(parsing: "^Go-http-client/(?<version>[0-9.]+)")]
        )
        let ruleSet = RuleSet(
            RuleSetDefinition(revision: "1", identity: identity, rules: [rule])
        )
        let agent = ["User-Agent: Go-http-client/1.1"]
        for (path, status) in [
            ("/decide", "200"), ("/decide/traefik", "200"), ("/decide/caddy", "426"),
        ] {
            let client = try Stage(ruleSet: ruleSet).gateway()
            try client.receive(
                wire(["GET \(path) HTTP/1.1", "Host: gate"] + Self.described + agent)
            )
            #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 \(status)"), "\(path)")
        }
    }

    @Test func `a denied request that the gateway forwards gets the denial`() throws {
        let call = ["X-App-Version: 1", "Content-Type: application/grpc"]
        let (denied, _) = try Self.ask("/decide/denial", Self.described + call)
        #expect(denied.first == "HTTP/1.1 200 OK")
        #expect(denied.contains("grpc-status: 9"))
        let stage = try Stage()
        let client = try stage.gateway()
        let lines = ["GET /decide/denial HTTP/1.1", "Host: a", "X-App-Version: 1"]
        try client.receive(wire(lines + Self.described))
        // It was counted when the gateway asked.
        #expect(stage.worker.statistics.counters.required == 0)
        let (allowed, _) = try Self.ask("/decide/denial", Self.described + ["X-App-Version: 3"])
        #expect(allowed.first == "HTTP/1.1 503 Service Unavailable")
        #expect(allowed.contains("Retry-After: 0"))
    }

    @Test
    func `only the endpoints for clients are exempt, and no other path that begins like them`()
        throws
    {
        for (path, status) in [
            ("/.versiongate/status", 200), ("/.versiongate/events?x", 200),
            ("/.versiongate/../orders", 426),
            ("/.versiongate/%2e%2e/orders", 426), ("/.versiongate/status/../../orders", 426),
            ("/.versiongate/", 426),
        ] {
            let fields = [
                "X-Forwarded-Method: GET", "X-Forwarded-Uri: \(path)", "X-App-Version: 1",
            ]
            let (lines, _) = try Self.ask("/decide", fields)
            #expect(lines.first?.hasPrefix("HTTP/1.1 \(status) ") == true, "\(path)")
        }
    }

    @Test func `a denial that is too large for a field is replaced by a short one`() throws {
        let long = String(repeating: "é", count: 9_000)
        let template = try NoticeTemplate(parsing: long)
        let body = BodyTemplate.json(.object([.init(name: "text", value: .text(template))]))
        let (lines, _) = try Self.ask(
            "/decide/nginx",
            ["X-Original-Method: GET", "X-Original-URI: /", "X-App-Version: 1"],
            answer: AnswerStyle(body: body)
        )
        #expect(lines.first == "HTTP/1.1 403 Forbidden")
        #expect(
            lines.contains {
                $0.hasPrefix("X-VersionGate-Body: {\"type\":\"urn:versiongate:upgrade-required\"")
            }
        )
        #expect(lines.allSatisfy { $0.utf8.count < 1_000 })
    }

    @Test func `a gateway may add fields of its own to a head at the limit`() throws {
        let fields = (0..<97).map { "X-Field-\($0): a" } + ["X-App-Version: 1"]
        let (lines, _) = try Self.ask("/decide", fields + Self.described)
        #expect(lines.first == "HTTP/1.1 426 Upgrade Required")
    }

    @Test func `a preflight has no body`() throws {
        let preflight = [
            "X-Forwarded-Method: OPTIONS", "X-Forwarded-Uri: /", "Origin: https://web.example",
            "Access-Control-Request-Method: POST", "X-App-Version: 1",
        ]
        #expect(try Self.ask("/decide", preflight).lines.first == "HTTP/1.1 200 OK")
        let (lines, _) = try Self.ask("/decide", preflight + ["Content-Length: 1"])
        #expect(lines.first == "HTTP/1.1 426 Upgrade Required")
    }

    @Test func `health checks, endpoints for clients, and other paths`() throws {
        #expect(try Self.ask("/decide/ready", []).lines.first == "HTTP/1.1 200 OK")
        let (status, _) = try Self.ask("/.versiongate/status", ["X-App-Version: 1"])
        #expect(status.first == "HTTP/1.1 200 OK")
        for path in ["/", "/decider", "/decide/", "/decide/nginx/", "/decide/unknown", "/api"] {
            let (lines, isClosed) = try Self.ask(path, ["X-App-Version: 3"])
            #expect(lines.first == "HTTP/1.1 404 Not Found", "\(path)")
            #expect(!isClosed)
        }
    }

    @Test func `a connection answers one question after another, and counts them`() throws {
        let stage = try Stage()
        let client = try stage.gateway()
        let old = wire(["GET /decide HTTP/1.1", "Host: gate", "X-App-Version: 1"] + Self.described)
        let new = wire(["GET /decide HTTP/1.1", "Host: gate", "X-App-Version: 3"] + Self.described)
        try client.receive(old + new + old)
        let sent = client.socket.takeSent()
        #expect(sent.occurrences(of: "HTTP/1.1 426") == 2)
        #expect(sent.occurrences(of: "HTTP/1.1 200") == 1)
        let statistics = stage.worker.statistics
        #expect(statistics.counters.decisions[.forwardAuth] == 3)
        #expect(statistics.counters.required == 2)
        #expect(statistics.counters.allowed == 1)
    }

    @Test func `the access log has the client's request`() throws {
        let log = AccessLogLines()
        let stage = try Stage(accessLog: log) { $0.accessLog = .common }
        let client = try stage.gateway()
        try client.receive(
            wire(
                "GET /decide HTTP/1.1",
                "Host: gate",
                "X-Forwarded-Method: PUT",
                "X-Forwarded-Uri: /orders",
                "X-Forwarded-For: 198.51.100.4",
                "X-App-Version: 1"
            )
        )
        stage.worker.loop.accessLog?.end()
        #expect(log.text.hasPrefix("198.51.100.4 "), "\(log.text)")
        #expect(log.text.contains("\"PUT /orders "), "\(log.text)")
        #expect(log.text.contains(" 426 "), "\(log.text)")
    }
}

extension String {
    /// The number of times that a text occurs.
    fileprivate func occurrences(of text: String) -> Int {
        var (count, rest) = (0, Substring(self))
        while let range = rest.firstRange(of: text) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
