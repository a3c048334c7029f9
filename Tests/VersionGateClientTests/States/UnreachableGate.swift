import Foundation

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A gate with an invalid address, so that no request leaves the process.
enum UnreachableGate {
    static let identity = AppIdentity(platform: "ios", version: "3.4.9")

    static func url() throws -> URL {
        guard let url = URL(string: "gate:") else { throw URLError(.badURL) }
        return url
    }

    static func endpoints(_ surroundings: ClientEnvironment = .system) throws -> GateEndpoints {
        GateEndpoints(
            baseURL: try Self.url(),
            identity: Self.identity,
            session: .shared,
            checkTimeout: 5,
            surroundings: surroundings
        )
    }

    /// Returns a storage that contains a state.
    static func storage(_ state: GateState) throws -> MemoryStorage {
        let storage = MemoryStorage()
        var kept = StoredState(nil, for: StoredState.build(Self.identity))
        kept.state = state
        storage.store(kept.data, for: StoredState.key(baseURL: try Self.url(), Self.identity))
        return storage
    }
}
