import GatePolicy
import OwnThread
import Testing

@testable import GateCensus

/// Random numbers that come out the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

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
