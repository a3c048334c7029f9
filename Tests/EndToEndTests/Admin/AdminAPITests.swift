import Foundation
import GateTestSupport
import Glibc
import Testing

/// The admin API, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct AdminAPITests {
    private static let link = "storeUrl: https://apps.apple.com/app/id1234567890"

    private static func rules(_ minimum: String) -> String {
        """
        rules:
          - id: ios
            match: { platform: ios }
            minimum: "\(minimum)"
            \(self.link)
            next:
              - { minimum: "9.0", enforceFrom: 2999-01-01T00:00:00Z }

        """
    }

    private func play(_ flags: GateFlag..., body: (Scene) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules("2.0"), to: "rules.yaml")
        try folder.writeInPlace("night 0123456789abcdef\nmai fedcba9876543210\n", to: "tokens")
        let usual: [GateFlag] = [
            .stateDir(path: folder.path(of: "state")), .censusInterval(seconds: 0.1),
            .logLevel("debug"), try .censusKey(in: folder),
        ]
        try await Scene.play(in: folder, flags: usual + flags, body)
    }

    private static func ask(
        _ scene: Scene,
        _ target: String,
        _ method: String = "GET",
        fields: String = "",
        body: String? = nil
    ) throws -> RawResponse {
        try scene.askAdmin(method, target, fields: fields, body: body)
    }

    /// Sends requests of versions 1.0 (which is denied), 2.0 and 3.0, and waits until they are counted.
    private static func count(at scene: Scene) throws {
        var visitors: [CensusVisitor] = []
        for (version, devices) in [("1.0", 0..<10), ("2.0", 10..<40), ("3.0", 40..<100)] {
            for device in devices {
                visitors.append(CensusVisitor(version: version, device: "device-\(device)"))
            }
        }
        #expect(try scene.send(visitors) == 10)
        var written = 0
        try scene.gate.logLine("the census to be written") { line in
            guard line.message == "census written" else { return false }
            written += line.metadata["requests"].flatMap { Int($0) } ?? 0
            return written == visitors.count
        }
    }

    private static let route =
        "{ id: old, match: { platform: ios }, route: { to: legacy, versions: '<2.5', otherwise: refuse } }"

    /// Valid and invalid requests for every route.
    private static let questions: [(method: String, target: String, body: String?, status: Int)] = [
        ("GET", "/", nil, 200), ("GET", "/page/page.css", nil, 200),
        ("GET", "/page/charts.css", nil, 200), ("GET", "/page/icon.svg", nil, 200),
        ("GET", "/page/main.js", nil, 200), ("GET", "/page/ask.js", nil, 200),
        ("GET", "/page/elements.js", nil, 200), ("GET", "/page/words.js", nil, 200),
        ("GET", "/page/format.js", nil, 200), ("GET", "/page/scales.js", nil, 200),
        ("GET", "/page/versions.js", nil, 200), ("GET", "/page/chart.js", nil, 200),
        ("GET", "/page/overview.js", nil, 200), ("GET", "/page/traffic.js", nil, 200),
        ("GET", "/page/decisions.js", nil, 200), ("GET", "/page/adoption.js", nil, 200),
        ("GET", "/page/what-if.js", nil, 200), ("GET", "/page/rules.js", nil, 200),
        ("GET", "/page/health.js", nil, 200), ("GET", "/page/changes.js", nil, 200),
        ("GET", "/page/undo.js", nil, 200), ("GET", "/page/tour.js", nil, 200),
        ("GET", "/page/words/en.js", nil, 200), ("GET", "/page/words/ja.js", nil, 200),
        ("GET", "/page/words/ko.js", nil, 200),
        ("GET", "/-/healthy", nil, 200), ("GET", "/-/ready", nil, 200),
        ("GET", "/-/breaker", nil, 200), ("POST", "/-/breaker/reset", nil, 200),
        ("POST", "/-/reload", nil, 200), ("GET", "/metrics", nil, 200), ("GET", "/feeds", nil, 200),
        ("POST", "/hooks/nobody", "{}", 404), ("GET", "/api/v1/openapi.json", nil, 200),
        ("GET", "/api/v1/rules", nil, 200), ("GET", "/api/v1/findings", nil, 200),
        ("GET", "/api/v1/feeds", nil, 200), ("GET", "/api/v1/breaker", nil, 200),
        ("GET", "/api/v1/timeline", nil, 200),
        ("GET", "/api/v1/census?since=1h", nil, 200), ("GET", "/api/v1/census?since=x", nil, 400),
        ("GET", "/api/v1/overview", nil, 200), ("GET", "/api/v1/adoption", nil, 200),
        ("GET", "/api/v1/adoption?since=week", nil, 400),
        ("GET", "/api/v1/traffic?since=1h", nil, 200),
        ("GET", "/api/v1/traffic?since=1y", nil, 400),
        ("GET", "/api/v1/advice/floor?atMost=20%25&days=1", nil, 200),
        ("GET", "/api/v1/advice/floor?atMost=much", nil, 400),
        ("GET", "/api/v1/advice/floor?days=31", nil, 400),
        ("GET", "/api/v1/advice/sunset?below=3.0&since=1d", nil, 200),
        ("GET", "/api/v1/advice/sunset", nil, 400),
        ("GET", "/api/v1/advice/route?rule=old&days=1", nil, 200),
        ("GET", "/api/v1/advice/route?backend=legacy&atMost=50%25", nil, 200),
        ("GET", "/api/v1/advice/route", nil, 400),
        ("GET", "/api/v1/advice/route?rule=ios", nil, 400),
        ("GET", "/api/v1/advice/route?rule=old&backend=legacy", nil, 400),
        ("GET", "/api/v1/advice/sunset?below=x", nil, 400),
        ("GET", "/api/v1/advice/builds", nil, 200),
        ("GET", "/api/v1/advice/builds?since=x", nil, 400),
        ("GET", "/api/v1/denials", nil, 200), ("GET", "/api/v1/audit", nil, 200),
        ("GET", "/api/v1/audit?limit=0", nil, 400), ("GET", "/api/v1/undo", nil, 200),
        ("GET", "/api/v1/undo?to=nothing", nil, 404), ("POST", "/api/v1/undo", "{}", 400),
        ("POST", "/api/v1/undo", "{\"to\":\"nothing\"}", 428), ("POST", "/api/v1/impact", nil, 400),
        ("POST", "/api/v1/impact", "rules: [{ id: x, minimun: 1 }]", 422),
        ("POST", "/api/v1/impact?rule=ios&minimum=2.5", nil, 200),
        ("POST", "/api/v1/impact?rule=nobody&minimum=2.5", nil, 404),
        ("POST", "/api/v1/impact?rule=ios&minimum=two", nil, 400),
        ("POST", "/api/v1/impact?rule=ios&minimum=2", "rules: []", 400),
        ("POST", "/api/v1/impact?at=soon", "rules: []", 400),
        ("POST", "/api/v1/impact?undo=0123456789ab", nil, 404),
        ("POST", "/api/v1/impact?undo=0123456789ab", "rules: []", 400),
        ("POST", "/api/v1/impact?undo=0123456789ab&rule=ios&minimum=2", nil, 400),
        ("POST", "/api/v1/impact?since=1h", "rules: []", 200),
        ("POST", "/api/v1/impact?since=1h", "rules: [\(route)]", 200),
        ("GET", "/api/v1/explain?platform=ios&version=1.0&header=X-A:%20b", nil, 200),
        ("GET", "/api/v1/explain?path=/.versiongate/status", nil, 200),
        ("GET", "/api/v1/explain?path=nowhere", nil, 400),
        ("POST", "/api/v1/explain", "{\"platform\":\"ios\",\"version\":\"5.0\"}", 200),
        ("POST", "/api/v1/explain", "{\"verison\":\"5.0\"}", 400),
    ]

    @Test func `every route conforms to the OpenAPI document, on the admin listener only`()
        async throws
    {
        let answers = try TemporaryFolder()
        defer { answers.remove() }
        let document = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../docs/admin/openapi.json").standardizedFileURL
        let named = GateFlag.upstreamNamed("legacy=http://127.0.0.1:9")
        try await self.play(.adminListen(), named) { scene in
            try Self.count(at: scene)
            let rules = Self.rules("2.1") + "  - \(Self.route)\n"
            try scene.folder.replace("rules.yaml", with: rules)
            for (number, question) in Self.questions.enumerated() {
                let answer = try Self.ask(
                    scene,
                    question.target,
                    question.method,
                    body: question.body
                )
                #expect(answer.status == question.status, "\(question.target) \(answer.text)")
                try answers.keep(answer, to: question.method, question.target, number)
                if question.status >= 400 { _ = try answer.problem() }
                // On the client port, the backend owns all of these paths.
                let passed = try scene.ask(
                    Request.text(
                        question.method,
                        question.target,
                        fields: Request.identity(version: "9.9.9"),
                        body: question.body
                    )
                )
                #expect(passed.status == 200)
                #expect(scene.backend.record.requests.last?.target == question.target)
            }
            let preview = try JSONReport(Self.ask(scene, "/api/v1/undo").text)
            let impact = "/api/v1/impact?undo=\(preview.text("to") ?? "")"
            let predicted = try Self.ask(scene, impact, "POST")
            #expect(try JSONReport(predicted.text).part("passed")?.part("amount") != nil)
            try answers.keep(predicted, to: "POST", "/api/v1/impact", 799)
            let undone = try Self.ask(
                scene,
                "/api/v1/undo",
                "POST",
                fields: "If-Match: \"\(preview.text("revision") ?? "")\"\r\n",
                body: "{\"to\":\"\(preview.text("to") ?? "")\"}"
            )
            #expect(undone.status == 200)
            try answers.keep(undone, to: "POST", "/api/v1/undo", 800)
            for (number, target) in ["/api/v1/rules", "/feeds", "/api/v1/audit"].enumerated() {
                try answers.keep(Self.ask(scene, target), to: "GET", target, 801 + number)
            }
            let served = try Self.ask(scene, "/api/v1/openapi.json").text
            #expect(try served == String(contentsOf: document, encoding: .utf8))
            // Every path in the document was requested, except that of the event stream, which does not end.
            let paths = try #require(JSONReport(served).part("paths")).fields.keys
            let asked = Set(Self.questions.map { String($0.target.prefix { $0 != "?" }) })
            let missing = Set(paths).subtracting(["/hooks/{feed}", "/api/v1/events"]).subtracting(
                asked
            )
            #expect(missing.isEmpty)
        }
        let program = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Programs/validate_admin.py").standardizedFileURL
        let arguments = [program.path, document.path, answers.path(of: "")]
        let result = try ToolProcess.run("python3", arguments)
        #expect(result.output == "", "\(result.errors)")
        #expect(result.status == 0, "python3 needs jsonschema: \(result.errors)")
    }

    @Test func `on a public address, every route and method needs a token`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules("2.0"), to: "rules.yaml")
        try folder.writeInPlace("night 0123456789abcdef", to: "tokens")
        let file = GateFlag.adminTokenFile(path: folder.path(of: "tokens"))
        try await Scene.play(in: folder, flags: [.adminListen("0.0.0.0:0"), file]) { scene in
            let field = "Authorization: Bearer 0123456789abcdef\r\n"
            let served = try Self.ask(scene, "/api/v1/openapi.json", fields: field).text
            let paths = try #require(JSONReport(served).part("paths"))
            #expect(paths.fields.count > 15)
            for path in paths.fields.keys {
                let operations = try #require(paths.part(path))
                let isOpen =
                    ["/-/healthy", "/-/ready"].contains(path) || path.hasPrefix("/hooks/")
                for method in ["get", "head", "post", "put", "delete", "options"] {
                    let answer = try Self.ask(scene, path, method.uppercased(), body: "{}")
                    #expect((answer.status == 401) == !isOpen, "\(method) \(path)")
                    if let operation = operations.part(method) {
                        let security = operation.fields["security"] as? [Any]
                        let isSaidOpen = security?.isEmpty == true
                        #expect(isSaidOpen == isOpen)
                    }
                    if isOpen { #expect(!answer.text.contains("\"revision\"")) }
                }
            }
        }
    }

    @Test func `on loopback, a foreign host name gets no content`() async throws {
        try await self.play(.adminListen()) { scene in
            for path in try #require(
                JSONReport(Self.ask(scene, "/api/v1/openapi.json").text).part("paths")
            ).fields.keys where !["/-/healthy", "/-/ready"].contains(path) {
                guard !path.hasPrefix("/hooks/") else { continue }
                let answer = try scene.askAdmin(Request.text("GET", path, host: "evil.example"))
                #expect(answer.status == 421, "\(path)")
            }
        }
    }

    @Test func `the impact API matches the command, for a rules file and for a floor`() async throws
    {
        try await self.play(.adminListen()) { scene in
            try Self.count(at: scene)
            let new = Self.rules("2.5")
            try scene.folder.writeInPlace(new, to: "new.yaml")
            let told = try JSONReport(Self.ask(scene, "/api/v1/impact", "POST", body: new).text)
            let floor = try JSONReport(
                Self.ask(scene, "/api/v1/impact?rule=ios&minimum=2.5", "POST").text
            )
            let command = try scene.report("impact", "--rules", scene.folder.path(of: "new.yaml"))
            for report in [told, floor, command] {
                let denied = try #require(report.part("denied"))
                #expect(denied.part("amount")?.number("requests") == 30)
                #expect(denied.part("amount")?.number("devices") == 30)
                #expect(denied.list("versions").map { $0.text("version") } == ["2.0"])
                let ios = report.list("audiences").filter { $0.text("platform") == "ios" }
                #expect(ios.map { $0.part("denied")?.number("requests") } == [30])
                #expect(
                    ios.map { $0.part("total")?.number("requests") }
                        == [report.part("total")?.number("requests")]
                )
            }
            #expect(told.text("after") == command.text("after"))
            #expect(told.text("before") == command.text("before"))
        }
    }

    @Test func `the recent denials contain no devices, addresses or paths`() async throws {
        try await self.play(.adminListen()) { scene in
            try Self.count(at: scene)
            let text = try Self.ask(scene, "/api/v1/denials").text
            let report = try JSONReport(text)
            #expect(report.number("requests") == 10)
            let samples = report.list("samples")
            #expect(samples.compactMap { $0.number("requests") }.reduce(0, +) == 10)
            #expect(Set(samples.map { $0.text("version") }) == ["1.0"])
            #expect(Set(samples.map { $0.text("rule") }) == ["ios"])
            #expect(!text.contains("device-") && !text.contains("127.0.0.1"))
        }
    }

    @Test func `the explain API matches the command`() async throws {
        try await self.play(.adminListen()) { scene in
            let report = try JSONReport(
                Self.ask(scene, "/api/v1/explain?platform=ios&version=1.0").text
            )
            #expect(report.text("outcome") == "denied")
            #expect(report.text("rule") == "ios")
            #expect(report.text("answer")?.hasPrefix("HTTP/1.1 426 ") == true)
            let command = try ToolProcess.versiongate(
                "explain",
                "--rules",
                scene.folder.path(of: "rules.yaml"),
                "--header",
                "X-App-Platform: ios",
                "--header",
                "X-App-Version: 1.0"
            )
            let reason = try #require(report.text("reason"))
            #expect(command.output.contains("why:      \(reason)\n"))
            let later = try JSONReport(
                Self.ask(
                    scene,
                    "/api/v1/explain",
                    "POST",
                    body:
                        "{\"platform\":\"ios\",\"version\":\"5.0\",\"at\":\"2999-01-02T00:00:00Z\"}"
                ).text
            )
            #expect(later.text("decision") == "require")
        }
    }

    /// Returns the records of changes, the newest first.
    private static func records(_ scene: Scene, _ fields: String = "") throws -> [JSONReport] {
        try JSONReport(self.ask(scene, "/api/v1/audit", fields: fields).text).list("records")
    }

    @Test func `every change is recorded with its time, source, changes and errors`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules("2.0"), to: "rules.yaml")
        try folder.writeInPlace("night 0123456789abcdef\nmai fedcba9876543210\n", to: "tokens")
        let flags: [GateFlag] = [
            .stateDir(path: folder.path(of: "state")), .adminListen("0.0.0.0:0"),
            .adminTokenFile(path: folder.path(of: "tokens")),
        ]
        let field = "Authorization: Bearer fedcba9876543210\r\n"
        try await Scene.play(in: folder, flags: flags) { scene in
            let first = try Self.records(scene, field)
            #expect(first.map { $0.part("source")?.text("kind") } == ["start"])
            // If the file watcher is slower than the reload request, it finds nothing new.
            try scene.folder.replace("rules.yaml", with: Self.rules("2.1"))
            #expect(try Self.ask(scene, "/-/reload", "POST", fields: field).status == 200)
            try scene.folder.replace("rules.yaml", with: RulesText.broken(line: 3))
            #expect(try Self.ask(scene, "/-/reload", "POST", fields: field).status == 409)
            try scene.reload(Self.rules("2.2"))
            let records = try Self.records(scene, field)
            #expect(records.count == 4)
            let newest = try #require(records.first)
            #expect(newest.text("outcome") == "applied")
            let kind = newest.part("source")?.text("kind")
            #expect(kind == "signal" || kind == "file")
            #expect(
                newest.fields["changes"] as? [String] == [
                    "rule 'ios':", "  minimum: \"2.1\" -> \"2.2\"",
                ]
            )
            #expect(newest.part("predicted")?.part("denied")?.number("requests") == 0)
            let refused = records[1]
            #expect(refused.text("outcome") == "refused")
            let reasons = refused.fields["reasons"] as? [String] ?? []
            #expect(reasons.contains { $0.contains("rules.yaml:3:1: ") })
            let admin = [refused, records[2]].compactMap { $0.part("source") }
            for source in admin where source.text("kind") == "admin" {
                #expect(source.text("name") == "mai")
            }
            #expect(records[2].text("after") == newest.text("before"))
            #expect(records[3].text("after") == records[2].text("before"))
            let rules = try JSONReport(Self.ask(scene, "/api/v1/rules", fields: field).text)
            #expect(rules.text("revision") == newest.text("after"))
            #expect(rules.part("origin")?.text("kind") == "file")
            #expect(rules.part("lastReload")?.fields["successful"] as? Bool == true)
            #expect(rules.list("rules").first?.part("terms")?.text("minimum") == "2.2")
            #expect(rules.list("rules").first?.list("dates").count == 1)
        }
        // The records outlive the process, and a start with the same rules adds none.
        try await Scene.play(in: folder, flags: flags) { scene in
            let records = try Self.records(scene, field)
            #expect(records.count == 4)
        }
    }
}

extension TemporaryFolder {
    /// Stores a response for the validation against the OpenAPI document.
    fileprivate func keep(
        _ answer: RawResponse,
        to method: String,
        _ target: String,
        _ number: Int
    ) throws {
        let record: [String: Any] = [
            "method": method, "path": String(target.prefix { $0 != "?" }),
            "status": answer.status, "body": answer.text,
            "type": answer.fields["Content-Type"].first ?? "",
        ]
        let data = try JSONSerialization.data(withJSONObject: record)
        try self.writeInPlace(String(decoding: data, as: UTF8.self), to: "\(100 + number).json")
    }
}
