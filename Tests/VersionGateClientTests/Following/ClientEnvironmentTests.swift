import Foundation
import Testing

@testable import VersionGateClient

struct ClientEnvironmentTests {
    @Test(arguments: [TimeInterval.infinity, .greatestFiniteMagnitude, 1e12])
    func `a sleep of any duration is valid and can be canceled`(_ seconds: TimeInterval) async {
        let waiting = Task { try await ClientEnvironment.system.sleep(seconds) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test
    func `an operation that exceeds its timeout is canceled`() async throws {
        let environment = ClientEnvironment(now: { Date() }, sleep: { _ in }, share: { 0 })
        await #expect(throws: URLError.self) {
            try await environment.within(1) { await Task.waitForCancellation() }
        }
        let patient = ClientEnvironment.system
        #expect(try await patient.within(3600) { 7 } == 7)
    }
}
