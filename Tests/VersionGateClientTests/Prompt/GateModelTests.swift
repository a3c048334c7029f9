import Foundation
import Observation
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
                guard seconds == 600 else { return await Task.waitForCancellation() }
                clock.withLock { $0 += seconds }
            },
            share: { 0 }
        )
        let brownout = Update.sample(brownoutUntil: begin + 600)
        let model = GateModel(try self.client(.required(brownout), surroundings))
        #expect(model.prompt?.update == brownout)
        let (taken, take) = AsyncStream<Never>.makeStream()
        withObservationTracking {
            _ = model.prompt
        } onChange: {
            take.finish()
        }
        let running = Task { await model.run() }
        defer { running.cancel() }
        for await _ in taken {}
        #expect(model.prompt == nil)
        #expect(model.state == .unknown(last: .required(brownout)))
    }
}
