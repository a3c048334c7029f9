import GateTestSupport
import Testing

/// The client address comes from the PROXY protocol header of a trusted proxy, and only from there.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ProxyProtocolTests {
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    private static let ipv4: [UInt8] = [
        0x21, 0x11, 0, 12, 203, 0, 113, 9, 127, 0, 0, 1, 1, 1, 0, 80,
    ]
    private static let local: [UInt8] = [0x20, 0, 0, 0]

    struct Introduction: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var client: String
    }

    static let introductions: [Introduction] = [
        Introduction(
            testDescription: "version 1, IPv4",
            bytes: Array("PROXY TCP4 203.0.113.9 127.0.0.1 4711 80\r\n".utf8),
            client: "203.0.113.9"
        ),
        Introduction(
            testDescription: "version 1, IPv6",
            bytes: Array("PROXY TCP6 2001:db8::9 ::1 4711 80\r\n".utf8),
            client: "2001:db8::9"
        ),
        Introduction(
            testDescription: "version 1, unknown",
            bytes: Array("PROXY UNKNOWN\r\n".utf8),
            client: "127.0.0.1"
        ),
        Introduction(
            testDescription: "version 2, IPv4",
            bytes: signature + ipv4,
            client: "203.0.113.9"
        ),
        Introduction(
            testDescription: "version 2, local",
            bytes: signature + local,
            client: "127.0.0.1"
        ),
    ]

    @Test(arguments: Self.introductions)
    func `the backend and the log get the client's address`(
        _ introduction: Introduction
    ) async throws {
        let request = Array(Request.text(fields: Request.current).utf8)
        try await Scene.play(flags: [.proxyProtocol(trusted: "127.0.0.1"), .accessLog]) { scene in
            let whole = try scene.connect()
            try whole.send(introduction.bytes + request + request)
            let split = try scene.connect()
            for byte in introduction.bytes { try split.send([byte]) }
            try split.send(request)
            for client in [whole, whole, split] {
                #expect(try client.response().status == 200)
            }
            for request in scene.backend.record.requests {
                #expect(request.fields["X-Forwarded-For"] == [introduction.client])
            }
            try scene.gate.logLine("a request") {
                $0.message == "request" && $0.metadata["client"] == introduction.client
            }
        }
    }

    @Test
    func `a connection with an untrusted or missing PROXY header is closed`()
        async throws
    {
        let header = "PROXY TCP4 203.0.113.9 127.0.0.1 4711 80\r\n"
        let cases = [
            ("127.0.0.1", Request.text(), "missing"),
            ("127.0.0.1", "PROXY TCP4 bad\r\n\(Request.text())", "malformed"),
            ("10.0.0.0/8", header + Request.text(), "--trusted-proxies"),
            ("10.0.0.0/8", "PROXY TCP4 bad\r\n\(Request.text())", "malformed"),
        ]
        for (trusted, text, reason) in cases {
            try await Scene.play(flags: [.proxyProtocol(trusted: trusted)]) { scene in
                let client = try scene.connect()
                try client.send(text)
                #expect(try client.rest().bytes.isEmpty)
                let line = try scene.gate.logLine("a refusal") {
                    $0.message == "connection refused: PROXY protocol error"
                }
                #expect(line.metadata["reason"]?.contains(reason) == true, "\(line.text)")
                #expect(try scene.finalRecord().received.isEmpty)
            }
        }
    }

    @Test
    func `a client that is not a trusted proxy is served under its own address`() async throws {
        try await Scene.play(flags: [.proxyProtocol(trusted: "10.0.0.0/8")]) { scene in
            for first in ["GET", "PUT", "PROPFIND"] {
                let response = try scene.ask(Request.text(first))
                #expect(response.status == 200)
            }
            for request in scene.backend.record.requests {
                #expect(request.fields["X-Forwarded-For"] == ["127.0.0.1"])
            }
        }
    }

    @Test
    func `a PROXY header is not valid HTTP if the protocol is off`() async throws {
        try await Scene.play(flags: [.trustedProxies("127.0.0.1")]) { scene in
            for introduction in Self.introductions {
                let client = try scene.connect()
                try client.send(introduction.bytes + Array(Request.text().utf8))
                #expect(try client.response().status == 400)
            }
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test
    func `a connection whose PROXY header arrives too slowly is closed at the head timeout`()
        async throws
    {
        let flags: [GateFlag] = [.proxyProtocol(trusted: "127.0.0.1"), .headTimeout(seconds: 1)]
        try await Scene.play(flags: flags) { scene in
            let client = try scene.connect()
            let started = ContinuousClock.now
            try client.send("PROXY UNKNOWN ")
            while try !client.receivesData(within: .milliseconds(100)) {
                try client.send("a")
                try #require(started.duration(to: .now) < .seconds(8))
            }
            #expect(try client.rest().bytes.isEmpty)
            // The gate's clock may lag by a tick, and by more on a busy machine.
            #expect(started.duration(to: .now) > .milliseconds(500))
        }
    }

    @Test
    func `the PROXY protocol requires trusted proxies`() throws {
        let result = try ToolProcess.versiongate(
            "serve",
            "--upstream",
            "http://127.0.0.1:1",
            "--rules",
            "rules.yaml",
            "--proxy-protocol",
            "on"
        )
        #expect(result.status == 1)
        #expect(result.errors.contains("--trusted-proxies"))
    }

    @Test(
        .needs("haproxy", "curl"),
        arguments: ["send-proxy", "send-proxy-v2", "send-proxy-v2-ssl-cn"]
    )
    func `HAProxy sends the addresses of its clients`(_ option: String) async throws {
        try await Scene.play(flags: [.proxyProtocol(trusted: "127.0.0.1")]) { scene in
            let port = try FreePort.find()
            let configuration = """
                defaults
                    mode tcp
                    timeout connect 5s
                    timeout client 10s
                    timeout server 10s
                listen gate
                    bind 127.0.0.1:\(port)
                    server gate 127.0.0.1:\(scene.gate.port) \(option)

                """
            try scene.folder.writeInPlace(configuration, to: "haproxy.cfg")
            let file = scene.folder.path(of: "haproxy.cfg")
            let haproxy = try BackgroundTool("haproxy", ["-db", "-f", file])
            defer { haproxy.end() }
            let result = try ToolProcess.run(
                "curl",
                ["-sS", "--interface", "127.0.0.2", "--retry", "50", "--retry-connrefused"]
                    + ["--retry-delay", "0", "http://127.0.0.1:\(port)/"]
            )
            #expect(result.status == 0, "\(result.errors) \(haproxy.text)")
            let request = try #require(scene.backend.record.requests.first)
            #expect(request.fields["X-Forwarded-For"] == ["127.0.0.2"])
        }
    }
}
