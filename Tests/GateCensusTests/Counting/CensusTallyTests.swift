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

    @Test(arguments: [true, false])
    func `requests are counted without devices if devices are disabled`(wanted: Bool) throws {
        let tally = try CensusTally(cells: 10, countsDevices: wanted, samplesReturns: true)
        let refused = tally.place(of: .refused)
        for device in ["a", "b", "a"] {
            tally.count(.ios("3.0"), refused, digest: 1, device: device)
        }
        let harvest = tally.take()
        #expect(harvest.deviceSightings { _ in true }.isEmpty != wanted)
        #expect(harvest.lostSightings == 0)
        let figures = try #require(Self.bucket(harvest).cells[Self.cell("3.0", .refused)])
        #expect(figures.requests == 3)
        #expect(figures.identified == (wanted ? 3 : 0))
        #expect(figures.devices.count == (wanted ? 2 : 0))
    }

    @Test func `taken counts are not repeated, and a device is counted again after that`() throws {
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

    @Test func `several spellings of a client are one cell`() throws {
        let tally = try CensusTally(cells: 25)
        let passes = tally.place(of: .passes)
        for digest in 1...50 as ClosedRange<UInt64> {
            tally.count(.ios("4.0"), passes, digest: digest)
        }
        #expect(Self.bucket(tally.take()).cells[Self.cell("4.0", .passes)]?.requests == 50)
    }

    @Test func `a client with a digest of zero is parsed for each request`() throws {
        let tally = try CensusTally(cells: 10)
        let passes = tally.place(of: .passes)
        for _ in 0..<3 { tally.count(.ios("4.0"), passes, digest: 0) }
        #expect(tally.cell(for: 0) == nil)
        #expect(Self.bucket(tally.take()).cells[Self.cell("4.0", .passes)]?.requests == 3)
    }

    @Test func `random versions never exceed the cell limit, and no request is lost`() throws {
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
        // The take releases the cells, which can then be used for other clients.
        tally.count(.ios("4.0"), outcomes[0], digest: 5)
        #expect(Self.bucket(tally.take()).cells[Self.cell("4.0", .passes)]?.requests == 1)
    }

    @Test func `devices beyond the capacity are reported as lost, but requests are counted`()
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

    @Test func `a failed response is counted in its cell, also after the take`()
        throws
    {
        let tally = try CensusTally(cells: 10)
        let (passes, refused) = (tally.place(of: .passes), tally.place(of: .refused))
        var bucket = CensusBucket(limit: 10)
        tally.count(.ios("3.0"), refused, digest: 1)
        let early = tally.count(.ios("4.0"), passes, digest: 2)
        let late = tally.count(.ios("4.0"), passes, digest: 2)
        tally.countServerError(early)
        tally.countServerError(.none)
        bucket.add(tally.take())
        let first = bucket.take().cells
        #expect(first[Self.cell("4.0", .passes)]?.serverErrors == 1)
        #expect(first[Self.cell("4.0", .passes)]?.watched == 2)
        #expect(first[Self.cell("3.0", .refused)]?.watched == 0)
        // By now, the index belongs to another client's cell, and another minute has started.
        bucket.beginAnew()
        for digest in 5...7 as ClosedRange<UInt64> {
            tally.count(.ios("9.\(digest)"), passes, digest: digest)
        }
        for _ in 0..<3 { tally.countServerError(late) }
        bucket.add(tally.take())
        let second = bucket.take().cells
        let own = try #require(second[Self.cell("4.0", .passes)])
        #expect(own.serverErrors == 3 && own.requests == 0 && own.watched == 0)
        let others = second.filter { $0.key != Self.cell("4.0", .passes) }
        #expect(others.count == 3 && others.values.allSatisfy { $0.serverErrors == 0 })
    }

    @Test func `a failed response that is too late or from another event loop is dropped`()
        throws
    {
        // An event loop's last eight cells are kept longer.
        var bucket = CensusBucket(limit: 4)
        let tallies = [try CensusTally(cells: 4), try CensusTally(cells: 4)]
        let passes = tallies.map { $0.place(of: .passes) }
        var receipts: [CensusReceipt] = []
        for round in 1...4 as ClosedRange<UInt64> {
            for digest in 1...4 as ClosedRange<UInt64> {
                let client = CensusClient.ios("\(round).\(digest)")
                let words = round << 8 | digest
                receipts.append(tallies[0].count(client, passes[0], digest: words))
            }
            bucket.add(tallies[0].take())
            bucket.beginAnew()
        }
        _ = bucket.take()
        // The other event loop has no harvests with these numbers.
        for receipt in receipts { tallies[1].countServerError(receipt) }
        bucket.add(tallies[1].take())
        #expect(bucket.take().isEmpty)
        for receipt in receipts { tallies[0].countServerError(receipt) }
        // Counted before the minute's bucket drops cells beyond its limit.
        let counted = bucket.add(tallies[0].take()).filter { $0.value.serverErrors > 0 }
        let versions = Set(counted.keys.compactMap { $0.client?.version.text })
        #expect(versions == ["3.1", "3.2", "3.3", "3.4", "4.1", "4.2", "4.3", "4.4"])
        #expect(counted.values.allSatisfy { $0.serverErrors == 1 })
    }

    @Test func `the number of late responses is limited`() throws {
        let tally = try CensusTally(cells: 10_000)
        let passes = tally.place(of: .passes)
        let receipts = (1...5_000 as ClosedRange<UInt64>).map { digest in
            tally.count(.ios("\(digest)"), passes, digest: digest)
        }
        _ = tally.take()
        for _ in 0..<2 {
            for receipt in receipts { tally.countServerError(receipt) }
        }
        let late = tally.take().lateErrors
        #expect(late.count == 4_096 && late.values.allSatisfy { $0 == 2 })
    }

    @Test func `paths are counted by shape, within a limit`() throws {
        let tally = try CensusTally(cells: 2)
        let passes = tally.place(of: .passes)
        func visit(_ path: String, digest: UInt64) throws {
            tally.count(.ios("4.\(digest)"), passes, digest: digest)
            let cell = try #require(tally.cell(for: digest))
            let method = Array("GET".utf8)
            tally.recordPath(of: cell, method: method.span, target: Array(path.utf8).span)
        }
        for video in 0..<5 { try visit("/video/\(video)?q=1", digest: 1) }
        try visit("/a//b", digest: 1)
        for name in 0..<20 { try visit("/\(Self.words[name])", digest: 2) }
        var bucket = Self.bucket(tally.take(), limit: 2)
        let figures = try #require(bucket.cells[Self.cell("4.1", .passes)])
        #expect(figures.shapes.covered == 6 && figures.shapes.shapeless == 1)
        #expect(figures.shapes.counts.map(\.key.text) == ["GET /video/*"])
        let flood = try #require(bucket.cells[Self.cell("4.2", .passes)]).shapes
        // The limit is four per cell, which makes eight for both cells.
        #expect(flood.counts.count + figures.shapes.counts.count == 8)
        #expect(flood.covered == 20 && flood.counts.values.reduce(0, +) + flood.shapeless == 20)
        // The next minute has capacity again.
        bucket.beginAnew()
        try visit("/late", digest: 2)
        _ = bucket.take()
        bucket.add(tally.take())
        #expect(bucket.cells[Self.cell("4.2", .passes)]?.shapes.counts.count == 1)
    }

    private static let words = "abcdefghijklmnopqrst".map { "\($0)a" }

    @Test func `the path log is limited, and requests are still counted`() throws {
        let tally = try CensusTally(cells: 10)
        let passes = tally.place(of: .passes)
        tally.count(.ios("4.0"), passes, digest: 1)
        let cell = try #require(tally.cell(for: 1))
        let path = Array("/\(String(repeating: "a/", count: 80))".utf8)
        for _ in 0..<10_000 {
            tally.count(.ios("4.0"), passes, digest: 1)
            tally.recordPath(of: cell, method: Array("GET".utf8).span, target: path.span)
        }
        let shapes = try #require(
            Self.bucket(tally.take()).cells[Self.cell("4.0", .passes)]
        ).shapes
        #expect(shapes.covered == 10_001)
        #expect((250...48 * 1024 / 160).contains(Int(shapes.shapeless)))
    }
}
