import GatePolicy
import GateTestSupport
import OwnThread
import Testing

@testable import GateCensus

extension HyperLogLog {
    /// Creates a sketch of a number of random hashes.
    init(of count: Int, using generator: inout SeededGenerator) {
        self.init()
        for _ in 0..<count { self.add(generator.next()) }
    }
}

extension CensusTally {
    /// Creates a tally with the tests' key.
    convenience init(
        cells: Int,
        sightings: Int = 1 << 18,
        countsDevices: Bool = true,
        samplesReturns: Bool = false
    ) throws {
        let hash = try #require(SipHash(key: (0..<16).map { UInt8($0) }))
        self.init(
            Settings(
                maxCells: cells,
                maxSightings: sightings,
                hash: hash,
                countsDevices: countsDevices,
                samplesReturns: samplesReturns
            )
        )
    }

    /// Counts a request as the gate does, by the digest of its client fields.
    @discardableResult
    func count(
        _ client: CensusClient,
        _ outcome: Int,
        digest: UInt64,
        device: String? = nil
    ) -> CensusReceipt {
        let cell =
            self.cell(for: digest)
            ?? self.newCell(for: digest, outcome: outcome, by: .withoutRules) { output in
                Self.write(client.platform, "x-app-platform", to: &output)
                    && Self.write(client.version, "x-app-version", to: &output)
            }
        if let device {
            self.count(
                cell,
                device: Array(device.utf8).span,
                digest: UInt64(bitPattern: Int64(device.hashValue))
            )
        } else {
            self.count(cell)
        }
        return self.receipt(for: cell)
    }

    private static func write(
        _ part: CensusClient.Part,
        _ field: String,
        to output: inout OutputSpan<UInt8>
    ) -> Bool {
        let index = RuleSet.withoutRules.identityHeaderNames.firstIndex(of: field)
        guard let index, let text = part.text else { return true }
        return ClientFieldBuffer.writeHeader(at: UInt8(index), text.utf8Span.span, to: &output)
    }
}

extension RuleSet {
    fileprivate static let withoutRules = RuleSet(RuleSetDefinition(revision: "1"))
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
