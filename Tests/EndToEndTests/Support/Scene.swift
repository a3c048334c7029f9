import GateTestSupport
import Glibc
import Testing

/// A gate with a scripted backend, for the duration of one test.
struct Scene: Sendable {
    let gate: GateProcess
    let backend: ScriptedBackend
    let folder: TemporaryFolder

    /// Starts a gate and a backend, runs the body, and ends every process in any case.
    ///
    /// A gate that crashed fails the test. The log is attached if it contains a line above the info
    /// level.
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

    /// Runs a scene whose rules file, `rules.yaml`, is already in the folder.
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

    /// Runs a scene with existing backends.
    ///
    /// `upstream` is the gate's setting; `nil` means the ports of the backends.
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

    /// Sends one request on a connection of its own and reads the response.
    func ask(_ request: String) throws -> RawResponse {
        let client = try self.connect()
        try client.send(request)
        return try client.response(toHead: request.hasPrefix("HEAD "))
    }

    /// Returns the URL of a path at the gate, for tools.
    func url(_ path: String) -> String { "http://127.0.0.1:\(self.gate.port)\(path)" }

    /// Replaces the rules and waits until they are active.
    ///
    /// Returns the log line of the reload.
    @discardableResult
    func reload(_ rules: String) throws -> LogLine {
        let seen = self.gate.logLines.count
        try self.folder.replace("rules.yaml", with: rules)
        self.gate.send(signal: SIGHUP)
        return try self.gate.logLine("rules loaded", skipping: seen, where: \.isLoadOfFile)
    }

    /// Shuts the gate down, and starts another one with the same rules and the same backend.
    ///
    /// The caller must end the new gate.
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

    /// Shuts the gate down, so that nothing more can reach the backend, and returns the record of everything that did.
    func finalRecord() throws -> BackendRecord {
        let exit = self.gate.end()
        #expect(exit == .status(0))
        return try self.backend.waitUntilAllEnded()
    }
}

extension LogLine {
    /// Whether the line reports that a changed file was loaded, rather than an undo or a feed.
    ///
    /// An undo's line may be read long after its response, when the test is already waiting for the next change.
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
