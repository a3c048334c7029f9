import GateTestSupport
import Testing

/// The health check of a gate in a container.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HealthcheckTests {
    private func check(_ port: UInt16) throws -> ToolProcess.Result {
        try ToolProcess.versiongate("healthcheck", "--listen", "0.0.0.0:\(port)")
    }

    @Test func `the health check succeeds whatever the backend and the rules do`() async throws {
        let rules = RulesText.shop.replacing("missing: allow", with: "missing: reject")
        try await Scene.play(rules: rules, backend: { _ in [.close] }) { scene in
            let result = try self.check(scene.gate.port)
            #expect(result.status == 0)
            #expect(result.output == "127.0.0.1:\(scene.gate.port): the gate responds\n")
        }
    }

    @Test func `the health check fails for another server, and if no server listens`() async throws
    {
        try await Scene.play { scene in
            let other = try self.check(scene.backend.port)
            #expect(other.status == 1)
            #expect(other.errors.contains("not a gate (status 200)"))
        }
        #expect(try self.check(1).status == 1)
    }
}
