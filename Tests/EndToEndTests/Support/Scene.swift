import GateTestSupport
import Glibc
import Testing

/// A gate in front of a scripted backend, for the length of one test.
struct Scene: Sendable {
    let gate: GateProcess
    let backend: ScriptedBackend
    let folder: TemporaryFolder

    /// Sets the scene, plays it, and ends every process of it whatever happens.
    ///
    /// A gate that crashed fails the test. A log is attached when it says more than that all is
    /// well.
    static func play(
        rules: String = RulesText.shop,
        flags: [GateFlag] = [],
        surroundings: GateSurroundings = .usual,
        backend script: @escaping ScriptedBackend.Script = { _ in [.echo] },
        _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(rules, to: "rules.yaml")
        try await Self.play(
            in: folder,
            flags: flags,
            surroundings: surroundings,
            backend: script,
            body
        )
    }

    /// Plays a scene whose rules file, `rules.yaml`, is in the folder already.
    static func play(
        in folder: TemporaryFolder,
        flags: [GateFlag] = [],
        surroundings: GateSurroundings = .usual,
        backend script: @escaping ScriptedBackend.Script = { _ in [.echo] },
        _ body: (Scene) async throws -> Void
    ) async throws {
        let backend = try ScriptedBackend(script: script)
        try await Self.play(
            in: folder,
            flags: flags,
            surroundings: surroundings,
            backends: [backend],
            body
        )
    }

    /// Plays a scene with backends that are there already.
    ///
    /// `upstream`: how the gate is told of them; `nil`: by their ports.
    static func play(
        in folder: TemporaryFolder,
        flags: [GateFlag] = [],
        surroundings: GateSurroundings = .usual,
        backends: [ScriptedBackend],
        upstream: String? = nil,
        _ body: (Scene) async throws -> Void
    ) async throws {
        let ports = backends.map { "http://127.0.0.1:\($0.port)" }
        let gate = try GateProcess(
            upstream: upstream ?? ports.joined(separator: ","),
            rules: folder.file("rules.yaml"),
            flags: flags.contains(where: \.isDrainTimeout)
                ? flags : flags + [.drainTimeout(seconds: 1)],
            surroundings: surroundings
        )
        defer {
            let exit = gate.end()
            if gate.logLines.contains(where: { $0.level != "info" }) {
                Attachment.record(gate.logText, named: "gate.log")
            }
            if case .signal(let signal)? = exit {
                Issue.record("the gate ended by signal \(signal):\n\(gate.logText.suffix(4000))")
            }
        }
        try await body(Scene(gate: gate, backend: backends[0], folder: folder))
    }

    func connect(receiveBuffer: Int32? = nil) throws -> RawClient {
        try RawClient(port: self.gate.port, receiveBuffer: receiveBuffer)
    }

    /// Sends one request on a connection of its own and reads the answer.
    func ask(_ request: String) throws -> RawResponse {
        let client = try self.connect()
        try client.send(request)
        return try client.response(toHead: request.hasPrefix("HEAD "))
    }

    /// The address of a path behind the gate, for tools.
    func url(_ path: String) -> String { "http://127.0.0.1:\(self.gate.port)\(path)" }

    /// Replaces the rules, and returns when the gate judges by them; gives what it logs of that.
    @discardableResult
    func reload(_ rules: String) throws -> LogLine {
        let seen = self.gate.logLines.count
        try self.folder.replace("rules.yaml", with: rules)
        self.gate.send(signal: SIGHUP)
        return try self.gate.logLine("rules loaded", skipping: seen, where: \.isLoadOfFile)
    }

    /// Ends the gate in order, and starts another one with the same rules in front of the same
    /// backend; whoever restarts it ends it.
    func restarted(
        flags: [GateFlag],
        surroundings: GateSurroundings = .usual
    ) throws -> Scene {
        #expect(self.gate.end() == .status(0))
        let next = try GateProcess(
            upstreamPort: self.backend.port,
            rules: self.folder.file("rules.yaml"),
            flags: flags,
            surroundings: surroundings
        )
        return Scene(gate: next, backend: self.backend, folder: self.folder)
    }

    /// Ends the gate in order, so that nothing more can reach the backend, and gives all that did.
    func finalRecord() throws -> BackendRecord {
        let exit = self.gate.end()
        #expect(exit == .status(0))
        return try self.backend.waitUntilAllEnded()
    }
}

extension LogLine {
    /// Whether a changed file was loaded, and not what an undo or a feed says.
    ///
    /// The line of an undo may be read long after its answer, when the next change is awaited.
    var isLoadOfFile: Bool {
        self.message == "rules loaded"
            && ["fileChanged", "signal"].contains(self.metadata["reason"])
    }
}

extension GateFlag {
    fileprivate var isDrainTimeout: Bool {
        guard case .drainTimeout = self else { return false }
        return true
    }
}
