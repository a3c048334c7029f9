import Foundation
import GateTestSupport
import Testing

/// The export of metrics to an OpenTelemetry collector.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct MetricsExportTests {
    /// A collector that responds with a status.
    private static func collector(_ status: @escaping @Sendable () -> Int) throws
        -> ScriptedBackend
    {
        try ScriptedBackend { _ in
            let head = "HTTP/1.1 \(status()) Any\r\nContent-Length: 2\r\n\r\n{}"
            return [.readBody, .send(Array(head.utf8))]
        }
    }

    private static func flags(_ collector: ScriptedBackend) -> [GateFlag] {
        [.metricsExport(url: "http://127.0.0.1:\(collector.port)/v1/metrics")]
    }

    @Test(.enabled(if: GRPCPython.isInstalled, "grpcio is not installed"))
    func `the collector gets what the reference can read, also without an admin listener`()
        async throws
    {
        let collector = try Self.collector { 200 }
        defer { withExtendedLifetime(collector) {} }
        try await Scene.play(flags: Self.flags(collector)) { scene in
            for version in ["1.0.0", "9.0.0"] {
                _ = try scene.ask(Request.text(fields: Request.identity(version: version)))
            }
            // The second export after the requests contains them.
            try collector.waitForRequests(collector.record.requests.count + 2)
            let exchange = try #require(collector.record.exchanges.last { $0.isComplete })
            #expect(exchange.request.target == "/v1/metrics" && exchange.request.method == "POST")
            #expect(exchange.request.fields["Content-Type"] == ["application/json"])
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let text = String(decoding: exchange.body, as: UTF8.self)
            try folder.writeInPlace(text, to: "export.json")
            let program = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../Programs/read_otlp.py").standardizedFileURL.path
            let result = try GRPCPython.run(program, folder.path(of: "export.json"))
            #expect(result.status == 0, "\(result.errors)")
            let lines = result.output.split(separator: "\n").map(String.init)
            #expect(lines.first?.hasSuffix(" versiongate") == true)
            for decision in ["allow", "require"] {
                let line = lines.first {
                    $0.hasPrefix("sum versiongate_requests_total{")
                        && $0.contains("decision=\"\(decision)\"")
                }
                #expect(line?.hasSuffix(" 1") == true, "\(decision) in \(lines)")
            }
            #expect(lines.contains { $0.hasPrefix("histogram versiongate_") })
        }
    }

    @Test func `a failure is logged once, and so is the recovery`() async throws {
        let isWell = Watched(false)
        let collector = try Self.collector { isWell.current ? 200 : 503 }
        defer { withExtendedLifetime(collector) {} }
        try await Scene.play(flags: Self.flags(collector)) { scene in
            try scene.gate.logLine("cannot be exported") {
                $0.message == "the metrics cannot be exported"
            }
            try collector.waitForRequests(4)
            isWell.update { $0 = true }
            try scene.gate.logLine("exported again") {
                $0.message == "the metrics can be exported again"
            }
            let failures = scene.gate.logLines.filter { $0.message.contains("cannot be exported") }
            #expect(failures.count == 1)
        }
    }
}
