import GatePolicy
import Testing

@testable import GateCensus

@Suite(.ownThread)
struct CensusBucketTests {
    @Test func `in a flood, the cells with the most requests are kept`() throws {
        let tally = try CensusTally(cells: 1_000)
        let passes = tally.place(of: .passes)
        for number in 0..<900 {
            tally.count(.ios("0.\(number)"), passes, digest: UInt64(number + 1))
        }
        for _ in 0..<5 { tally.count(.ios("4.0"), passes, digest: 5_000) }
        var bucket = CensusBucket(limit: 10)
        bucket.add(tally.take())
        let current = CensusCell(client: .ios("4.0"), outcome: .passes)
        #expect(bucket.cells[current]?.requests == 5)
        #expect(bucket.cells.count == 11)
        #expect(bucket.overflow == 891)
        #expect(bucket.cells[current.other]?.requests == 891)
    }

    /// Each version has one request from one device.
    ///
    /// The limit is a property of the structure, so a hundredth of ten million versions is enough.
    @Test func `a hundred thousand random versions use the memory of a few`() throws {
        let tally = try CensusTally(cells: 50)
        let passes = tally.place(of: .passes)
        var bucket = CensusBucket(limit: 50)
        var held = 0
        for round in 0..<100 {
            for number in 0..<1_000 {
                let version = round * 1_000 + number
                tally.count(
                    .ios("\(version)"),
                    passes,
                    digest: UInt64(version + 1),
                    device: "device-\(version)"
                )
            }
            bucket.add(tally.take())
            held = max(held, bucket.memoryBytes)
        }
        #expect(bucket.cells.count == 51)
        #expect(bucket.cells.values.reduce(0) { $0 + $1.requests } == 100_000)
        // The cell for the rest is dense, and all others have one device each.
        #expect(held <= HyperLogLog.registerCount + 50 * 100)
        let other = try #require(bucket.cells[CensusCell(client: nil, outcome: .passes)])
        #expect(abs(other.devices.count - 99_950) < 3_000)
    }

    @Test func `a minute has the same cells regardless of the number of writes`() throws {
        let tally = try CensusTally(cells: 1_000)
        let passes = tally.place(of: .passes)
        var bucket = CensusBucket(limit: 10)
        var seen: Set<CensusCell> = []
        for write in 0..<6 {
            for number in 0..<10 {
                tally.count(
                    .ios("\(write).\(number)"),
                    passes,
                    digest: UInt64(write * 10 + number + 1)
                )
            }
            tally.count(.ios("0.0"), passes, digest: 1)
            bucket.add(tally.take())
            let taken = bucket.take()
            #expect(taken.cells.values.reduce(0) { $0 + $1.requests } == 11)
            #expect(taken.overflow == (write == 0 ? 0 : 10))
            seen.formUnion(taken.cells.keys)
        }
        #expect(seen.count == 11)
        bucket.beginAnew()
        tally.count(.ios("9.9"), passes, digest: 99)
        bucket.add(tally.take())
        #expect(bucket.cells.keys.first?.client == .ios("9.9"))
    }

    @Test func `the number of outcomes is limited`() throws {
        let tally = try CensusTally(cells: 0)
        for number in 0..<100 {
            let outcome = CensusOutcome(paths: .none, kind: .require, rule: "rule\(number)")
            tally.count(.ios("1"), tally.place(of: outcome), digest: UInt64(number + 1))
        }
        var bucket = CensusBucket(limit: 10)
        bucket.add(tally.take())
        #expect(bucket.cells.count == 11)
        #expect(bucket.cells.values.reduce(0) { $0 + $1.requests } == 100)
    }

    @Test func `a client is stored by its values, and its OS by the major version`() throws {
        let identity = ClientIdentity(
            app: .stated("com.example.shop"),
            platform: .stated(.ios),
            version: .stated(try AppVersion(parsing: "4.2.0-rc.1")),
            build: .unreadable("twelve"),
            osVersion: .stated(try AppVersion(parsing: "17.4.1"))
        )
        let client = try #require(CensusClient(identity))
        #expect(
            client.parts == [
                .stated("com.example.shop"), .stated("ios"), .missing, .stated("4.2.0-rc.1"),
                .unreadable, .stated("17"),
            ]
        )
        #expect(client.identity.version == identity.version)
        #expect(client.identity.platform == identity.platform)
        #expect(client.identity.osVersion == .stated(try AppVersion(parsing: "17")))
        #expect(client.identity.build.value == nil)
    }

    @Test func `a client with values that are too long is not stored`() {
        let app = String(repeating: "a", count: 161)
        #expect(CensusClient(ClientIdentity(app: .stated(app))) == nil)
    }
}

extension CensusBucket {
    /// The memory used by the sketches, in bytes.
    var memoryBytes: Int { self.cells.values.reduce(0) { $0 + $1.devices.memoryBytes } }
}
