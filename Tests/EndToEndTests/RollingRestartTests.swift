import GateTestSupport
import Glibc
import Testing

/// Gates behind a load balancer, such as a Deployment's pods, are replaced one after the other without an effect on
/// clients.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct RollingRestartTests {
    /// Sends each new connection to the next ready gate, like a Kubernetes Service, which notices changes with a delay
    /// and does not affect established connections.
    private final class Service: Sendable {
        private struct State {
            var ports: [UInt16] = []
            var turn = 0
        }

        private let state = Watched(State())

        /// Follows a gate from the time it is ready until it no longer is.
        ///
        /// There is no time limit here, because the tests that wait for the service have limits.
        func follow(_ gate: GateProcess) throws {
            let (port, admin) = (gate.port, try #require(gate.adminPort))
            Task(executorPreference: BlockingExecutor.shared) {
                for isReady in [true, false] {
                    try Deadline.after(.seconds(3_600)).poll("port \(port): ready: \(isReady)") {
                        try Self.isReady(admin) == isReady ? true : nil
                    }
                    self.state.update { state in
                        state.ports.removeAll { $0 == port }
                        if isReady { state.ports.append(port) }
                    }
                }
            }
        }

        func waitUntil(_ gate: GateProcess, isThere: Bool) throws {
            try self.state.wait(for: "the service to notice") {
                $0.ports.contains(gate.port) == isThere ? true : nil
            }
        }

        func port() throws -> UInt16 {
            try self.state.update { state in
                state.turn += 1
                return state.ports.isEmpty ? nil : state.ports[state.turn % state.ports.count]
            } ?? { throw HarnessError("no gate is ready") }()
        }

        private static func isReady(_ port: UInt16) throws -> Bool {
            // A gate that does not listen counts as not ready.
            guard let client = try? RawClient(port: port) else { return false }
            try client.send(Request.text("GET", "/-/ready", host: "localhost"))
            return try client.responseIfAny()?.status == 200
        }
    }

    /// Exchanges that outlast the stop signal to their gate.
    private struct Lasting {
        let request: RawClient
        let stream: RawHTTP2Client
        let events: RawClient

        /// Starts all exchanges.
        ///
        /// The first two last until the backend continues.
        init(port: UInt16) throws {
            self.request = try RawClient(port: port)
            try self.request.send(Request.text("GET", "/slow"))
            self.stream = try RawHTTP2Client(port: port)
            try self.stream.request(1, "GET", "/slow")
            self.events = try RawClient(port: port)
            let listening = "/.versiongate/events"
            try self.events.send(Request.text("GET", listening, fields: Request.current))
        }

        /// Lets the backend continue after the GOAWAY frame, and reads each response to its end.
        func end(by latch: Latch) throws {
            _ = try self.stream.frame { $0.isA(.goAway) }
            latch.open()
            let answer = try self.request.response()
            #expect(answer.status == 200)
            #expect(answer.isComplete)
            let response = try self.stream.response(1)
            #expect(response.status == 200)
            #expect(response.isComplete)
            let events = try self.events.response()
            #expect(events.status == 200)
            #expect(events.isComplete)
            #expect(events.text.contains("data: "))
        }
    }

    /// Follows the strategy of deploy/kubernetes: gates are added one at a time, and an old one is stopped once the new
    /// one is ready.
    ///
    /// Until the service has noticed, clients still reach the old gate.
    @Test
    func `no request is lost when gates are replaced one after the other`() async throws {
        let delay = 2 * GateExecutable.slowdown
        let flags: [GateFlag] = [
            .adminListen(), .drainDelay(seconds: delay), .drainTimeout(seconds: 20),
        ]
        let latches = Watched<[Latch]>([])
        let script: ScriptedBackend.Script = { request in
            guard request.target == "/slow", let latch = latches.current.last else {
                return [.echo]
            }
            return [.wait(latch), .echo]
        }
        try await Scene.play(flags: flags, backend: script) { scene in
            let service = Service()
            func start() throws -> GateProcess {
                try GateProcess(
                    upstreamPort: scene.backend.port,
                    rules: scene.folder.file("rules.yaml"),
                    flags: flags
                )
            }
            var gates = [scene.gate, try start(), try start()]
            for gate in gates { try service.follow(gate) }
            for gate in gates { try service.waitUntil(gate, isThere: true) }
            let load = SteadyLoad([.keepAlive, .keepAlive, .oneRequest, .http2]) {
                try service.port()
            }
            for _ in 0..<gates.count {
                let old = gates.removeFirst()
                let next = try start()
                try service.follow(next)
                try service.waitUntil(next, isThere: true)
                gates.append(next)
                let latch = Latch()
                latches.update { $0.append(latch) }
                let lasting = try Lasting(port: old.port)
                try load.wait(forAnswers: 200)
                old.send(signal: SIGTERM)
                try service.waitUntil(old, isThere: false)
                try lasting.end(by: latch)
                #expect(try old.waitForExit(by: .after(.seconds(25))) == .status(0))
            }
            try load.wait(forAnswers: 200)
            let figures = await load.end()
            #expect(figures.failures == [])
            // A graceful shutdown is unnecessary, because no client is left.
            for gate in gates { gate.send(signal: SIGKILL) }
        }
    }
}
