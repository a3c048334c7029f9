import Foundation
import GateTestSupport
import Testing

/// `versiongate doctor`.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct DoctorTests {
    private struct Result: Decodable {
        var check: String
        var state: String
        var message: String
        var fix: String?
    }

    /// Runs the command for a gate with the rules in the folder, and adds or replaces flags.
    private static func diagnose(
        _ folder: TemporaryFolder,
        _ changes: [String: String?] = [:]
    ) throws -> (status: Int32, results: [Result]) {
        var flags: [String: String?] = [
            "--listen": "127.0.0.1:0", "--rules": folder.path(of: "rules.yaml"),
            "--state-dir": folder.path(of: "state"), "--max-connections": "50",
        ]
        flags.merge(changes) { $1 }
        let words = flags.flatMap { name, value in value.map { [name, $0] } ?? [] }
        let result = try ToolProcess.versiongate(["doctor", "--json"] + words)
        let output = Data(result.output.utf8)
        return (result.status, try JSONDecoder().decode([Result].self, from: output))
    }

    private static func play(_ body: (TemporaryFolder, LoopbackListener) async throws -> Void)
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let backend = try LoopbackListener { close($0) }
        defer { backend.stop() }
        try await body(folder, backend)
    }

    @Test func `a gate that can start gets no error`() async throws {
        try await Self.play { folder, backend in
            let url = "http://127.0.0.1:\(backend.port)"
            let (status, results) = try Self.diagnose(folder, ["--upstream": url])
            #expect(status == 0, "\(results)")
            // Whether the clock is synchronized depends on the machine.
            let others = results.filter { $0.check != "clock" }
            #expect(
                others.map(\.check) == [
                    "settings", "listen", "descriptors", "rules", "backend", "state-dir",
                ]
            )
            #expect(others.allSatisfy { $0.state == "ok" }, "\(others)")
            #expect(others.last?.message.contains("will be created") == true)
            // Nothing was created.
            #expect(!FileManager.default.fileExists(atPath: folder.path(of: "state")))
            let text = try ToolProcess.versiongate(
                "doctor",
                "--upstream",
                url,
                "--rules",
                folder.path(of: "rules.yaml"),
                "--listen",
                "127.0.0.1:0"
            )
            #expect(text.output.contains("ok       backend       \(url) accepts connections\n"))
            #expect(text.output.contains("warning  state-dir     not set"))
        }
    }

    @Test func `each problem is named with its fix`() async throws {
        try await Self.play { folder, backend in
            let url = "http://127.0.0.1:\(backend.port)"
            try folder.writeInPlace("rules:\n  - { id: a, minimun: \"1.0\" }\n", to: "bad.yaml")
            try folder.writeInPlace("", to: "file")
            let closed = try LoopbackListener { close($0) }
            closed.stop()
            let cases: [(String, String, String, String)] = [
                ("--listen", "127.0.0.1:\(backend.port)", "listen", "unless this gate is running"),
                ("--listen", "192.0.2.1:80", "listen", "this machine has no address 192.0.2.1"),
                ("--max-connections", "10000000", "descriptors", "LimitNOFILE"),
                ("--rules", folder.path(of: "bad.yaml"), "rules", "did you mean 'minimum'"),
                ("--rules", folder.path(of: "none.yaml"), "rules", "none.yaml"),
                (
                    "--upstream", "http://127.0.0.1:\(closed.port)", "backend",
                    "nothing is listening at this address"
                ),
                ("--upstream", "http://nowhere.invalid", "backend", "host name"),
                ("--upstream", "unix:/nowhere/socket", "backend", "no such socket"),
                ("--upstream-named", "old=http://127.0.0.1:\(closed.port)", "backend", "(old)"),
                ("--upstream", "nonsense", "settings", "--upstream 'nonsense'"),
                ("--state-dir", folder.path(of: "file") + "/state", "state-dir", "file"),
                (
                    "--publish-rules", folder.path(of: "bad.yaml"), "publish-rules",
                    "so it is not replaced"
                ),
                (
                    "--publish-rules", folder.path(of: "none/rules.json"), "publish-rules",
                    "there is no directory"
                ),
            ]
            for (flag, value, check, words) in cases {
                var changes: [String: String?] = ["--upstream": url]
                changes[flag] = value
                let (status, results) = try Self.diagnose(folder, changes)
                let found = results.filter { $0.check == check && $0.state != "ok" }
                let text = found.map { "\($0.message) \($0.fix ?? "")" }.joined(separator: "\n")
                #expect(text.contains(words), "\(flag) \(value): \(results)")
                let isError = results.contains { $0.state == "error" }
                #expect(status == (isError ? 1 : 0), "\(flag) \(value)")
            }
        }
    }

    @Test(.needs("openssl"))
    func `certificates are checked, those of the gate and that of a backend`() async throws {
        try await Self.play { folder, backend in
            let certificates = try TestCertificates(in: folder)
            try certificates.make("late", names: "DNS:a.example", days: -1)
            try certificates.make("near", names: "DNS:a.example", days: 3)
            for (name, state, words) in [
                ("late", "error", "expired at"), ("near", "warning", "renew it"),
            ] {
                let (_, results) = try Self.diagnose(
                    folder,
                    [
                        "--upstream": "http://127.0.0.1:\(backend.port)",
                        "--tls-listen": "127.0.0.1:0",
                        "--tls-certificate": folder.path(of: "\(name).pem"),
                        "--tls-key": folder.path(of: "\(name).key"),
                    ]
                )
                let result = try #require(results.first { $0.check == "certificates" })
                #expect(result.state == state && result.message.contains(words), "\(result)")
            }
            // The listener closes each connection, so there is no handshake.
            let (status, results) = try Self.diagnose(
                folder,
                ["--upstream": "https://127.0.0.1:\(backend.port)"]
            )
            #expect(status == 1)
            #expect(results.contains { $0.check == "backend" && $0.state == "error" })
        }
    }

    @Test func `each feed is fetched once`() async throws {
        try await Self.play { folder, backend in
            let closed = try LoopbackListener { close($0) }
            closed.stop()
            let source = "source: https, url: \"http://127.0.0.1:\(closed.port)/more.yaml\""
            let feeds = "feeds: [{ id: lookup, \(source) }]\n"
            try folder.writeInPlace(RulesText.shop + feeds, to: "rules.yaml")
            let url = "http://127.0.0.1:\(backend.port)"
            let (status, results) = try Self.diagnose(folder, ["--upstream": url])
            let feed = try #require(results.first { $0.check == "feed" }, "\(results)")
            #expect(status == 1 && feed.state == "error" && feed.message.hasPrefix("'lookup'"))
            #expect(feed.fix?.contains("versiongate feed check") == true)
        }
    }
}
