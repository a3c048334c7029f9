import Foundation
import GateTestSupport
import Synchronization

/// Clients of several versions that send requests in turn without a pause, and record the statuses.
final class PollingClients: Sendable {
    private struct State {
        var isStopped = false
        var statuses: [String: Set<Int>] = [:]
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    /// - Parameters:   - port: The gate's port on this machine.   - versions: The versions in the clients' requests.
    init(port: UInt16, versions: [String]) {
        Thread.detachNewThread { [self] in
            do {
                let client = try RawClient(port: port)
                while !self.state.withLock({ $0.isStopped }) {
                    for version in versions { try self.ask(client, version) }
                }
            } catch {
                self.state.withLock { $0.failure = error }
            }
        }
    }

    private func ask(_ client: RawClient, _ version: String) throws {
        let fields = "X-App-Platform: ios\r\nX-App-Version: \(version)\r\n"
        try client.send(Request.text(fields: fields))
        let status = try client.response().status
        self.state.withLock { _ = $0.statuses[version, default: []].insert(status) }
    }

    func forget() {
        self.state.withLock { $0.statuses = [:] }
    }

    /// Returns the statuses that a version got since the last `forget()`; at least one.
    func statuses(of version: String) throws -> Set<Int> {
        // On a busy machine, this version may not have had a response yet.
        try Deadline.usual.poll("an answer to a client of \(version)") {
            try self.state.withLock { state in
                if let failure = state.failure { throw failure }
                return state.statuses[version]
            }
        }
    }

    func stop() {
        self.state.withLock { $0.isStopped = true }
    }
}
