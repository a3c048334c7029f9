import ConformanceCases
import GateTestSupport
import Testing

/// One gate for all tests of a suite.
///
/// The tests must run one after the other.
struct SharedGate: Sendable {
    @TaskLocal static var current: SharedGate?

    let stage: ConformanceStage
    let gate: GateProcess
}

/// Starts the gate before the first test of a suite and stops it after the last.
struct SharedGateTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let stage = try ConformanceStage()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let gate = try GateProcess(
            upstreamPort: stage.backendPort,
            rules: folder.file("rules.yaml"),
            flags: [.drainTimeout(seconds: 1), .responseTimeout(seconds: 2)]
        )
        defer {
            if case .signal(let signal)? = gate.end() {
                Issue.record("the gate ended by signal \(signal):\n\(gate.logText.suffix(4000))")
            }
        }
        try await SharedGate.$current.withValue(SharedGate(stage: stage, gate: gate)) {
            try await function()
        }
    }
}

extension Trait where Self == SharedGateTrait {
    static var sharedGate: Self { Self() }
}
