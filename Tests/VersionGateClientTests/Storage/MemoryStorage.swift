import Foundation

@testable import VersionGateClient

/// Stores data in memory.
final class MemoryStorage: GateStorage {
    private let kept = Locked<[String: Data]>([:])

    func data(for key: String) -> Data? { self.kept.withLock { $0[key] } }

    func store(_ data: Data, for key: String) { self.kept.withLock { $0[key] = data } }
}
