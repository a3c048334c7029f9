import Foundation
import GateTestSupport

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client of the library, and what it heard.
final class TestedClient: Sendable {
    static let checkTimeout: TimeInterval = 20

    let client: VersionGateClient
    /// All states that it was told, in order.
    let heard = Watched<[GateState]>([])
    private let listener = Locked<Task<Void, Never>?>(nil)

    init(
        port: UInt16,
        version: String = "3.4.9",
        storage: any GateStorage = TestStorage(),
        surroundings: ClientSurroundings = .prompt
    ) throws {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw HarnessError("no address")
        }
        self.client = VersionGateClient(
            baseURL: url,
            identity: AppIdentity(platform: "ios", version: version, app: "com.example.shop"),
            session: URLSession(configuration: .ephemeral),
            storage: storage,
            checkTimeout: Self.checkTimeout,
            surroundings: surroundings
        )
    }

    deinit {
        self.listener.withLock { $0?.cancel() }
    }

    func listen() {
        let (states, heard) = (self.client.states, self.heard)
        let task = Task {
            for await state in states { heard.update { $0.append(state) } }
        }
        self.listener.withLock { $0 = task }
    }

    func stopListening() {
        self.listener.withLock { $0?.cancel() }
    }

    /// Blocks until it was told such a state, past so many.
    @discardableResult
    func hears(
        _ awaited: String,
        after count: Int = 0,
        where isAwaited: (GateState) -> Bool
    ) throws -> Int {
        do {
            return try self.heard.wait(for: awaited) { states in
                states.dropFirst(count).firstIndex(where: isAwaited).map { $0 + 1 }
            }
        } catch {
            throw HarnessError("\(error); heard \(self.heard.current)")
        }
    }

    /// Asks for a path behind the gate.
    func get(_ path: String) async throws -> (Data, HTTPURLResponse) {
        let url = self.client.baseURL.appendingPathComponent(path)
        let (data, response) = try await self.client.data(for: URLRequest(url: url))
        guard let response = response as? HTTPURLResponse else { throw HarnessError("no HTTP") }
        return (data, response)
    }

    /// The denial of a path behind the gate; throws if there is none.
    func denial(_ path: String) async throws -> Denial {
        do {
            _ = try await self.get(path)
        } catch let denied as GateDenied {
            return denied.denial
        }
        throw HarnessError("\(path) was not denied")
    }
}

/// Keeps everything as long as the test runs, across clients.
final class TestStorage: GateStorage {
    private let kept = Locked<[String: Data]>([:])

    func data(for key: String) -> Data? { self.kept.withLock { $0[key] } }

    func store(_ data: Data, for key: String) { self.kept.withLock { $0[key] = data } }
}

extension ClientSurroundings {
    /// No time is ever up but that until the next try after a loss, which is up at once.
    static let prompt = Self.returning(after: nil)

    /// No time is ever up but that until the next try after a loss: once the latch is open, if there
    /// is one.
    static func returning(after latch: Latch?) -> ClientSurroundings {
        .test { seconds in
            if [TestedClient.checkTimeout, EventFeed.longestSilence].contains(seconds) {
                try await Self.forever()
            }
            try await latch?.opens()
            await Task.yield()
        }
    }

    /// No time is ever up: one question, one answer.
    static let asking = Self.test { _ in try await Self.forever() }

    static func test(
        share: Double = 0,
        sleep: @escaping @Sendable (_ seconds: TimeInterval) async throws -> Void
    ) -> ClientSurroundings {
        ClientSurroundings(now: { Date() }, sleep: sleep, share: { share })
    }

    /// Suspends until the task is cancelled.
    static func forever() async throws {
        for await _ in AsyncStream<Never>(Never.self, { _ in }) {}
        try Task.checkCancellation()
    }
}

extension GateState {
    var isRequired: Bool {
        guard case .required = self else { return false }
        return true
    }

    var isMaintenance: Bool {
        guard case .maintenance = self else { return false }
        return true
    }

    var isUnknown: Bool {
        guard case .unknown = self else { return false }
        return true
    }

    var update: Update? {
        switch self {
        case .recommended(let update), .required(let update): update
        case .allowed, .maintenance, .unknown: nil
        }
    }
}
