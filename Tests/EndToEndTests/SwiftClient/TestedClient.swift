import Foundation
import GateTestSupport

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client from the library, and the states that it has received.
final class TestedClient: Sendable {
    static let checkTimeout: TimeInterval = 20

    let client: VersionGateClient
    /// All received states, in order.
    let heard = Watched<[GateState]>([])
    private let listener = Locked<Task<Void, Never>?>(nil)

    init(
        port: UInt16,
        version: String = "3.4.9",
        storage: any GateStorage = TestStorage(),
        surroundings: ClientEnvironment = .prompt
    ) throws {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw HarnessError("invalid URL")
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

    /// Blocks until a matching state is received after the first `count` states.
    @discardableResult
    func waitForState(
        _ awaited: String,
        after count: Int = 0,
        where isAwaited: (GateState) -> Bool
    ) throws -> Int {
        do {
            return try self.heard.wait(for: awaited) { states in
                states.dropFirst(count).firstIndex(where: isAwaited).map { $0 + 1 }
            }
        } catch {
            throw HarnessError("\(error); received \(self.heard.current)")
        }
    }

    /// Sends a request for a path through the gate.
    func get(_ path: String) async throws -> (Data, HTTPURLResponse) {
        let url = self.client.baseURL.appendingPathComponent(path)
        let (data, response) = try await self.client.data(for: URLRequest(url: url))
        guard let response = response as? HTTPURLResponse else {
            throw HarnessError("not an HTTP response")
        }
        return (data, response)
    }

    /// Returns the denial of a path; throws if the path is allowed.
    func denial(_ path: String) async throws -> Denial {
        do {
            _ = try await self.get(path)
        } catch let denied as GateDenied {
            return denied.denial
        }
        throw HarnessError("\(path) was not denied")
    }
}

/// A storage that keeps its data across clients for the duration of a test.
final class TestStorage: GateStorage {
    private let kept = Locked<[String: Data]>([:])

    func data(for key: String) -> Data? { self.kept.withLock { $0[key] } }

    func store(_ data: Data, for key: String) { self.kept.withLock { $0[key] = data } }
}

extension ClientEnvironment {
    /// Surroundings in which timeouts never expire, and a lost connection is retried at once.
    static let prompt = Self.returning(after: nil)

    /// Surroundings in which timeouts never expire, and a lost connection is retried once the latch
    /// is open, or at once without a latch.
    static func returning(after latch: Latch?) -> ClientEnvironment {
        .test { seconds in
            if [TestedClient.checkTimeout, EventFeed.heartbeatTimeout].contains(seconds) {
                try await Self.forever()
            }
            try await latch?.opens()
            await Task.yield()
        }
    }

    /// Surroundings in which no timeout ever expires, for one request and its response.
    static let asking = Self.test { _ in try await Self.forever() }

    static func test(
        share: Double = 0,
        sleep: @escaping @Sendable (_ seconds: TimeInterval) async throws -> Void
    ) -> ClientEnvironment {
        ClientEnvironment(now: { Date() }, sleep: sleep, share: { share })
    }

    /// Suspends until the task is canceled.
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
