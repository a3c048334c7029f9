import GatePolicy
import GateTestSupport
import Logging
import NIOCore
import Testing

@testable import GateProxy

/// A gate with real sockets and a backend name whose addresses change.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct UpstreamNamesTests {
    private typealias Answer = Result<[SocketAddress], LookupFailure>

    private static let unknown = Answer.failure(LookupFailure(description: "no such host"))

    /// Runs a gate whose only backend is a name; `answers` contains the results of its lookups.
    private func play(
        _ answers: Watched<Answer>,
        _ questions: Watched<Int> = Watched(0),
        _ body: (GateServer) async throws -> Void
    ) async throws {
        var settings = GateSettings(
            listen: Endpoint(host: "127.0.0.1", port: 0),
            upstream: UpstreamSettings(Endpoint(host: "api.example", port: 80))
        )
        settings.upstream.refresh = .milliseconds(20)
        let server = try await GateServer.start(
            settings: settings,
            ruleSet: Stage.ruleSet(minimum: "2.0"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            lookup: { _ in
                questions.update { $0 += 1 }
                return answers.current
            }
        )
        do {
            try await body(server)
        } catch {
            _ = await server.shutDown(timeout: .seconds(5))
            throw error
        }
        _ = await server.shutDown(timeout: .seconds(5))
    }

    private static func answer(_ backends: ScriptedBackend...) throws -> Answer {
        .success(
            try backends.map { try SocketAddress(ipAddress: "127.0.0.1", port: Int($0.port)) }
        )
    }

    private static func status(_ server: GateServer) throws -> Int {
        let client = try RawClient(port: UInt16(try #require(server.clientAddress?.port)))
        defer { client.close() }
        try client.send(Message.get)
        return try client.response().status
    }

    /// Sends requests until a backend is reached.
    private static func ask(_ server: GateServer, until backend: ScriptedBackend) throws {
        let deadline = Deadline.usual
        while backend.record.exchanges.isEmpty {
            #expect(try Self.status(server) == 200)
            try #require(!deadline.hasPassed)
        }
    }

    @Test func `requests follow a name to its new addresses`() async throws {
        let old = try ScriptedBackend { _ in [.echo] }
        let new = try ScriptedBackend { _ in [.echo] }
        let answers = Watched(try Self.answer(old))
        try await self.play(answers) { server in
            try Self.ask(server, until: old)
            let moved = try Self.answer(new)
            answers.update { $0 = moved }
            try Self.ask(server, until: new)
            // The idle connection to the old address is closed.
            _ = try old.waitUntilAllEnded()
            let count = old.record.exchanges.count
            for _ in 0..<5 { #expect(try Self.status(server) == 200) }
            #expect(old.record.exchanges.count == count)
        }
    }

    @Test func `the addresses of a name take turns`() async throws {
        let backends = try (0..<2).map { _ in try ScriptedBackend { _ in [.echo] } }
        try await self.play(Watched(try Self.answer(backends[0], backends[1]))) { server in
            for _ in 0..<6 {
                let status = try Self.status(server)
                #expect(status == 200)
            }
        }
        #expect(backends.map(\.record.exchanges.count) == [3, 3])
    }

    @Test func `the last addresses are kept if the lookup fails`() async throws {
        let backend = try ScriptedBackend { _ in [.echo] }
        let questions = Watched(0)
        let answers = Watched(try Self.answer(backend))
        try await self.play(answers, questions) { server in
            #expect(try Self.status(server) == 200)
            answers.update { $0 = Self.unknown }
            // The first of these lookups may have been in progress.
            let asked = questions.current
            try questions.wait(for: "more questions") { $0 >= asked + 3 ? true : nil }
            for _ in 0..<5 { #expect(try Self.status(server) == 200) }
        }
    }

    @Test func `a name that cannot be resolved causes 502s until it can`() async throws {
        let backend = try ScriptedBackend { _ in [.echo] }
        let answers = Watched(Self.unknown)
        try await self.play(answers) { server in
            #expect(try Self.status(server) == 502)
            let answer = try Self.answer(backend)
            answers.update { $0 = answer }
            let deadline = Deadline.usual
            while try Self.status(server) != 200 { try #require(!deadline.hasPassed) }
        }
    }
}
