import GatePolicy
import Testing
import WireSamples

@testable import GateProxy

struct ClientEndpointTests {
    private static func ask(_ stage: Stage, _ lines: String...) throws -> String {
        let client = try stage.client()
        try client.receive(wire(lines))
        return client.socket.takeSent()
    }

    private static func field(_ name: String, in answer: String) -> String? {
        answer.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    @Test(arguments: [
        ("GET /.versiongate/status HTTP/1.1", ClientEndpoint.status),
        ("GET /.versiongate/status?path=/a HTTP/1.1", .status),
        ("GET http://a/.versiongate/status HTTP/1.1", .status),
        ("GET /.versiongate/events HTTP/1.1", .events),
        ("GET /.versiongate/events? HTTP/1.1", .events),
        ("GET /.versiongate/testflight/internal HTTP/1.1", .testFlight(.latest(.internal))),
        ("GET /.versiongate/testflight/external?app=a HTTP/1.1", .testFlight(.latest(.external))),
        ("GET /.versiongate/testflight/audience?version=1 HTTP/1.1", .testFlight(.audience)),
        ("GET /.versiongate/testflight HTTP/1.1", .unknown),
        ("GET /.versiongate/testflight/public HTTP/1.1", .unknown),
        ("GET /.versiongate/ HTTP/1.1", .unknown),
        ("GET /.versiongate/status/ HTTP/1.1", .unknown),
        ("GET /.versiongate/Status HTTP/1.1", .unknown),
        ("GET /.versiongate HTTP/1.1", nil),
        ("GET /a/.versiongate/status HTTP/1.1", nil),
        ("GET /?/.versiongate/status HTTP/1.1", nil),
        ("GET /.well-known/a HTTP/1.1", nil),
        ("GET /. HTTP/1.1", nil),
        ("GET / HTTP/1.1", nil),
        ("OPTIONS * HTTP/1.1", nil),
        ("GET http://a HTTP/1.1", nil),
    ])
    func `all paths under one prefix belong to the gate`(
        _ line: String,
        _ endpoint: ClientEndpoint?
    ) throws {
        let sample = try RequestSample(wire(line, "Host: a"))
        #expect(ClientEndpoint(sample.head, in: sample.bytes.span) == endpoint)
    }

    @Test func `a tester gets what is known about builds, and the age of the data`() throws {
        let stage = try Stage()
        let line = "GET /.versiongate/testflight/internal HTTP/1.1"
        // Without builds, the endpoint does not exist.
        #expect(try Self.ask(stage, line, "Host: a").hasPrefix("HTTP/1.1 404 "))

        let version = try AppVersion(parsing: "3.3.0")
        let build = TestFlightBuild(
            version: version,
            build: try AppVersion(parsing: "42"),
            audience: .internal
        )
        let app = TestFlightApp(platform: .ios, feed: "connect", builds: [build])
        stage.worker.use(RuleSet(RuleSetDefinition(revision: "b", testFlight: [app])))
        let unconfirmed = try Self.ask(stage, line, "Host: a")
        #expect(unconfirmed.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(Self.field("Content-Type", in: unconfirmed) == "application/json")
        let known = #"{"audience":"internal","version":"3.3.0","build":"42""#
        #expect(unconfirmed.hasSuffix("\r\n\r\n\(known)}"))

        stage.worker.loop.confirmedAt = ["connect": stage.clock.later(-3_600)]
        let aged = try Self.ask(stage, line, "Host: a")
        #expect(aged.contains("\r\n\r\n\(known),\"confirmedAt\":\""))
        #expect(aged.hasSuffix(",\"ageSeconds\":3600}"))

        let audience = try Self.ask(
            stage,
            "GET /.versiongate/testflight/audience HTTP/1.1",
            "Host: a",
            "X-App-Version: 3.3.0",
            "X-App-Build: 42"
        )
        #expect(audience.contains(#"{"audience":"internal","version":"3.3.0","build":"42","#))
        let post = try Self.ask(
            stage,
            "POST /.versiongate/testflight/internal HTTP/1.1",
            "Host: a"
        )
        #expect(post.hasPrefix("HTTP/1.1 405 "))
        #expect(stage.worker.statistics.counters.requests == 0)
    }

    @Test func `a client gets its status, and a 304 if nothing has changed since`() throws {
        let stage = try Stage(minimum: "2.0")
        let first = try Self.ask(
            stage,
            "GET /.versiongate/status HTTP/1.1",
            "Host: a",
            "X-App-Version: 1"
        )
        #expect(first.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(first.contains("\r\n\r\n{\"decision\":\"require\","))
        #expect(Self.field("Content-Type", in: first) == "application/json")
        #expect(Self.field("Cache-Control", in: first) == "private, no-cache")
        #expect(Self.field("X-VersionGate", in: first) == "require")
        let tag = try #require(Self.field("ETag", in: first))
        for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
            let again = try Self.ask(
                stage,
                "GET /.versiongate/status HTTP/1.1",
                "Host: a",
                "X-App-Version: 1",
                "If-None-Match: \(known)"
            )
            #expect(again.hasPrefix("HTTP/1.1 304 Not Modified\r\n"), "\(known)")
            #expect(again.hasSuffix("\r\n\r\n"))
            #expect(Self.field("Content-Length", in: again) == nil)
        }
        let other = try Self.ask(
            stage,
            "GET /.versiongate/status HTTP/1.1",
            "Host: a",
            "X-App-Version: 2",
            "If-None-Match: \(tag)"
        )
        #expect(other.contains("\r\n\r\n{\"decision\":\"allow\""))
        // None of these requests counts as backend traffic, to which the rules apply.
        #expect(stage.worker.statistics.counters.requests == 0)
        #expect(stage.worker.loop.counters.launchChecks == 6)
    }

    @Test func `the next request on the connection is served as usual`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        let check = wire("GET /.versiongate/status HTTP/1.1", "Host: a")
        try client.receive(check + Message.get + check)
        #expect(upstream.socket.takeSent().hasPrefix("GET /a HTTP/1.1\r\n"))
        try upstream.receive(Message.ok)
        let sent = client.socket.takeSent()
        #expect(sent.components(of: "HTTP/1.1 200 OK\r\n") == 3)
    }

    static let refused: [([String], String)] = [
        (["POST /.versiongate/status HTTP/1.1", "Content-Length: 0"], "405 Method Not Allowed"),
        (["DELETE /.versiongate/events HTTP/1.1"], "405 Method Not Allowed"),
        (["GET /.versiongate/nothing HTTP/1.1"], "404 Not Found"),
        (["POST /.versiongate/ HTTP/1.1", "Content-Length: 0"], "404 Not Found"),
    ]

    @Test(arguments: refused)
    func `an unknown path or method is refused`(_ lines: [String], _ status: String) throws {
        let stage = try Stage()
        let client = try stage.client()
        try client.receive(wire([lines[0], "Host: a"] + lines.dropFirst()))
        let answer = client.socket.takeSent()
        #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"))
        #expect(answer.contains("Content-Type: application/problem+json\r\n"))
        #expect(status.hasPrefix("405") == answer.contains("Allow: GET, HEAD, OPTIONS\r\n"))
    }

    @Test func `HEAD has the fields of GET and no body`() throws {
        let stage = try Stage()
        let answer = try Self.ask(stage, "HEAD /.versiongate/status HTTP/1.1", "Host: a")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
        let length = try #require(Self.field("Content-Length", in: answer).flatMap(Int.init))
        #expect(length > 0)
    }

    @Test func `a web app may send the headers that identify it`() throws {
        let answer = try Self.ask(
            try Stage(),
            "OPTIONS /.versiongate/status HTTP/1.1",
            "Host: a",
            "Origin: https://b",
            "Access-Control-Request-Method: GET",
            "Access-Control-Request-Headers: x-app-version, x-app-platform"
        )
        #expect(answer.hasPrefix("HTTP/1.1 204 No Content\r\n"))
        #expect(Self.field("Access-Control-Allow-Origin", in: answer) == "https://b")
        #expect(Self.field("Access-Control-Allow-Methods", in: answer) == "GET, HEAD")
        #expect(
            Self.field("Access-Control-Allow-Headers", in: answer)
                == "x-app-version, x-app-platform"
        )
    }

    @Test func `the query contains the request in question and the client's identity`() throws {
        var identity = IdentitySources.defaults
        identity.query = [.version: "v"]
        let floor = RuleDefinition(
            id: "payments",
            match: RuleMatch(requests: [
                try RequestPattern(path: "/v2/pay/**", methods: ["POST"])
            ]),
            minimum: try AppVersion(parsing: "2")
        )
        let stage = try Stage()
        stage.worker.use(
            RuleSet(RuleSetDefinition(revision: "r", identity: identity, rules: [floor]))
        )
        for (query, decision) in [
            ("?v=1", "allow"), ("?v=1&path=/v2/pay/a&method=POST", "require"),
            ("?v=1&path=%2Fv2%2Fpay%2Fa&method=POST", "require"),
            ("?v=1&path=/v2/pay/a", "allow"), ("?v=2&path=/v2/pay/a&method=POST", "allow"),
        ] {
            let answer = try Self.ask(
                stage,
                "GET /.versiongate/status\(query) HTTP/1.1",
                "Host: a"
            )
            #expect(answer.contains("{\"decision\":\"\(decision)\""), "\(query)")
        }
    }

    @Test(arguments: ["?path=v2/pay", "?path", "?path=/a&path=/v2/pay/a", "?path=https://a/v2"])
    func `an invalid path is refused, without a guess`(_ query: String) throws {
        let answer = try Self.ask(
            try Stage(),
            "GET /.versiongate/status\(query) HTTP/1.1",
            "Host: a"
        )
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
    }

    @Test func `without client endpoints, the gate forwards the requests for them`() throws {
        let stage = try Stage { $0.servesClients = false }
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(wire("GET /.versiongate/status HTTP/1.1", "Host: a"))
        #expect(upstream.socket.takeSent().hasPrefix("GET /.versiongate/status HTTP/1.1\r\n"))
    }
}

extension String {
    /// Returns the number of occurrences of another text.
    func components(of text: String) -> Int {
        self.split(separator: text, omittingEmptySubsequences: false).count - 1
    }
}
