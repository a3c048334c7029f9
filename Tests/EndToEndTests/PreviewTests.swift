import GateTestSupport
import Glibc
import Testing

/// Previews of decisions, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct PreviewTests {
    private static let secret = "a secret that only testers have"
    private static let field = "X-VersionGate-Preview"
    /// A preview that expired in November 2023, signed with the same secret: `openssl dgst -sha256
    /// -hmac`.
    private static let over =
        "\(Self.field): require.1700000000.-kITPHVT7k2jPcqylJK1LVxdCBXgLfkyWueknBY8zi0"
    private static let rules = """
        exempt: [{ path: /healthz }]
        rules:
          - id: shop
            match: { platform: ios }
            minimum: "3.5.0"
            recommended: "4.0.0"
            storeUrl: https://apps.apple.com/app/id1234567890

        """

    private func play(
        secret: String? = Self.secret,
        _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        try folder.writeInPlace("\(Self.secret)\n", to: "secret")
        let path = folder.path(of: "secret")
        let flags: [GateFlag] = secret == nil ? [] : [.previewSecretFile(path: path)]
        let census: [GateFlag] = [
            .stateDir(path: folder.path(of: "state")), .censusInterval(seconds: 0.1),
            .logLevel("debug"), .adminListen(), .threads(1),
        ]
        try await Scene.play(in: folder, flags: flags + census, body)
    }

    /// Returns the field that the command prints.
    private static func signed(_ scene: Scene, _ arguments: String...) throws -> String {
        let result = try ToolProcess.versiongate(
            ["preview", "--secret-file", scene.folder.path(of: "secret")] + arguments
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("\(Self.field): ") && result.output.hasSuffix("\n"))
        return String(result.output.dropLast())
    }

    private static func request(
        _ fields: String,
        _ target: String = "/v2",
        _ method: String = "GET"
    )
        -> String
    {
        let preview = fields.isEmpty ? "" : "\(fields)\r\n"
        return Request.text(method, target, fields: Request.identity(version: "4.1.0") + preview)
    }

    @Test(arguments: [
        ("require", 426, "require"), ("brownout", 426, "require"),
        ("maintenance", 503, "maintenance"), ("recommend", 200, "recommend"),
    ])
    func `a tester gets the previewed decision, and other clients do not`(
        _ decision: String,
        _ status: Int,
        _ marker: String
    ) async throws {
        try await self.play { scene in
            let field = try Self.signed(scene, "--decision", decision, "--for", "10m")
            let client = try scene.connect()
            // The requests alternate, so a response that is cached for both would be detected.
            for _ in 0..<3 {
                try client.send(Self.request(""))
                let usual = try client.response()
                #expect(usual.status == 200)
                #expect(usual.fields["X-VersionGate"].isEmpty && usual.fields[Self.field].isEmpty)
                try client.send(Self.request(field))
                let shown = try client.response()
                #expect(shown.status == status)
                let marks = shown.fields["X-VersionGate"].first ?? ""
                #expect(marks.hasPrefix(marker))
                #expect(shown.fields[Self.field] == [decision])
                let vary = shown.fields["Vary"].joined(separator: ", ")
                #expect(vary.contains("x-versiongate-preview"))
                if status == 200 {
                    #expect(marks.contains("latest=\"4.0.0\""))
                } else {
                    #expect(shown.fields["Cache-Control"] == ["no-store"])
                    // The rule has only a floor, so maintenance has neither its ID nor its store URL.
                    let isOfRule = decision != "maintenance"
                    #expect(shown.text.contains("\"rule\":\"shop\"") == isOfRule)
                    #expect(shown.text.contains("id1234567890") == isOfRule)
                    let ends = decision != "require"
                    #expect(shown.fields["Retry-After"].isEmpty == !ends)
                }
            }
            // The status endpoint and HTTP/2 behave the same way.
            let launch = try scene.ask(Self.request(field, "/.versiongate/status"))
            #expect(launch.status == 200 && launch.fields["X-VersionGate"] == [marker])
            #expect(launch.text.contains("\"decision\":\"\(marker)\""))
            #expect(launch.fields["Vary"].joined().contains("x-versiongate-preview"))
            let other = try scene.ask(Self.request("", "/.versiongate/status"))
            #expect(other.text.contains("\"decision\":\"allow\""))
            let multiplexed = try scene.connectHTTP2()
            let value = String(field.dropFirst(Self.field.count + 2))
            let usual = [
                ("x-app-id", "com.example.shop"), ("x-app-platform", "ios"),
                ("x-app-version", "4.1.0"),
            ]
            for (number, fields) in [usual, usual + [("x-versiongate-preview", value)], usual]
                .enumerated()
            {
                let stream = UInt32(number * 2 + 1)
                try multiplexed.request(stream, "GET", "/v2", fields)
                let expected = number == 1 ? status : 200
                #expect(try multiplexed.response(stream).status == expected)
            }
            // The backend never got the preview field.
            for request in scene.backend.record.requests {
                #expect(request.fields["x-versiongate-preview"].isEmpty)
            }
        }
    }

    @Test func `a preview keeps exemptions and preflights, and never allows an outdated client`()
        async throws
    {
        try await self.play { scene in
            let require = try Self.signed(scene)
            #expect(try scene.ask(Self.request(require, "/healthz")).status == 200)
            let preflight = Request.text(
                "OPTIONS",
                "/v2",
                fields:
                    "Origin: https://a.example\r\nAccess-Control-Request-Method: GET\r\n\(require)\r\n"
            )
            #expect(try scene.ask(preflight).status == 200)
            let recommend = try Self.signed(scene, "--decision", "recommend")
            let old = Request.text(fields: Request.identity(version: "3.0") + "\(recommend)\r\n")
            #expect(try scene.ask(old).status == 426)
        }
    }

    @Test func `a forged or expired preview is ignored and counted`() async throws {
        try await self.play { scene in
            let field = try Self.signed(scene, "--for", "10m")
            #expect(try scene.ask(Self.request(Self.over)).status == 200)
            let forged = [
                field.replacing("require.", with: "maintenance."), "\(Self.field): require",
                "\(Self.field): ", field + "x",
            ]
            for text in forged { #expect(try scene.ask(Self.request(text)).status == 200) }
            let multiple = try scene.ask(Self.request("\(Self.field): x\r\n\(field)"))
            #expect(multiple.status == 200)
            #expect(try scene.ask(Self.request(field)).status == 426)
            let page = try scene.metrics()
            #expect(page["versiongate_previews_total{result=\"forged\"}"] == 5)
            #expect(try #require(page["versiongate_previews_total{result=\"expired\"}"]) == 1)
            #expect(try #require(page["versiongate_previews_total{result=\"shown\"}"]) == 1)
            // According to the counters, and thus to the census, the rules denied no request.
            let denied = page.samples(of: "versiongate_requests_total").filter {
                $0.key.contains("require")
            }
            #expect(denied.isEmpty)
            for request in scene.backend.record.requests {
                #expect(request.fields["x-versiongate-preview"].isEmpty)
            }
        }
    }

    @Test func `without a secret there are no previews, and the field is removed`() async throws {
        try await self.play(secret: nil) { scene in
            let field = try Self.signed(scene)
            #expect(try scene.ask(Self.request(field)).status == 200)
            let launch = try scene.ask(Self.request(field, "/.versiongate/status"))
            #expect(launch.text.contains("\"decision\":\"allow\""))
            let page = try scene.metrics()
            #expect(page["versiongate_previews_total{result=\"shown\"}"] == 0)
            #expect(page["versiongate_previews_total{result=\"forged\"}"] == 0)
            let record = try #require(scene.backend.record.requests.last)
            #expect(record.fields["x-versiongate-preview"].isEmpty)
        }
    }

    @Test func `an event stream reports the end of a preview`() async throws {
        try await self.play { scene in
            let field = try Self.signed(scene, "--for", "3s")
            let client = try scene.connect()
            try client.send(Self.request(field, "/.versiongate/events"))
            for decision in ["require", "allow"] {
                var heard = ""
                while !heard.hasSuffix("\"decision\":\"\(decision)\"") {
                    heard += String(decoding: try client.bytes(1), as: UTF8.self)
                }
            }
        }
    }

    @Test func `the preview command names invalid arguments`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace("short", to: "short")
        try folder.writeInPlace("a secret that only testers have", to: "secret")
        let secret = ["--secret-file", folder.path(of: "secret")]
        for (arguments, message) in [
            ([], "--secret-file is required"),
            (["--secret-file", folder.path(of: "nowhere")], "cannot be read"),
            (
                ["--secret-file", folder.path(of: "short")],
                "expected lines of at least 16 characters"
            ),
            (secret + ["--for", "31d"], "from 1s to 30d"),
            (secret + ["--for", "0s"], "from 1s to 30d"),
            (secret + ["--decision", "allow"], "invalid"),
        ] as [([String], String)] {
            let result = try ToolProcess.versiongate(["preview"] + arguments)
            #expect(result.status != 0)
            #expect(result.errors.contains(message), "\(result.errors)")
        }
    }
}
