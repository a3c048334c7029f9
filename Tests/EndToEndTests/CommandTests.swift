import Foundation
import GateTestSupport
import Testing

/// The commands other than `serve`, and the errors for invalid settings.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct CommandTests {
    @Test(arguments: ["rules", "suite"])
    func `schema prints the schema that is checked in`(subject: String) throws {
        let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let file = project.appending(path: "rules/\(subject).schema.json")
        let result = try ToolProcess.versiongate("schema", subject)
        #expect(result.status == 0)
        #expect(result.output == (try String(contentsOf: file, encoding: .utf8)))
        #expect(try ToolProcess.versiongate("schema", "rule").status == 64)
    }

    @Test
    func `check accepts valid rules and counts them`() throws {
        try self.withRules(RulesText.shop) { path in
            let result = try ToolProcess.versiongate("check", path)
            #expect(result.status == 0)
            #expect(result.output.contains("ok (1 rules, 1 notices, revision "))
        }
    }

    @Test
    func `check reports the location of every error and exits with 1`() throws {
        try self.withRules("rulse: []\nrules: [{ id: a, minimun: \"1\" }]\n") { path in
            let result = try ToolProcess.versiongate("check", path)
            #expect(result.status == 1)
            #expect(result.errors.contains("rules.yaml:1:1: "))
            #expect(result.errors.contains("rules.yaml:2:18: "))
            #expect(result.errors.contains("did you mean 'minimum'?"))
        }
    }

    @Test
    func `check reports errors as JSON`() throws {
        struct Report: Decodable {
            struct Problem: Decodable {
                var line: Int
                var column: Int
                var message: String
            }
            var ok: Bool
            var errors: [Problem]
        }
        try self.withRules(RulesText.broken(line: 4)) { path in
            let result = try ToolProcess.versiongate("check", path, "--json")
            #expect(result.status == 1)
            let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
            #expect(!report.ok)
            let unknown = report.errors.first { $0.line == 4 }
            #expect(unknown?.column == 1)
            #expect(unknown?.message.contains("'rules'") == true)
        }
    }

    @Test
    func `check warns about likely mistakes, and fails on warnings with --strict`() throws {
        let rules =
            "rules: [{ id: a, minimumBuild: 1, rollout: 20, storeUrl: \"http://a.example\", "
            + "notice: n }]\nnotices: { n: { en: { title: t, message: m } } }\n"
        try self.withRules(rules) { path in
            let stays =
                "\(path):1:35: warning: the rollout of 'a' stops at 20% [stalled-rollout]"
            let result = try ToolProcess.versiongate("check", path)
            #expect(result.status == 0)
            let lines = result.output.split(separator: "\n")
            #expect(lines.first?.contains(": ok (") == true)
            #expect(lines.dropFirst().first.map(String.init) == stays)
            let strict = try ToolProcess.versiongate("check", path, "--strict")
            #expect(strict.status == 1)
            #expect(
                strict.errors.contains(
                    ":1:35: the rollout of 'a' stops at 20% [stalled-rollout]\n"
                )
            )
            let json = try ToolProcess.versiongate("check", path, "--json").output
            let report = try JSONSerialization.jsonObject(with: Data(json.utf8))
            let fields = try #require(report as? [String: Any])
            #expect(fields["ok"] as? Bool == true)
            #expect((fields["warnings"] as? [[String: Any]])?.count == 2)
        }
    }

    @Test
    func `init writes a file with placeholders that check reports, and keeps an existing file`()
        throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path(of: "rules.yaml")
        #expect(try ToolProcess.versiongate("init", path).status == 0)
        let strict = try ToolProcess.versiongate("check", "--strict", path)
        #expect(strict.status == 1)
        let lines = strict.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasSuffix("[placeholder-link]") })
        let again = try ToolProcess.versiongate("init", path)
        #expect(again.status == 1)
        #expect(again.errors.contains("--force"))
        let forced = try ToolProcess.versiongate(
            "init",
            path,
            "--force",
            "--app-id",
            "com.example.shop",
            "--ios-url",
            RulesText.storeURL,
            "--android-url",
            "market://details?id=com.example.shop",
            "--language",
            "ja"
        )
        #expect(forced.status == 0)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains("placeholder"))
        #expect(try ToolProcess.versiongate("check", "--strict", path).status == 0)
    }

    @Test
    func `explain prints the decision, its rule and reason, and the exact response`() throws {
        try self.withRules(RulesText.shop) { path in
            let result = try ToolProcess.versiongate(
                "explain",
                "--rules",
                path,
                "--header",
                "X-App-Id: com.example.shop",
                "--header",
                "X-App-Platform: iPhone",
                "--header",
                "X-App-Version: 3.4.9",
                "--header",
                "Accept-Language: ja"
            )
            #expect(result.status == 0)
            #expect(result.output.contains("decision: require\nrule:     ios\n"))
            #expect(result.output.contains("HTTP/1.1 426 Upgrade Required\n"))
            #expect(result.output.contains("Content-Language: ja\n"))
            #expect(result.output.contains(#""title":"アップデートのお願い""#))
        }
    }

    @Test
    func `check accepts several paths, including suites, and prints the requested format`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        try folder.writeInPlace("rules: rules.yaml\ntests: []\n", to: "suite.yaml")
        try folder.writeInPlace("rules: {}\n", to: "broken.yaml")
        let paths = ["rules.yaml", "suite.yaml", "broken.yaml"].map { folder.path(of: $0) }
        let result = try ToolProcess.versiongate(["check"] + paths)
        #expect(result.status == 1)
        #expect(result.output.contains("rules.yaml: ok (1 rules, "))
        #expect(result.output.contains("suite.yaml: ok (a test suite, 0 tests)\n"))
        #expect(result.errors.contains("broken.yaml:1:8: expected a list, found a mapping"))
        let form = try ToolProcess.versiongate(["check", "--format", "github"] + paths)
        #expect(form.status == 1)
        #expect(form.output.hasPrefix("::error file=\(paths[2]),line=1,col=8::expected a list"))
        let sarif = try ToolProcess.versiongate(["check", "--format", "sarif"] + paths)
        let log = try JSONSerialization.jsonObject(with: Data(sarif.output.utf8))
        #expect((log as? [String: Any])?["version"] as? String == "2.1.0")
    }

    @Test
    func `check reads standard input`() throws {
        let binary = try GateExecutable.locate().path
        for (text, status) in [(RulesText.shop, 0), ("rules: {}\n", 1)] {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.writeInPlace(text, to: "rules.yaml")
            let script = "exec \(binary) check - < \(folder.path(of: "rules.yaml"))"
            let result = try ToolProcess.run("sh", ["-c", script])
            #expect(result.status == status)
            #expect((result.output + result.errors).hasPrefix("stdin:"))
        }
    }

    @Test(arguments: [
        (["--header", "X-App-Version 3.4.9"], "write --header 'X-App-Version: 3.4.9'"),
        (["--header", "X-App-Version"], "write --header 'X-App-Version: VALUE'"),
        (["--path", "v2/orders"], "write '/v2/orders'"),
    ])
    func `explain shows how to write a malformed argument`(
        arguments: [String],
        hint: String
    ) throws {
        try self.withRules(RulesText.shop) { path in
            let result = try ToolProcess.versiongate(["explain", "--rules", path] + arguments)
            #expect(result.status != 0)
            #expect(result.errors.contains(hint))
        }
    }

    @Test
    func `explain fails when the gate rejects the request as invalid HTTP`() throws {
        try self.withRules(RulesText.shop) { path in
            let result = try ToolProcess.versiongate(
                ["explain", "--rules", path, "--header", "X-App-Version : 1"]
            )
            #expect(result.status == 1)
            #expect(result.output.hasPrefix("decision: refused (400)\n"))
        }
    }

    @Test
    func `explain shows the responses of the gate's own endpoints`() throws {
        try self.withRules(RulesText.shop) { path in
            func explain(_ target: String) throws -> String {
                let client = [
                    "X-App-Id: com.example.shop", "X-App-Platform: ios", "X-App-Version: 1",
                ]
                let fields = client.flatMap { ["--header", $0] }
                return try ToolProcess.versiongate(
                    ["explain", "--rules", path, "--path", target] + fields
                ).output
            }
            let status = try explain("/.versiongate/status")
            #expect(status.hasPrefix("endpoint: "))
            #expect(status.contains("decision: require\n"))
            #expect(status.contains("HTTP/1.1 200 OK\n"))
            #expect(status.contains(#""decision":"require""#))
            #expect(try explain("/.versiongate/events").contains("Content-Type: text/event-stream"))
            #expect(try explain("/.versiongate/nothing").contains("HTTP/1.1 404 Not Found\n"))
        }
    }

    @Test
    func `explain shows the progress of a rollout`() throws {
        let rules = """
            rules:
              - id: floor
                minimum: "4.0.0"
                storeUrl: https://a.example
                rollout: [{ at: 2030-01-01T00:00:00Z, percent: 100 }]

            """
        try self.withRules(rules) { path in
            let result = try ToolProcess.versiongate(
                "explain",
                "--rules",
                path,
                "--at",
                "2029-01-01T00:00:00Z",
                "--header",
                "X-App-Version: 3"
            )
            #expect(result.status == 0)
            #expect(result.output.contains("why:      no rule applies yet\n"))
            #expect(
                result.output.contains("not yet:  floor: the version is below the minimum; the")
            )
            #expect(result.output.contains("%, on 2030-01-01T00:00:00Z\n"))
        }
    }

    @Test
    func `a misspelled name in the environment is reported at startup`() throws {
        try self.withRules(RulesText.shop) { path in
            let gate = [
                try GateExecutable.locate().path, "serve", "--rules", path, "--listen",
                "192.0.2.1:1",
            ]
            let missing = try ToolProcess.run(
                "env",
                ["VERSIONGATE_UPSTRAEM=http://127.0.0.1:9"] + gate
            )
            #expect(missing.status == 1)
            #expect(missing.errors.contains("did you mean VERSIONGATE_UPSTREAM?"))
            let said = try ToolProcess.run(
                "env",
                [
                    "VERSIONGATE_LOG_LEVLE=debug", "VERSIONGATE_SERVICE_HOST=10.0.0.1",
                    "VERSIONGATE_FOO_BAR=1",
                ] + gate + ["--upstream", "http://127.0.0.1:9"]
            )
            #expect(said.status == 1)
            #expect(
                said.errors.contains("VERSIONGATE_LOG_LEVLE in the environment is not a setting")
            )
            #expect(said.errors.contains("did you mean 'VERSIONGATE_LOG_LEVEL'?"))
            #expect(!said.errors.contains("VERSIONGATE_SERVICE_HOST"))
            #expect(
                said.errors.contains("has no effect; 'versiongate settings' lists all settings")
            )
            #expect(said.errors.contains("this machine has no address 192.0.2.1"))
        }
    }

    @Test
    func `the gate does not start with itself as its backend`() throws {
        try self.withRules(RulesText.shop) { path in
            let port = try FreePort.find()
            let result = try ToolProcess.versiongate([
                "serve", "--rules", path, "--listen", "0.0.0.0:\(port)", "--upstream",
                "http://localhost:\(port)",
            ])
            #expect(result.status == 1)
            #expect(result.errors.contains("is the gate itself, which listens on 0.0.0.0:\(port)"))
        }
    }

    @Test
    func `explain shows the request that the backend gets`() throws {
        try self.withRules(RulesText.shop) { path in
            let result = try ToolProcess.versiongate(
                "explain",
                "--rules",
                path,
                "--method",
                "POST",
                "--path",
                "/logout",
                "--header",
                "X-App-Platform: ios",
                "--header",
                "X-App-Version: 1.0"
            )
            #expect(result.status == 0)
            #expect(result.output.contains("decision: allow\n"))
            #expect(result.output.contains("POST /logout HTTP/1.1\n"))
            #expect(result.output.contains("X-VersionGate-Decision: allow\n"))
        }
    }

    @Test
    func `explain rejects an address that is not an IP address`() throws {
        try self.withRules(RulesText.shop) { path in
            let result = try ToolProcess.versiongate(
                "explain",
                "--rules",
                path,
                "--address",
                "office"
            )
            #expect(result.status == 64)
            let hint = "expected an address such as '192.0.2.1' or '2001:db8::1'"
            #expect(result.errors.contains(hint))
        }
    }

    @Test(arguments: [
        ("jp, kr", "held:     floor waits for the store, until 2030-01-02T00:00:00Z\n"),
        ("us", "held:     floor waits for the store, with no known date\n"),
    ])
    func `explain shows which rule waits for the store`(countries: String, line: String) throws {
        let rules = """
            releases:
              - { platform: ios, version: "4.0", countries: { jp: 2030-01-01T00:00:00Z, kr: 2030-01-02T00:00:00Z } }
            rules:
              - id: floor
                match: { platform: ios }
                minimum: "4.0"
                holdUntilInStore: { countries: [\(countries)] }
                storeUrl: https://example.com

            """
        try self.withRules(rules) { path in
            let result = try ToolProcess.versiongate(
                "explain",
                "--rules",
                path,
                "--header",
                "X-App-Platform: ios",
                "--header",
                "X-App-Version: 3.0"
            )
            #expect(result.output.contains("decision: allow\n"))
            #expect(result.output.contains(line))
        }
    }

    @Test
    func `explain shows once what an observed rule with a next floor would do`() throws {
        let rules = """
            rules:
              - id: floor
                match: { platform: ios }
                mode: observe
                minimum: "3.5"
                next: { minimum: "4.0" }
                storeUrl: https://example.com

            """
        try self.withRules(rules) { path in
            let fields = ["X-App-Platform: ios", "X-App-Version: 3.0"].flatMap { ["-H", $0] }
            let result = try ToolProcess.versiongate(["explain", "--rules", path] + fields)
            #expect(result.output.contains("decision: allow\n"))
            let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("observed:") }
            #expect(
                lines == ["observed: floor would require: the version is below the minimum"]
            )
        }
    }

    @Test
    func `test runs suites, shows expected and actual results, and writes JUnit XML`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let suite = """
            rules: rules.yaml
            tests:
              - name: old
                request: { app: com.example.shop, platform: ios, version: "3.4.9" }
                expect: { decision: DECISION }

            """
        try folder.writeInPlace(suite.replacing("DECISION", with: "require"), to: "suite.yaml")
        let path = folder.path(of: "suite.yaml")
        let met = try ToolProcess.versiongate("test", path)
        #expect(met.status == 0)
        #expect(met.output == "\(path): 1 tests, 0 failed\n")
        try folder.writeInPlace(suite.replacing("DECISION", with: "allow"), to: "suite.yaml")
        let junit = folder.path(of: "junit.xml")
        let unmet = try ToolProcess.versiongate("test", path, "--junit", junit)
        #expect(unmet.status == 1)
        #expect(unmet.output.contains("old (\(path):3:11)\n    decision  expected  allow\n"))
        let tool = try ToolProcess.run("cat", [junit])
        #expect(tool.output.contains("failures=\"1\""))
        let missing = try ToolProcess.versiongate("test", folder.path(of: "none.yaml"))
        #expect(missing.status == 1)
        #expect(missing.errors.contains("none.yaml:1:1: there is no such file or folder"))
    }

    @Test
    func `diff shows which clients get a different decision`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop(minimum: "3.5.0"), to: "old.yaml")
        try folder.writeInPlace(RulesText.shop(minimum: "4.0.0"), to: "new.yaml")
        try folder.writeInPlace("rules: [", to: "broken.yaml")
        let (old, new) = (folder.path(of: "old.yaml"), folder.path(of: "new.yaml"))
        let edits = try ToolProcess.versiongate("diff", old, new)
        #expect(edits.status == 0)
        #expect(
            edits.output == """
                clients are newly denied
                rule 'ios':
                  minimum: "3.5.0" -> "4.0.0"
                  => now: >=3.5.0 <4.0.0: newly denied
                --detail shows each group of clients

                """
        )
        let words = try ToolProcess.versiongate("diff", "--detail", old, new)
        #expect(words.status == 0)
        #expect(words.output.hasPrefix("clients are newly denied"))
        #expect(words.output.contains("version >=3.5.0 <4.0.0: allow -> require (426) by rule ios"))
        #expect(try ToolProcess.versiongate("diff", old, new, "--exit-code").status == 1)
        #expect(try ToolProcess.versiongate("diff", old, old, "--exit-code").status == 0)
        let data = try ToolProcess.versiongate("diff", old, new, "--json")
        #expect(data.output.contains(#""kind" : "newly denied""#))
        let broken = try ToolProcess.versiongate("diff", old, folder.path(of: "broken.yaml"))
        #expect(broken.status == 2)
        #expect(broken.errors.contains("broken.yaml:2:1: not valid YAML"))
    }

    @Test
    func `version prints the version, the commit and the build`() throws {
        let result = try ToolProcess.versiongate("version")
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first?.wholeMatch(of: /versiongate [0-9]+\.[0-9]+\.[0-9]+/) != nil)
        #expect(lines.dropFirst().first?.wholeMatch(of: /commit \S+/) != nil)
        #expect(lines.last?.wholeMatch(of: /build [0-9a-f]{16,}/) != nil)
        #expect(try ToolProcess.versiongate("--version").output == result.output)
    }

    @Test(arguments: [
        (["--listen", "nowhere"], "--listen 'nowhere': expected HOST:PORT"),
        (["--threads", "0"], "--threads '0': expected a whole number from 1 to 256"),
        (["--drain-timeout", "soon"], "--drain-timeout 'soon': expected a number of seconds"),
        (
            ["--park-after", "0"],
            "--park-after '0': expected a number of seconds from 0.1 to 86400"
        ),
        (["--log-level", "loud"], "--log-level 'loud': expected trace, debug, info"),
        (["--trusted-proxies", "10.0.0.0/99"], "--trusted-proxies '10.0.0.0/99': expected"),
        (["--upstream", "ftp://x"], "--upstream 'ftp://x': expected http://HOST[:PORT]"),
        (
            ["--upstream-protocol", "h3"],
            "--upstream-protocol 'h3': expected auto, http1 or http2"
        ),
        (
            ["--upstream", "h2c://a", "--upstream-protocol", "http1"],
            "--upstream-protocol http1: --upstream 'h2c://a:80' uses HTTP/2"
        ),
        (["--upstream-ca", "/a"], "--upstream-ca is given, but no --upstream is https://"),
        (["--upstream-server-name", "a"], "--upstream-server-name is given, but no --upstream"),
        (
            ["--upstream", "https://a", "--upstream-ca", "/nowhere"],
            "--upstream-ca '/nowhere': the file does not exist"
        ),
        (
            ["--upstream", "https://a", "--upstream-ca", "/dev/null"],
            "--upstream-ca '/dev/null': the file does not exist, or contains no PEM certificate"
        ),
        (
            ["--upstream", "https://a", "--upstream-server-name", "10.0.0.1"],
            "--upstream-server-name '10.0.0.1': expected a host name"
        ),
    ])
    func `an invalid setting is named and stops the start`(flags: [String], message: String) throws
    {
        try self.withRules(RulesText.shop) { path in
            let result = try self.serve(["--rules", path] + flags)
            #expect(result.status == 1)
            #expect(result.errors.contains(message))
        }
    }

    @Test
    func `a missing setting is reported with every way to set it`() throws {
        let result = try ToolProcess.versiongate("serve", "--upstream", "http://127.0.0.1:9")
        #expect(result.status == 1)
        #expect(
            result.errors.contains(
                "--rules is required: pass the flag, or set VERSIONGATE_RULES or 'rules' in the "
                    + "configuration file"
            )
        )
    }

    @Test
    func `an unknown key in the configuration file is reported with its location`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace("threads: 1\ndrainTimout: 3\n", to: "gate.yaml")
        let result = try self.serve(["--config", folder.path(of: "gate.yaml")])
        #expect(result.status == 1)
        #expect(result.errors.contains("gate.yaml:2:1: unknown setting 'drainTimout'"))
    }

    /// A flag with a name other than its setting's would be accepted and ignored.
    @Test func `each flag is a setting, and each setting has a flag`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let help = try ToolProcess.versiongate(["serve", "--help"]).output
        let flags = help.matches(of: /^  --([a-z-]+)/.anchorsMatchLineEndings()).map {
            String($0.output.1)
        }
        .filter { !["config", "version"].contains($0) }
        #expect(flags.count > 50)
        let keys = flags.map { $0.replacing(/-[a-z]/) { $0.output.dropFirst().uppercased() } }
        try folder.writeInPlace(keys.map { "\($0): 1\n" }.joined(), to: "all.yaml")
        let all = try self.serve(["--config", folder.path(of: "all.yaml")])
        #expect(all.status == 1)
        #expect(!all.errors.contains("unknown setting"))
        let rows = try ToolProcess.versiongate(["settings"]).output
            .matches(of: /^\| `--([a-z-]+)`/.anchorsMatchLineEndings())
        #expect(Set(rows.map { String($0.output.1) }) == Set(flags))
    }

    @Test func `docs/settings.md ends with the table that the gate prints`() throws {
        let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let page = try String(
            contentsOf: project.appending(path: "docs/settings.md"),
            encoding: .utf8
        )
        let table = try ToolProcess.versiongate(["settings"]).output
        #expect(
            table.contains(
                "| `--head-timeout` | Seconds allowed to receive a request head | `10` |"
            )
        )
        #expect(page.hasSuffix("\n\n" + table))
    }

    @Test
    func `a flag overrides the environment, which overrides the configuration file`() throws {
        try self.withRules(RulesText.shop) { path in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.writeInPlace("threads: 0\nrules: \(path)\n", to: "gate.yaml")
            let config = ["--config", folder.path(of: "gate.yaml")]
            #expect(try self.serve(config).errors.contains("--threads '0'"))
            #expect(try self.serve(config + ["--threads", "x"]).errors.contains("--threads 'x'"))
            let gate = [try GateExecutable.locate().path, "serve"] + config
            let more = ["--upstream", "http://127.0.0.1:9"]
            for (flags, threads) in [(more, "y"), (more + ["--threads", "x"], "x")] {
                let result = try ToolProcess.run("env", ["VERSIONGATE_THREADS=y"] + gate + flags)
                #expect(result.errors.contains("--threads '\(threads)'"))
            }
        }
    }

    private func serve(_ flags: [String]) throws -> ToolProcess.Result {
        try ToolProcess.versiongate(
            ["serve"] + (flags.contains("--upstream") ? [] : ["--upstream", "http://127.0.0.1:9"])
                + flags
        )
    }

    private func withRules(_ text: String, _ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(text, to: "rules.yaml")
        try body(folder.path(of: "rules.yaml"))
    }
}
