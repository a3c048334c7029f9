import GateTestSupport
import Testing

/// A gate whose backend is an HTTP/2 server with frames written by the test.
struct HTTP2Scene {
    let scene: Scene
    let backend: RawHTTP2Backend

    var gate: GateProcess { self.scene.gate }

    /// Runs the scene.
    ///
    /// `script` controls each connection from its first byte.
    static func play(
        flags: [GateFlag] = [.threads(1)],
        script: @escaping RawHTTP2Backend.Script,
        _ body: (HTTP2Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let backend = try RawHTTP2Backend(script: script)
        let unused = try ScriptedBackend { _ in [.echo] }
        try await Scene.play(
            in: folder,
            flags: flags,
            backends: [unused],
            upstream: "h2c://127.0.0.1:\(backend.port)"
        ) { try await body(HTTP2Scene(scene: $0, backend: backend)) }
    }

    /// Runs the scene with a backend that, on each connection, sends its preface and then runs the script.
    static func play(
        flags: [GateFlag] = [.threads(1)],
        settings: [(UInt16, UInt32)],
        script: @escaping RawHTTP2Backend.Script,
        _ body: (HTTP2Scene) async throws -> Void
    ) async throws {
        try await Self.play(
            flags: flags,
            script: { peer in
                try peer.greet(settings)
                try script(peer)
            },
            body
        )
    }

    /// Sends a request, and expects a response that contains the path.
    func expectAnswer(_ path: String) throws {
        let response = try self.ask(Request.text("GET", path))
        #expect(response.text == path)
    }

    func expectStatus(_ status: Int, _ request: String) throws {
        let response = try self.ask(request)
        #expect(response.status == status)
    }

    func ask(_ request: String) throws -> RawResponse { try self.scene.ask(request) }

    func connect() throws -> RawClient { try self.scene.connect() }

    func connectHTTP2(settings: [(UInt16, UInt32)] = []) throws -> RawHTTP2Client {
        try self.scene.connectHTTP2(settings: settings)
    }
}
