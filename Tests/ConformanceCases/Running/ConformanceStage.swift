import GateTestSupport
import Synchronization

/// The scripted backend that all cases share, one after the other.
package final class ConformanceStage: Sendable {
    private struct Plan {
        var attempts: [String: [[BackendStep]]] = [:]
        var counts: [String: Int] = [:]

        mutating func steps(for target: String) -> [BackendStep] {
            guard let attempts = self.attempts[target] else { return [.echo] }
            let count = self.counts[target, default: 0]
            self.counts[target] = count + 1
            return attempts[min(count, attempts.count - 1)]
        }
    }

    private final class Script: Sendable {
        let plan = Mutex(Plan())
    }

    private let backend: ScriptedBackend
    private let script: Script

    package init() throws {
        let script = Script()
        self.script = script
        self.backend = try ScriptedBackend { request in
            script.plan.withLock { $0.steps(for: request.target) }
        }
    }

    package var backendPort: UInt16 { self.backend.port }

    /// Runs a case against the proxy that listens on a port.
    ///
    /// When it returns, every connection to the backend has ended, and the proxy has detected this.
    package func play(_ each: ConformanceCase, at port: UInt16) throws -> Observation {
        self.script.plan.withLock { $0 = Plan(attempts: each.backend) }
        let first = self.backend.record.connections.count
        let client = ClientPlay(port: port, backend: self.backend, firstConnection: first)
        var observation = try client.play(each.client)
        let last = try self.dropCurtain(afterConnection: first)
        try self.backend.endConnections()
        observation.record.connections = Array(self.backend.record.connections[first..<last])
        return observation
    }

    /// Connects to the backend directly, and returns the number of the connection.
    ///
    /// Connections are accepted in order. A proxy may have responded to its client before the backend accepted the
    /// proxy's connection. That connection must not become part of the next case.
    private func dropCurtain(afterConnection first: Int) throws -> Int {
        let client = try RawClient(port: self.backend.port)
        defer { client.close() }
        try client.send("GET /curtain HTTP/1.1\r\nHost: gate\r\n\r\n")
        return try self.backend.wait(for: "the curtain at the backend") { record in
            record.connections.indices.dropFirst(first).first { index in
                record.connections[index].exchanges.first?.request.target == "/curtain"
            }
        }
    }
}
