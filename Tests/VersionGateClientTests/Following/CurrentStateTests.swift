import Foundation
import Testing

@testable import VersionGateClient

@Suite(.timeLimit(.minutes(1)))
struct CurrentStateTests {
    private let required = GateState.required(.sample())

    private func currentState(_ storage: any GateStorage = MemoryStorage()) throws -> CurrentState {
        CurrentState(
            baseURL: try UnreachableGate.url(),
            identity: UnreachableGate.identity,
            storage: storage
        )
    }

    @Test
    func `a stored state is only the last known state`() throws {
        #expect(try self.currentState().current == .unknown(last: nil))
        let storage = try UnreachableGate.storage(self.required)
        #expect(try self.currentState(storage).current == .unknown(last: self.required))
    }

    @Test
    func `a failed check does not change the state while the event stream is connected`()
        async throws
    {
        let storage = MemoryStorage()
        let currentState = try self.currentState(storage)
        let endpoints = try UnreachableGate.endpoints()
        currentState.heard(self.required, announced: nil)
        #expect(await currentState.check(by: endpoints) == self.required)
        currentState.fellSilent()
        #expect(await currentState.check(by: endpoints) == .unknown(last: self.required))
        #expect(try self.currentState(storage).current == .unknown(last: self.required))
    }

    @Test
    func `a canceled check does not change the state`() async throws {
        let currentState = try self.currentState()
        currentState.heard(self.required, announced: nil)
        currentState.fellSilent()
        let endpoints = try UnreachableGate.endpoints()
        let check = Task {
            // Ensures that the task is canceled before the check.
            await Task.waitForCancellation()
            await currentState.check(by: endpoints)
        }
        check.cancel()
        await check.value
        #expect(currentState.current == self.required)
    }

    @Test
    func `the event stream runs once while there are listeners`() async throws {
        let currentState = try self.currentState()
        let (runs, run) = AsyncStream.makeStream(of: Bool.self)
        let feed: @Sendable () async -> Void = {
            run.yield(true)
            await Task.waitForCancellation()
            run.yield(false)
        }
        var one: AsyncStream<GateState>? = currentState.states(fedBy: feed)
        var other: AsyncStream<GateState>? = currentState.states(fedBy: feed)
        var iterator = runs.makeAsyncIterator()
        #expect(await iterator.next() == true)
        currentState.heard(self.required, announced: nil)
        for stream in [one, other] {
            var states = try #require(stream).makeAsyncIterator()
            // A slow listener gets the newest state.
            #expect(await states.next() == self.required)
        }
        one = nil
        other = nil
        #expect(await iterator.next() == false)
        let again = currentState.states(fedBy: feed)
        #expect(await iterator.next() == true)
        var states = again.makeAsyncIterator()
        #expect(await states.next() == self.required)
    }
}
