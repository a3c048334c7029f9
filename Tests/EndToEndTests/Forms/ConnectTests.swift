import Foundation
import GateTestSupport
import Testing

/// Denials as a real Connect client reads them.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ConnectTests {
    static func program(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Programs/\(name)").path
    }

    /// Returns rules with a floor, a maintenance, and a path that requires identified clients.
    static func rules(maintained: String, known: String) -> String {
        RulesText.shop.replacing(
            "  storeUrl: \(RulesText.storeURL)\nexempt:",
            with: """
                  storeUrl: https://example.com/get
                  notice: who
                  paths:
                    - { path: "\(known)", missing: reject }
                exempt:
                """
        )
        .replacing(
            "rules:\n",
            with: """
                rules:
                  - id: migration
                    match: { path: "\(maintained)" }
                    notice: moving
                    maintenance: { from: 2020-02-01T00:00:00Z, until: 2098-12-24T03:00:00Z }
                    accept: [lockout]

                """
        ) + """
              moving: { en: { title: Back soon, message: We are moving house. } }
              who: { en: { title: Update required, message: Please install the latest version. } }

            """
    }

    @Test(.enabled(if: PythonPackage.isConnectInstalled, "connectrpc is not installed"))
    func `connectrpc reads the denial of every kind of call as a Connect error`() async throws {
        try await Scene.play(
            rules: Self.rules(maintained: "/shop.Archive/**", known: "/shop.Account/**"),
            flags: [.accessLog],
            backend: { _ in
                let type = "Content-Type: application/json\r\n"
                return [.readBody, .answer(fields: type, body: #""hello""#)]
            }
        ) { scene in
            let result = try ToolProcess.run(
                "python3",
                [Self.program("connect-client.py"), "\(scene.gate.port)"]
            )
            let lines = result.output.split(separator: "\n")
            // Five kinds of calls, in two encodings, over two versions of HTTP: each denied in three ways, plus the
            // allowed calls.
            #expect(lines.count == 64, "\(result.errors)")
            for line in lines { #expect(line.hasPrefix("ok "), "\(line)") }
            // A client that retried denied calls would double the load during maintenance.
            let passed = 2
            let record = try scene.finalRecord()
            #expect(record.exchanges.count == passed)
            let logged = scene.gate.logText.split(separator: "\n")
                .filter { $0.contains(#""protocol":"#) }
            #expect(logged.count == 60 + passed)
        }
    }

    /// For the Connect fields, a browser sends a preflight, and the backend responds to it.
    @Test
    func `a web app of another origin reads its denial`() async throws {
        try await Scene.play(backend: { request in
            #expect(request.method == "OPTIONS")
            return [.answer("204 No Content", fields: "Access-Control-Allow-Origin: *\r\n")]
        }) { scene in
            let origin = "Origin: https://shop.example\r\n"
            let preflight = try scene.ask(
                Request.text(
                    "OPTIONS",
                    "/shop.Orders/Get",
                    fields: origin + "Access-Control-Request-Method: POST\r\n"
                        + "Access-Control-Request-Headers: connect-protocol-version, x-app-version\r\n"
                )
            )
            #expect(preflight.status == 204)
            for fields in [
                "Connect-Protocol-Version: 1\r\nContent-Type: application/json\r\n",
                "Content-Type: application/connect+json\r\n",
                "Accept: application/graphql-response+json\r\n",
            ] {
                let denial = try scene.ask(
                    Request.text(
                        "POST",
                        "/shop.Orders/Get",
                        fields: Request.outdated + origin + fields,
                        body: "{}"
                    )
                )
                #expect(denial.fields["X-VersionGate"] == ["require"])
                #expect(denial.fields["Access-Control-Allow-Origin"] == ["https://shop.example"])
                #expect(
                    denial.fields.tokens("Access-Control-Expose-Headers")
                        .contains("x-versiongate")
                )
                for name in ["connect-protocol-version", "origin", "accept", "content-type"] {
                    #expect(denial.fields.tokens("Vary").contains(name))
                }
            }
        }
    }

    @Test
    func `a denial of HEAD in every form has no body`() async throws {
        try await Scene.play { scene in
            let client = try scene.connect()
            for (fields, status, type) in [
                ("Connect-Protocol-Version: 1\r\n", 426, "application/json"),
                ("Content-Type: application/connect+proto\r\n", 200, "application/connect+proto"),
                ("Apollo-Require-Preflight: 1\r\n", 426, "application/json"),
            ] {
                try client.send(Request.text("HEAD", "/a", fields: Request.outdated + fields))
                let denial = try client.response(toHead: true)
                #expect(denial.status == status)
                #expect(denial.fields["Content-Type"] == [type])
                #expect(denial.fields["X-VersionGate"] == ["require"])
                #expect(denial.body.isEmpty)
            }
        }
    }
}
