import GateTestSupport
import Glibc
import Testing

/// A restart under load loses no connection and no request.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct RestartTests {
    /// Clients that ask one request after the other, and what went wrong.
    private final class Load: Sendable {
        struct Figures: Sendable {
            var answers = 0
            var failures: [String] = []
            var isOver = false
        }

        private let figures = Watched(Figures())
        private let clients: [Task<Void, Never>]

        init(port: UInt16) {
            let figures = self.figures
            // Half of them keep their connection as long as the gate does.
            self.clients = [true, true, false, false].map { keepsConnection in
                Task(executorPreference: BlockingExecutor.shared) {
                    var client: RawClient?
                    while !figures.current.isOver {
                        do {
                            let current = try client ?? RawClient(port: port)
                            try current.send(Request.text())
                            let response = try current.response()
                            let closes = response.fields.tokens("Connection").contains("close")
                            client = keepsConnection && !closes ? current : nil
                            figures.update { figures in
                                figures.answers += 1
                                guard response.status != 200 else { return }
                                figures.failures.append("\(response.status)")
                            }
                        } catch {
                            client = nil
                            figures.update { $0.failures.append("\(error)") }
                        }
                    }
                }
            }
        }

        /// Blocks until so many answers more have come.
        func wait(forAnswers count: Int) throws {
            let goal = self.figures.current.answers + count
            try self.figures.wait(for: "\(count) answers", by: .after(.seconds(30))) {
                $0.answers >= goal || !$0.failures.isEmpty ? true : nil
            }
        }

        func end() async -> Figures {
            self.figures.update { $0.isOver = true }
            for client in self.clients { await client.value }
            return self.figures.current
        }
    }

    /// As systemd does it: connections that come in between wait in the socket's queue.
    @Test
    func `a socket that was handed over outlives the process`() async throws {
        let socket = try LoopbackListener.listen()
        defer { _ = close(socket) }
        try await Scene.play(
            flags: [.drainTimeout(seconds: 20), .threads(2)],
            surroundings: .socket(socket)
        ) { scene in
            #expect(try scene.gate.port == LoopbackListener.port(of: socket))
            let load = Load(port: scene.gate.port)
            var gate = scene.gate
            for _ in 0..<3 {
                try load.wait(forAnswers: 100)
                #expect(try Self.end(gate) == .status(0))
                gate = try GateProcess(
                    upstreamPort: scene.backend.port,
                    rules: scene.folder.file("rules.yaml"),
                    flags: [.drainTimeout(seconds: 20)],
                    surroundings: .socket(socket)
                )
            }
            try load.wait(forAnswers: 100)
            let figures = await load.end()
            #expect(figures.failures.isEmpty)
            #expect(gate.end() == .status(0))
        }
    }

    @Test
    func `gates that share a port follow each other without a gap`() async throws {
        let flags: [GateFlag] = [.reusePort, .drainTimeout(seconds: 20)]
        try await Scene.play(flags: flags + [.threads(2)]) { scene in
            let load = Load(port: scene.gate.port)
            var gate = scene.gate
            for _ in 0..<4 {
                try load.wait(forAnswers: 100)
                let next = try GateProcess(
                    upstreamPort: scene.backend.port,
                    rules: scene.folder.file("rules.yaml"),
                    flags: flags + [.listen(port: scene.gate.port)]
                )
                #expect(next.port == scene.gate.port)
                #expect(try Self.end(gate) == .status(0))
                gate = next
            }
            try load.wait(forAnswers: 100)
            let figures = await load.end()
            #expect(figures.failures.isEmpty)
            #expect(gate.end() == .status(0))
        }
    }

    @Test
    func `nobody shares a port by accident`() async throws {
        for (first, second) in [([], [.reusePort]), ([.reusePort], [])]
            as [([GateFlag], [GateFlag])]
        {
            try await Scene.play(flags: first) { scene in
                #expect(throws: HarnessError.self) {
                    try GateProcess(
                        upstreamPort: scene.backend.port,
                        rules: scene.folder.file("rules.yaml"),
                        flags: second + [.listen(port: scene.gate.port)]
                    )
                }
            }
        }
    }

    @Test
    func `a gate whose socket is gone ends, so that somebody can start it again`() async throws {
        let socket = try LoopbackListener.listen()
        defer { _ = close(socket) }
        try await Scene.play(surroundings: .socket(socket)) { scene in
            #expect(try scene.ask(Request.text()).status == 200)
            _ = shutdown(socket, Int32(SHUT_RDWR))
            #expect(try scene.gate.waitForExit() == .status(1))
            try scene.gate.logLine("why") { $0.message == "the listening socket is gone" }
        }
    }

    private static func end(_ gate: GateProcess) throws -> GateProcess.Exit {
        gate.send(signal: SIGTERM)
        let exit = try gate.waitForExit(by: .after(.seconds(25)))
        if exit != .status(0) { Issue.record("\(exit)\n\(gate.logText.suffix(2000))") }
        return exit
    }
}
