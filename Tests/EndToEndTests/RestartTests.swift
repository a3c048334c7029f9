import GateTestSupport
import Glibc
import Testing

/// A restart under load loses no connection and no request.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct RestartTests {
    /// Half of the clients keep their connection until the gate closes it.
    private static let kinds: [SteadyLoad.Kind] = [
        .keepAlive, .keepAlive, .oneRequest, .oneRequest,
    ]

    /// The procedure is that of systemd: connections that arrive between the two processes wait in the socket's queue.
    @Test
    func `an inherited socket outlives the process`() async throws {
        let socket = try LoopbackListener.listen()
        defer { _ = close(socket) }
        try await Scene.play(
            flags: [.drainTimeout(seconds: 20), .threads(2)],
            surroundings: .socket(socket)
        ) { scene in
            #expect(try scene.gate.port == LoopbackListener.port(of: socket))
            let load = SteadyLoad(Self.kinds) { scene.gate.port }
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
    func `gates that share a port replace each other without a gap`() async throws {
        let flags: [GateFlag] = [.reusePort, .drainTimeout(seconds: 20)]
        try await Scene.play(flags: flags + [.threads(2)]) { scene in
            let load = SteadyLoad(Self.kinds) { scene.gate.port }
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
    func `two gates share a port only if both set the flag`() async throws {
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
    func `a gate whose listening socket is gone exits, so that it can be restarted`() async throws {
        let socket = try LoopbackListener.listen()
        defer { _ = close(socket) }
        try await Scene.play(surroundings: .socket(socket)) { scene in
            #expect(try scene.ask(Request.text()).status == 200)
            _ = shutdown(socket, Int32(SHUT_RDWR))
            #expect(try scene.gate.waitForExit() == .status(1))
            try scene.gate.logLine("the reason") {
                $0.message == "the listener closed unexpectedly"
            }
        }
    }

    private static func end(_ gate: GateProcess) throws -> GateProcess.Exit {
        gate.send(signal: SIGTERM)
        let exit = try gate.waitForExit(by: .after(.seconds(25)))
        if exit != .status(0) { Issue.record("\(exit)\n\(gate.logText.suffix(2000))") }
        return exit
    }
}
