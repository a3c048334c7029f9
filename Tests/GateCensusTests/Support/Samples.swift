import GatePolicy
import GateTestSupport
import OwnThread
import Testing

@testable import GateCensus

extension HyperLogLog {
    /// A sketch of so many random hashes.
    init(of count: Int, using generator: inout SeededGenerator) {
        self.init()
        for _ in 0..<count { self.add(generator.next()) }
    }
}

extension CensusTally {
    /// A tally under a key that tests know.
    convenience init(cells: Int, sightings: Int = 1 << 18) throws {
        let hash = try #require(SipHash(key: (0..<16).map { UInt8($0) }))
        self.init(Settings(maxCells: cells, maxSightings: sightings, hash: hash))
    }

    /// Counts a request as the gate does, by what stands for its client's words.
    func count(
        _ client: CensusClient,
        _ outcome: Int,
        digest: UInt64,
        device: String? = nil
    ) {
        let cell =
            self.cell(for: digest) ?? self.cell(for: client, outcome: outcome, digest: digest)
        if let device {
            self.count(
                cell,
                device: Array(device.utf8).span,
                digest: UInt64(bitPattern: Int64(device.hashValue))
            )
        } else {
            self.count(cell)
        }
    }
}

extension CensusClient {
    static func ios(_ version: String) -> CensusClient {
        CensusClient(platform: .stated("ios"), version: .stated(version))
    }
}

extension CensusOutcome {
    static let passes = CensusOutcome(paths: .none, kind: .allow, rule: "none")
    static let refused = CensusOutcome(paths: .none, kind: .require, rule: "floor")
}

extension Trait where Self == OwnThreadTrait {
    static var ownThread: Self { Self() }
}
