import Foundation
import Testing

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct GateModelTests {
    private func client(_ state: GateState) throws -> VersionGateClient {
        VersionGateClient(
            baseURL: try UnreachableGate.url(),
            identity: UnreachableGate.identity,
            session: .shared,
            storage: try UnreachableGate.storage(state),
            checkTimeout: 5
        )
    }

    @Test
    func `a stored requirement shows no prompt until the gate confirms it`() async throws {
        let model = GateModel(try self.client(.required(.sample())))
        #expect(model.state == .unknown(last: .required(.sample())))
        #expect(model.prompt == nil)
        #expect(!model.dismiss())
        await model.check()
        #expect(model.state == .unknown(last: .required(.sample())))
        #expect(model.prompt == nil)
    }
}
