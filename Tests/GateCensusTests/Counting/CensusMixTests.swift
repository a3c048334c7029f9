import GatePolicy
import GateTestSupport
import Testing

@testable import GateCensus

/// The census of a known mix.
@Suite(.ownThread)
struct CensusMixTests {
    /// A million requests from a thousand kinds of clients, with decreasing frequency.
    @Test func `for a million requests, shares are exact and devices approximate`() throws {
        let (cells, requests) = (1_000, 1_000_000)
        var generator = SeededGenerator(seed: 7)
        // A Zipf distribution, which is typical for app versions.
        var ends: [Double] = []
        var sum = 0.0
        for cell in 1...cells {
            sum += 1 / Double(cell)
            ends.append(sum)
        }
        let tally = try CensusTally(cells: 2_000)
        let outcome = tally.place(of: .passes)
        var bucket = CensusBucket(limit: 2_000)
        var counts = Array(repeating: UInt64(0), count: cells)
        var devices = Array(repeating: Set<UInt64>(), count: cells)
        for number in 1...requests {
            let place = Double.random(in: 0..<sum, using: &generator)
            let cell = ends.partitioningIndex { place < $0 }
            // Some devices return, most do not.
            let device = UInt64.random(in: 0..<UInt64(requests / (cell + 1)), using: &generator)
            counts[cell] += 1
            devices[cell].insert(device)
            tally.count(
                .ios("\(cell)"),
                outcome,
                digest: UInt64(cell + 1),
                device: "\(cell)-\(device)"
            )
            if number % 50_000 == 0 { bucket.add(tally.take()) }
        }
        #expect(bucket.overflow == 0 && bucket.lostSightings == 0)
        var errors: [Double] = []
        for cell in 0..<cells {
            let place = CensusCell(client: .ios("\(cell)"), outcome: .passes)
            let figures = try #require(bucket.cells[place])
            #expect(figures.requests == counts[cell])
            let count = Double(devices[cell].count)
            errors.append((Double(figures.devices.count) - count) / count)
        }
        let mean = (errors.reduce(0) { $0 + $1 * $1 } / Double(cells)).squareRoot()
        let worst = errors.map(abs).sorted()[cells * 99 / 100]
        let words =
            "RMS \(mean * 100)%, p99 \(worst * 100)%, "
            + "\(devices.map(\.count).max() ?? 0) devices in the largest cell"
        print(words)
        Attachment.record(words, named: "error.txt")
        #expect(mean <= 0.01)
        #expect(worst <= 0.025)
    }

    @Test func `ten million random versions use no more memory than the limit`() throws {
        let limit = 2_000
        let tally = try CensusTally(cells: limit)
        let outcome = tally.place(of: .passes)
        var bucket = CensusBucket(limit: limit)
        var counted: UInt64 = 0
        for fetch in 0..<10 {
            for number in 0..<1_000_000 {
                let digest = UInt64(fetch * 1_000_000 + number + 1) &* 0x9E37_79B9_7F4A_7C15
                if let cell = tally.cell(for: digest) {
                    tally.count(cell)
                } else {
                    tally.count(.ios("9.\(fetch).\(number)"), outcome, digest: digest)
                }
            }
            let harvest = tally.take()
            #expect(harvest.cells.count <= limit * 2 + 1)
            // 4,000 clients with at most 1,024 bytes of text.
            #expect(harvest.words.count <= limit * 2 * 1_024)
            counted += bucket.add(harvest).values.reduce(0) { $0 + $1.requests }
            #expect(bucket.cells.count <= limit + 1)
            #expect(bucket.memoryBytes <= 34 << 20)
        }
        #expect(counted == 10_000_000)
        #expect(bucket.cells.values.reduce(0) { $0 + $1.requests } == 10_000_000)
        #expect(bucket.overflow >= 10_000_000 - UInt64(limit) * 10)
    }
}

extension [Double] {
    /// Returns the index from which the predicate is true for all elements.
    fileprivate func partitioningIndex(where isBelow: (Double) -> Bool) -> Int {
        var (start, end) = (0, self.count)
        while start < end {
            let middle = (start + end) / 2
            if isBelow(self[middle]) { end = middle } else { start = middle + 1 }
        }
        return start
    }
}
