import Foundation
import GateTestSupport
import Testing

/// The traffic of clients of three apps that `make run` shows.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct DemoTests {
    @Test func `demo-traffic sends the given number of requests from three apps, some outdated`()
        async throws
    {
        let rules = """
            rules:
              - { id: old, minimum: "3.5.0", storeUrl: \(RulesText.storeURL) }

            """
        try await Scene.play(rules: rules, flags: [.adminListen()]) { scene in
            let result = try ToolProcess.versiongate(
                "demo-traffic",
                "--gate",
                "127.0.0.1:\(scene.gate.port)",
                "--requests",
                "150"
            )
            #expect(result.status == 0, "\(result.errors)")
            let figures = try scene.metrics().samples(of: "versiongate_requests_total")
            let refused = figures.filter { $0.key.contains("decision=\"require\"") }
                .values.reduce(0, +)
            #expect(figures.values.reduce(0, +) == 150)
            #expect(refused > 0 && refused < 50)
            let apps = scene.backend.record.requests.map { request in
                ["X-App-Id", "X-App-Platform"].flatMap { request.fields[$0] }
            }
            #expect(Set(apps).count == 3)
        }
    }

    @Test(arguments: [
        ["--gate", "gate.example:80"], ["--gate", "192.0.2.1:80"], ["--gate", "nonsense"],
        ["--rate", "51"], ["--rate", "0"],
    ])
    func `demo-traffic refuses remote gates and high rates`(arguments: [String]) throws {
        let result = try ToolProcess.versiongate(["demo-traffic"] + arguments)
        #expect(result.status != 0)
        #expect(result.errors.contains("expected "))
    }

    @Test func `demo-history fills a new state folder, and the gate says that it is demo data`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rules = try String(contentsOf: Self.rules, encoding: .utf8)
        try folder.writeInPlace(rules, to: "rules.yaml")
        let state = folder.path(of: "state")
        let arguments = [
            "demo-history", "--state-dir", state, "--rules", folder.path(of: "rules.yaml"),
            "--days", "14",
        ]
        let result = try ToolProcess.versiongate(arguments)
        #expect(result.status == 0, "\(result.errors)")
        try await Scene.play(in: folder, flags: [.adminListen(), .stateDir(path: state)]) { scene in
            func ask(_ question: String) throws -> JSONReport {
                try JSONReport(scene.askAdmin("GET", "/api/v1/\(question)").text)
            }
            #expect(try ask("rules").fields["hasDemoData"] as? Bool == true)
            let groups = try ask("adoption?since=14d").list("groups")
            #expect(groups.count == 3)
            let devices = try #require(groups.first?.fields["devices"] as? [Int])
            // Of the first and the last day, only a part is in these fourteen days.
            #expect(devices.count == 15 && devices.max()! <= 440, "\(devices)")
            #expect(devices.dropFirst().dropLast().allSatisfy { 300... ~= $0 }, "\(devices)")
            let total = try #require(try ask("overview").part("total"))
            // 15 minutes with 12 requests per second, times 0.45 at night and 1.25 by day (UTC).
            let earlier = try #require(total.part("earlier")?.number("requests"))
            #expect(900 * 12 * 0.4...900 * 12 * 1.35 ~= Double(earlier))
            let records = try ask("audit").list("records")
            // The start, and the higher minimum twelve days ago.
            #expect(records.map { $0.part("source")?.text("kind") } == ["file", "start"])
            #expect(records.map { $0.fields["canBePutBack"] as? Bool } == [false, true])
        }
        let again = try ToolProcess.versiongate(arguments)
        #expect(again.status != 0 && again.errors.contains("is not empty"))
    }

    private static let rules = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../rules/rules.yaml").standardizedFileURL
}
