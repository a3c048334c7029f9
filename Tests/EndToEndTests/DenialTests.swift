import GateTestSupport
import Testing

/// The response to an outdated client, which can read it regardless of what it was sending.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct DenialTests {
    struct Language: Sendable, CustomTestStringConvertible {
        var asked: String?
        var title: String
        var language: String

        var testDescription: String { self.asked ?? "no Accept-Language" }
    }

    @Test(
        arguments: [
            Language(asked: nil, title: "Update required", language: "en"),
            Language(asked: "ja", title: "アップデートのお願い", language: "ja"),
            Language(asked: "ja-JP, en;q=0.8", title: "アップデートのお願い", language: "ja"),
            Language(asked: "pt-BR", title: "Atualização necessária", language: "pt-BR"),
            Language(asked: "fr, de;q=0.5", title: "Update required", language: "en"),
            Language(asked: "ja;q=0, en", title: "Update required", language: "en"),
            Language(asked: ";;;=,,", title: "Update required", language: "en"),
        ]
    )
    func `an outdated client gets the notice in its language`(_ language: Language) async throws {
        try await Scene.play { scene in
            let accept = language.asked.map { "Accept-Language: \($0)\r\n" } ?? ""
            let response = try scene.ask(Request.text(fields: Request.outdated + accept))
            let problem = try response.problem()
            #expect(response.status == 426)
            #expect(problem.type == "urn:versiongate:upgrade-required")
            #expect(problem.title == language.title)
            #expect(problem.message?.isEmpty == false)
            #expect(problem.storeUrl == RulesText.storeURL)
            #expect(problem.minimumVersion == "3.5.0")
            #expect(problem.currentVersion == "3.4.9")
            #expect(problem.rule == "ios")
            #expect(problem.revision?.isEmpty == false)
            #expect(response.fields["Content-Language"] == [language.language])
            #expect(response.fields["Cache-Control"] == ["no-store"])
            #expect(response.fields["X-VersionGate"].first?.hasPrefix("require") == true)
            #expect(response.fields.tokens("Vary").contains("accept-language"))
            #expect(response.fields["Upgrade"].isEmpty)
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test
    func `the placeholders of a message are filled in`() async throws {
        try await Scene.play { scene in
            let problem = try scene.ask(Request.text(fields: Request.outdated)).problem()
            let message = "Version 3.4.9 is too old. Please update to 3.5.0."
            #expect(problem.message == message)
        }
    }

    @Test
    func `HEAD is denied with a head only, and the connection stays open`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(Request.text("HEAD", "/a", fields: Request.outdated))
            let denial = try client.response(toHead: true)
            #expect(denial.status == 426)
            #expect(denial.fields["X-VersionGate"].first?.hasPrefix("require") == true)
            try client.send(Request.text("GET", "/after", fields: Request.current))
            #expect(try client.response().json(EchoReport.self).target == "/after")
        }
    }

    @Test(arguments: ["/healthz", "/healthz?deep=1"])
    func `an exempt path is never denied`(_ target: String) async throws {
        try await Scene.play { scene in
            let response = try scene.ask(Request.text("GET", target, fields: Request.outdated))
            #expect(response.status == 200)
        }
    }

    @Test(arguments: [
        "//healthz", "/x/..%2Fhealthz", "/healthz;v=1", "/healthz%2F..", "/../healthz",
    ])
    func `a path that only resembles an exempt one is not exempt`(_ target: String) async throws {
        try await Scene.play { scene in
            let response = try scene.ask(Request.text("GET", target, fields: Request.outdated))
            #expect([400, 426].contains(response.status))
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test(
        .needs("python3", "node"),
        .timeLimit(.minutes(5)),
        arguments: [
            ["python3", "-c", ClientScript.pythonBigPost],
            ["node", "-e", ClientScript.nodeBigPost],
        ]
    )
    func `a client reads its denial 20 of 20 times while it posts 30 MB`(
        _ command: [String]
    ) async throws {
        try await Scene.play { scene in
            let arguments = command.dropFirst() + [scene.url("")]
            let result = try ToolProcess.run(command[0], Array(arguments), within: .seconds(120))
            #expect(result.output == "20\n", "\(result.errors)")
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test(arguments: ["counted", "chunked"])
    func `a small denied body is read, and the connection stays open`(_ framing: String)
        async throws
    {
        let smuggled = Request.text("GET", "/smuggled", fields: Request.current)
        let head = Request.outdated + "Transfer-Encoding: chunked\r\n"
        let size = String(smuggled.utf8.count, radix: 16)
        let request =
            framing == "counted"
            ? Request.text("POST", "/a", fields: Request.outdated, body: smuggled)
            : Request.text("POST", "/a", fields: head) + "\(size)\r\n\(smuggled)\r\n0\r\n\r\n"
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(request)
            let denial = try client.response()
            #expect(denial.status == 426)
            if denial.fields.tokens("Connection").contains("close") {
                #expect(framing == "chunked", "a small counted body should keep the connection")
                #expect(try client.rest().bytes.isEmpty)
            } else {
                try client.send(Request.text("GET", "/next", fields: Request.current))
                let echo: EchoReport = try client.response().json()
                #expect(echo.target == "/next")
            }
            client.close()
            #expect(try !scene.finalRecord().contains("/smuggled"))
        }
    }

    @Test
    func `a request that is hidden in a large denied body is never executed`() async throws {
        let smuggled = Request.text("GET", "/smuggled", fields: Request.current)
        let body = String(repeating: smuggled, count: 40_000)
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/a", fields: Request.outdated, body: body))
            #expect(try client.response().status == 426)
            client.finishSending()
            #expect(try client.rest().bytes.isEmpty)
            client.close()
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test
    func `a client that sends Expect 100-continue is denied at once`() async throws {
        let fields = Request.outdated + "Expect: 100-continue\r\nContent-Length: 1000000\r\n"
        try await Scene.play { scene in
            let client = try scene.connect()
            try client.send(Request.text("POST", "/a", fields: fields))
            #expect(try client.response().status == 426)
            client.close()
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    @Test
    func `a web app of another origin can read its denial`() async throws {
        try await Scene.play { scene in
            let fields = Request.outdated + "Origin: https://shop.example\r\n"
            let response = try scene.ask(Request.text(fields: fields))
            let allowed = response.fields["Access-Control-Allow-Origin"]
            #expect(response.status == 426)
            #expect(allowed == ["https://shop.example"] || allowed == ["*"])
            #expect(
                response.fields.tokens("Access-Control-Expose-Headers").contains("x-versiongate")
            )
            #expect(response.fields.tokens("Vary").contains("origin"))
        }
    }

    @Test
    func `a CORS preflight is never denied`() async throws {
        try await Scene.play { scene in
            let fields = Request.outdated + Self.preflight
            let echo: EchoReport = try scene.ask(Request.text("OPTIONS", "/a", fields: fields))
                .json()
            #expect(echo.method == "OPTIONS")
            #expect(try scene.ask(Request.text("POST", "/a", fields: fields)).status == 426)
        }
    }

    /// A backend that ignores the method would open a WebSocket or read the body.
    @Test(arguments: [
        Request.text(
            "OPTIONS",
            "/a",
            fields: Request.outdated + Self.preflight + "Connection: Upgrade\r\n"
                + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        ),
        Request.text(
            "OPTIONS",
            "/a",
            fields: Request.outdated + Self.preflight + "Upgrade: websocket\r\n"
        ),
        Request.text("OPTIONS", "/a", fields: Request.outdated + Self.preflight, body: "x"),
        Request.text(
            "OPTIONS",
            "/a",
            fields: Request.outdated + Self.preflight + "Transfer-Encoding: chunked\r\n"
        ) + "1\r\nx\r\n0\r\n\r\n",
    ])
    func `a preflight that also upgrades or has a body is denied`(_ request: String) async throws {
        try await Scene.play { scene in
            let response = try scene.ask(request)
            #expect(response.status == 426)
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

    private static let preflight =
        "Origin: https://shop.example\r\nAccess-Control-Request-Method: POST\r\n"

    @Test(
        arguments: [
            "X-App-Version: 9.9.9\r\nX-App-Version: 3.4.9\r\n",
            "X-App-Version: 3.4.9\r\nX-App-Version: 9.9.9\r\n",
            "X-App-Version: 9.9.9, 3.4.9\r\n",
            "X-App-Version: ٩.9.9\r\n",
            "X-App-Version: 9..9\r\n",
        ]
    )
    func `an ambiguous version is denied if the rules reject it`(
        _ lines: String
    ) async throws {
        let rules = RulesText.shop(minimum: "3.5.0", unreadable: "reject")
        let fields = "X-App-Id: com.example.shop\r\nX-App-Platform: ios\r\n" + lines
        try await Scene.play(rules: rules) { scene in
            let problem = try scene.ask(Request.text(fields: fields)).problem()
            #expect(problem.status == 426)
            #expect(try scene.finalRecord().received.isEmpty)
        }
    }

}
