import Foundation
import GateTestSupport
import Testing

/// The page for operators.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct PageTests {
    private static let rules = """
        rules:
          - id: ios
            match: { platform: ios }
            minimum: "2.0"
            storeUrl: https://apps.apple.com/app/id1234567890
            next:
              - { minimum: "3.0", enforceFrom: 2999-01-01T00:00:00Z }
          - id: counted
            match: { platform: ios }
            minimum: "2.5"
            mode: observe
            storeUrl: https://apps.apple.com/app/id1234567890

        """

    private static let program = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Programs/drive_page.py").standardizedFileURL.path

    @Test func `it runs nothing but its own files, and nobody may frame it`() async throws {
        try await Scene.play(rules: Self.rules, flags: [.adminListen()]) { scene in
            let page = try scene.askAdmin(Request.text("GET", "/", host: "localhost"))
            #expect(page.status == 200)
            #expect(page.fields["Content-Type"] == ["text/html; charset=utf-8"])
            let policy = try #require(page.fields["Content-Security-Policy"].first)
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
            #expect(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"))
            #expect(!page.text.contains("style=") && !page.text.contains("onclick"))
            let paths = page.text.matches(of: /(?:href|src)="(\/[^"]+)"/).map { String($0.1) }
            #expect(paths.count == 3)
            for path in paths {
                let file = try scene.askAdmin(Request.text("GET", path, host: "localhost"))
                #expect(file.status == 200, "\(path)")
            }
        }
    }

    @Test(.enabled(if: ToolProcess.isInstalled("chromium")))
    func `a browser shows it, a floor is raised by its line, and one of two people undoes it`()
        async throws
    {
        let flags: [GateFlag] = [
            .adminListen(), .censusInterval(seconds: 0.1), .logLevel("debug"),
        ]
        try await Scene.play(rules: Self.rules, flags: flags) { scene in
            var visitors: [CensusVisitor] = []
            for (version, count) in [("1.0", 5), ("2.0", 20), ("3.0", 30), ("3.1", 45)] {
                for device in 0..<count {
                    visitors.append(
                        CensusVisitor(version: version, device: "\(version)-\(device)")
                    )
                }
            }
            try scene.send(visitors)
            var written = 0
            try scene.gate.logLine("the census to be written") { line in
                guard line.message == "census written" else { return false }
                written += line.metadata["requests"].flatMap { Int($0) } ?? 0
                return written == visitors.count
            }
            let port = try #require(scene.gate.adminPort)
            let listed = "counted|Nobody.|ios|requests"
            let result = try ToolProcess.run(
                "env",
                [
                    "python3", Self.program, "http://127.0.0.1:\(port)", "3.0", listed,
                    scene.folder.path(of: "rules.yaml"), scene.url("/"),
                ]
            )
            #expect(result.output == "")
            #expect(result.status == 0, "\(result.errors)")
        }
    }
}
