import GateTestSupport
import Testing

@testable import GateCensus

/// The format of `hyperloglog.c`, encoded by hand from its description.
@Suite(.ownThread)
struct HyperLogLogRedisTests {
    private static func header(_ encoding: UInt8) -> [UInt8] {
        Array("HYLL".utf8) + [encoding, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 0x80]
    }

    private static func sketch(_ marks: [(register: UInt32, rank: UInt32)]) -> HyperLogLog {
        var sketch = HyperLogLog()
        for mark in marks { sketch.add(.init(rawValue: mark.register << 6 | mark.rank)) }
        return sketch
    }

    @Test func `an empty sketch is one run of zeros`() {
        // XZERO: 16,384 less one is 0x3FFF.
        #expect(HyperLogLog().redisBytes == Self.header(1) + [0x7F, 0xFF])
    }

    @Test func `runs are encoded as in Redis`() {
        let sketch = Self.sketch([(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (69, 32), (1_000, 3)])
        let expected: [UInt8] = [
            0x80 | 0 << 2 | 3,  // VAL: rank 1, four times
            0x80 | 0 << 2 | 0,  // VAL: rank 1, once
            0x00 | 63,  // ZERO: 64
            0x80 | 31 << 2 | 0,  // VAL: rank 32
            0x40 | 0x03, 0xA1,  // XZERO: 930
            0x80 | 2 << 2 | 0,  // VAL: rank 3
            0x40 | 0x3C, 0x16,  // XZERO: the rest
        ]
        #expect(sketch.redisBytes == Self.header(1) + expected)
        #expect(HyperLogLog(redis: Self.header(1) + expected) == sketch)
    }

    @Test func `a rank beyond the sparse format's limit makes the encoding dense`() throws {
        let sketch = Self.sketch([(0, 33), (1, 2), (16_383, 51)])
        let bytes = sketch.redisBytes
        #expect(bytes.count == 12_304)
        #expect(Array(bytes.prefix(16)) == Self.header(0))
        // Each rank has six bits, with the low-order bits first: 33 is 100001, and 2 is 000010.
        #expect(bytes[16] == 0b10_100001)
        #expect(bytes[17] == 0b0000_0000)
        #expect(bytes[12_303] == 51 << 2)
        #expect(HyperLogLog(redis: bytes) == sketch)
    }

    @Test(arguments: [0, 1, 50, 900, 1_100, 3_000, 100_000])
    func `an encoded sketch is decoded`(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let sketch = HyperLogLog(of: count, using: &generator)
        #expect(HyperLogLog(redis: sketch.redisBytes) == sketch)
    }

    @Test func `a cached count is ignored`() {
        var bytes = Self.sketch([(5, 5)]).redisBytes
        bytes[15] = 0
        #expect(HyperLogLog(redis: bytes)?.count == 1)
    }

    static let damaged: [(String, [UInt8])] = [
        ("nothing", []),
        ("a header cut off", Array(Self.header(1).dropLast())),
        ("another magic", Array("HYLM".utf8) + Self.header(1).dropFirst(4) + [0x7F, 0xFF]),
        ("another encoding", Self.header(2) + [0x7F, 0xFF]),
        ("no registers", Self.header(1)),
        ("a register too few", Self.header(1) + [0x7F, 0xFE]),
        ("a register too many", Self.header(1) + [0x7F, 0xFF, 0x00]),
        ("half of a run", Self.header(1) + [0x7F]),
        ("all registers, one byte short", Self.header(0) + Array(repeating: 0, count: 12_287)),
        ("all registers, one byte more", Self.header(0) + Array(repeating: 0, count: 12_289)),
        ("a rank that no hash has", Self.header(0) + Array(repeating: 0xFF, count: 12_288)),
    ]

    @Test(arguments: Self.damaged)
    func `a damaged string is rejected`(name: String, bytes: [UInt8]) {
        #expect(HyperLogLog(redis: bytes) == nil)
    }

    @Test func `random bytes never trap`() {
        var generator = SeededGenerator(seed: 99)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<200, using: &generator)
            let body = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            _ = HyperLogLog(redis: Self.header(1) + body)
            _ = HyperLogLog(redis: body)
        }
    }
}
