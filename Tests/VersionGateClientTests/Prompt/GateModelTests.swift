import Foundation
import Testing

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct GateModelTests {
    private func client(
        _ state: GateState,
        _ surroundings: ClientSurroundings = .system
    ) throws -> VersionGateClient {
        VersionGateClient(
            baseURL: try UnreachableGate.url(),
            identity: UnreachableGate.identity,
            session: .shared,
            storage: try UnreachableGate.storage(state),
            checkTimeout: 5,
            surroundings: surroundings
        )
    }

    @Test
    func `what was required shows at once, and cannot be dismissed`() async throws {
        let model = GateModel(try self.client(.required(.sample())))
        #expect(model.prompt?.isDismissible == false)
        #expect(!model.dismiss())
        #expect(model.prompt != nil)
        await model.check()
        #expect(model.state == .unknown(last: .required(.sample())))
        #expect(model.prompt != nil)
    }

    @Test
    func `a brownout ends by the clock where the gate is away`() async throws {
        let begin = Date(timeIntervalSince1970: 1_000_000)
        let clock = Locked(begin)
        let surroundings = ClientSurroundings(
            now: { clock.withLock { $0 } },
            sleep: { seconds in
                guard seconds == 600 else { return try await ClientSurroundings.system.sleep(3600) }
                clock.withLock { $0 += seconds }
            },
            share: { 0 }
        )
        let brownout = Update.sample(brownoutUntil: begin + 600)
        let model = GateModel(try self.client(.required(brownout), surroundings))
        #expect(model.prompt?.update == brownout)
        let running = Task { await model.run() }
        defer { running.cancel() }
        while model.prompt != nil { await Task.yield() }
        #expect(model.state == .unknown(last: .required(brownout)))
    }
}
