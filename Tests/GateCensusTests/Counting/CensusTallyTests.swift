import GatePolicy
import Testing

@testable import GateCensus

struct CensusTallyTests {
    private static func bucket(_ harvests: CensusHarvest..., limit: Int = 100) -> CensusBucket {
        var bucket = CensusBucket(limit: limit)
        for harvest in harvests { bucket.add(harvest) }
        return bucket
    }

    private static func cell(_ version: String, _ outcome: CensusOutcome) -> CensusCell {
        CensusCell(client: .ios(version), outcome: outcome)
    }

    @Test func `requests and devices are counted by client and outcome`() throws {
        let tally = try CensusTally(cells: 10)
        let (passes, refused) = (tally.place(of: .passes), tally.place(of: .refused))
        #expect(tally.place(of: .passes) == passes)
        for device in ["a", "b", "a"] {
            tally.count(.ios("4.0"), passes, digest: 1, device: device)
        }
        tally.count(.ios("4.0"), passes, digest: 1)
        tally.count(.ios("3.0"), refused, digest: 2, device: "c")
        let cells = Self.bucket(tally.take()).cells
        #expect(cells.count == 2)
        let current = try #require(cells[Self.cell("4.0", .passes)])
        #expect(current.requests == 4 && current.identified == 3 && current.devices.count == 2)
        let old = try #require(cells[Self.cell("3.0", .refused)])
        #expect(old.requests == 1 && old.identified == 1 && old.devices.count == 1)
    }

    @Test func `what was taken is not counted again, and a device that comes again is`() throws {
        let tally = try CensusTally(cells: 10)
        let passes = tally.place(of: .passes)
        for _ in 0..<3 {
            tally.count(.ios("4.0"), passes, digest: 1, device: "a")
            let taken = Self.bucket(tally.take()).cells
            #expect(taken[Self.cell("4.0", .passes)]?.requests == 1)
            #expect(taken[Self.cell("4.0", .passes)]?.devices.count == 1)
            #expect(Self.bucket(tally.take()).isEmpty)
        }
    }

    @Test func `several ways to write a client are one cell`() throws {
        let tally = try CensusTally(cells: 25)
        let passes = tally.place(of: .passes)
        for digest in 1...50 as ClosedRange<UInt64> {
            tally.count(.ios("4.0"), passes, digest: digest)
        }
        #expect(Self.bucket(tally.take()).cells[Self.cell("4.0", .passes)]?.requests == 50)
    }

    @Test func `a digest of zero is read each time`() throws {
        let tally = try CensusTally(cells: 10)
        let passes = tally.place(of: .passes)
        for _ in 0..<3 { tally.count(.ios("4.0"), passes, digest: 0) }
        #expect(tally.cell(for: 0) == nil)
        #expect(Self.bucket(tally.take()).cells[Self.cell("4.0", .passes)]?.requests == 3)
    }

    @Test func `made-up versions take no more cells than there are, and none is lost`() throws {
        let tally = try CensusTally(cells: 100)
        let outcomes = [tally.place(of: .passes), tally.place(of: .refused)]
        for number in 0..<100_000 {
            tally.count(
                .ios("\(number)"),
                outcomes[number % 2],
                digest: UInt64(number + 1) << 32 | UInt64(number + 1)
            )
        }
        let bucket = Self.bucket(tally.take())
        #expect(bucket.cells.count == 102)
        #expect(bucket.cells.values.reduce(0) { $0 + $1.requests } == 100_000)
        #expect(bucket.overflow == 99_900)
        let others = bucket.cells.filter { $0.key.client == nil }
        #expect(Set(others.keys.map(\.outcome)) == [.passes, .refused])
        #expect(others.values.reduce(0) { $0 + $1.requests } == 99_900)
        // They are forgotten, so that others have their turn.
        tally.count(.ios("4.0"), outcomes[0], digest: 5)
        #expect(Self.bucket(tally.take()).cells[Self.cell("4.0", .passes)]?.requests == 1)
    }

    @Test func `more devices than there is room for are lost and said, and their requests are not`()
        throws
    {
        let tally = try CensusTally(cells: 10, sightings: 1_000)
        let passes = tally.place(of: .passes)
        for device in 0..<5_000 {
            tally.count(.ios("4.0"), passes, digest: 1, device: "device-\(device)")
        }
        let bucket = Self.bucket(tally.take())
        let figures = try #require(bucket.cells[Self.cell("4.0", .passes)])
        #expect(figures.requests == 5_000 && figures.identified == 5_000)
        #expect((900...1_100).contains(figures.devices.count))
        #expect(bucket.lostSightings > 3_500)
    }
}
