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
    func `what was kept is only the last word`() throws {
        #expect(try self.currentState().current == .unknown(last: nil))
        let storage = try UnreachableGate.storage(self.required)
        #expect(try self.currentState(storage).current == .unknown(last: self.required))
    }

    @Test
    func `a check that fails says nothing while the gate tells by itself`() async throws {
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
    func `a check that nobody waits for says nothing`() async throws {
        let currentState = try self.currentState()
        currentState.heard(self.required, announced: nil)
        currentState.fellSilent()
        let endpoints = try UnreachableGate.endpoints()
        let check = Task {
            // Cancelled for certain by the time that it asks.
            await Task.waitForCancellation()
            await currentState.check(by: endpoints)
        }
        check.cancel()
        await check.value
        #expect(currentState.current == self.required)
    }

    @Test
    func `the feed runs as long as anybody listens, and once`() async throws {
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
            // A listener that was slow hears the newest.
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
