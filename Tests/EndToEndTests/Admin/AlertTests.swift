import Foundation
import GateTestSupport
import Testing

/// Prometheus' own tool reads the metrics and the alerts on them.
@Suite(.ownThread, .timeLimit(.minutes(5)), .needs("promtool"))
struct AlertTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .appending(path: "../../../../deploy/prometheus").standardized

    @Test func `alerts are raised when they shall be, and not else`() throws {
        for (command, file) in [("check", "alerts.yaml"), ("test", "alerts.test.yaml")] {
            let path = Self.folder.appending(path: file).path
            // It computes for seconds: beside other tests, for a minute.
            let result = try ToolProcess.run(
                "promtool",
                [command, "rules", path],
                within: .seconds(240) * GateExecutable.slowdown
            )
            #expect(result.status == 0, "\(result.output)\(result.errors)")
        }
    }

    @Test func `Prometheus has nothing to say against the metrics`() async throws {
        try await Scene.play(flags: [.adminListen()]) { scene in
            let answer = try scene.askAdmin("GET", "/metrics")
            try scene.folder.writeInPlace(answer.text, to: "metrics.txt")
            let file = scene.folder.path(of: "metrics.txt")
            let result = try ToolProcess.run("sh", ["-c", "promtool check metrics < '\(file)'"])
            #expect(result.status == 0, "\(result.output)\(result.errors)")
            #expect(result.output + result.errors == "")
        }
    }
}
