import Foundation
import GateTestSupport
import Synchronization

/// Clients of some versions that ask one after the other, all the time, and remember what they got.
final class AskingCrowd: Sendable {
    private struct State {
        var isStopped = false
        var statuses: [String: Set<Int>] = [:]
        var failure: (any Error)?
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - port: The port of the gate, on this machine.
    ///   - versions: The versions that the clients say they have.
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

    /// The statuses that the clients of a version got since they forgot, at least one.
    func statuses(of version: String) throws -> Set<Int> {
        // On a busy machine they may not have had their turn.
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
