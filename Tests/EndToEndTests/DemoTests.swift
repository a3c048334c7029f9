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
}
