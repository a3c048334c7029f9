import ConformanceCases
import GateTestSupport
import Testing

/// All cases of the conformance suite, with one gate.
///
/// `make conformance` runs them against other proxies, too.
@Suite(.serialized, .ownThread, .sharedGate, .timeLimit(.minutes(5)))
struct ConformanceTests {
    @Test(arguments: ConformanceCase.all)
    func `the gate conforms to the RFC`(_ each: ConformanceCase) throws {
        let shared = try #require(SharedGate.current)
        let observation = try shared.stage.play(each, at: shared.gate.port)
        let violations = each.violations(in: observation, byTheGate: true)
        #expect(violations.isEmpty, "\(violations): \(observation)")
    }

    @Test
    func `no two cases have the same name`() {
        let names = ConformanceCase.all.map { "\($0.area): \($0.name)" }
        #expect(Set(names).count == names.count)
        #expect(names.count >= 250)
    }
}
