import Foundation
import GateTestSupport
import Testing

/// The metrics and the alerts, checked by promtool.
@Suite(.ownThread, .timeLimit(.minutes(5)), .needs("promtool"))
struct AlertTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .appending(path: "../../../../deploy/prometheus").standardized

    @Test func `alerts fire exactly when they should`() throws {
        for (command, file) in [("check", "alerts.yaml"), ("test", "alerts.test.yaml")] {
            let path = Self.folder.appending(path: file).path
            // promtool takes seconds, or a minute on a busy machine.
            let result = try ToolProcess.run(
                "promtool",
                [command, "rules", path],
                within: .seconds(240) * GateExecutable.slowdown
            )
            #expect(result.status == 0, "\(result.output)\(result.errors)")
        }
    }

    @Test func `promtool accepts the metrics without a remark`() async throws {
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
