import GateCensus
import GatePolicy
import GateTestSupport
import Testing

@testable import GateRecords

@Suite(.ownThread)
struct ReturnStoreTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    private static let rules = RuleSet(RuleSetDefinition(revision: "1"))

    /// Returns an event loop's harvest with one request per device.
    private static func harvest(
        _ devices: Range<Int>,
        _ kind: Decision.Kind,
        _ version: String,
        samples: Bool = true
    ) throws -> CensusHarvest {
        let hash = try #require(SipHash(key: Array(repeating: 7, count: 16)))
        let tally = CensusTally(
            CensusTally.Settings(maxCells: 10, hash: hash, samplesReturns: samples)
        )
        let rule = kind == .require ? "floor" : "none"
        let place = tally.place(of: CensusOutcome(paths: .none, kind: kind, rule: rule))
        let index = try #require(
            Self.rules.identityHeaderNames.firstIndex(of: "x-app-version")
        )
        let cell = tally.newCell(for: 1, outcome: place, by: Self.rules) { output in
            ClientFieldBuffer.writeHeader(
                at: UInt8(index),
                Array(version.utf8).span,
                to: &output
            )
        }
        for device in devices {
            let text = "device-\(device)"
            tally.count(cell, device: Array(text.utf8).span, digest: UInt64(device + 1) << 40)
        }
        return tally.take()
    }

    @Test func `the sample survives a restart, and ends with a purge, a different key or age`()
        throws
    {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = StateFolder(path: folder.path)
        let store = try ReturnStore(in: state, keyDigest: 1)
        store.add([try Self.harvest(0..<100, .require, "3.0")], at: Self.now)
        try store.write(at: Self.now)
        let again = try ReturnStore(in: state, keyDigest: 1)
        again.add([try Self.harvest(20..<50, .allow, "4.0")], at: Self.now.advanced(by: 60))
        try again.write(at: Self.now.advanced(by: 60))
        let read = try #require(try ReturnStore(reading: folder.path))
        let share = try #require(read.shares["floor"])
        #expect(read.shares.count == 1 && share.refused == 100 && share.returned == 30)
        // A command purges the file, and the gate discards its copy at the next write.
        try read.purge()
        try again.write(at: Self.now.advanced(by: 120))
        #expect(again.shares.isEmpty)
        again.add([try Self.harvest(0..<10, .require, "3.0")], at: Self.now)
        try again.write(at: Self.now)
        try again.write(at: Self.now.advanced(by: ReturnSample.memory + 1))
        #expect(try ReturnStore(reading: folder.path)?.shares.isEmpty == true)
        again.add([try Self.harvest(0..<10, .require, "3.0")], at: Self.now)
        try again.write(at: Self.now)
        #expect(try ReturnStore(in: state, keyDigest: 1).shares.count == 1)
        #expect(try ReturnStore(in: state, keyDigest: 2).shares.isEmpty)
        #expect(try ReturnStore(reading: "\(folder.path)/nowhere") == nil)
    }

    @Test func `without sampling, no device is returned`() throws {
        let store = try ReturnStore(in: nil, keyDigest: 1)
        store.add([try Self.harvest(0..<100, .require, "3.0", samples: false)], at: Self.now)
        #expect(store.shares.isEmpty)
    }

    @Test func `an event loop returns a limited number of devices`() throws {
        let harvest = try Self.harvest(0..<20_000, .require, "3.0")
        let sightings = harvest.deviceSightings { _ in false }
        #expect(sightings.count < 4_096 && sightings.count > 1_000)
        let isBelow = sightings.allSatisfy { $0.device <= harvest.highestDevice }
        #expect(isBelow && harvest.highestDevice < ReturnSample.allDevices)
    }
}
