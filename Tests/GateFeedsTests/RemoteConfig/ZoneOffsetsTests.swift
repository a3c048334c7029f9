import GatePolicy
import GateTestSupport
import Testing

@testable import GateFeeds

struct ZoneOffsetsTests {
    private static func seconds(_ text: String) throws -> Int64 {
        try Timestamp(parsing: text).secondsSinceEpoch
    }

    /// Returns TZif version 2 data with these transitions and a rule for the time after them.
    private static func file(
        _ transitions: [(at: Int64, kind: UInt8)],
        offsets: [Int32],
        rule: String
    ) -> [UInt8] {
        func header(_ times: Int, _ kinds: Int) -> [UInt8] {
            var bytes = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
            for count in [0, 0, 0, times, kinds, 1] { bytes += Self.bytes(Int32(count)) }
            return bytes
        }
        var bytes = header(0, 1) + Self.bytes(Int32(0)) + [0, 0, 0]
        bytes += header(transitions.count, offsets.count)
        for transition in transitions { bytes += Self.bytes(transition.at) }
        bytes += transitions.map(\.kind)
        for offset in offsets { bytes += Self.bytes(offset) + [0, 0] }
        return bytes + [0] + Array("\n\(rule)\n".utf8)
    }

    /// Returns a number in network byte order.
    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        stride(from: value.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: value >> $0)
        }
    }

    @Test func `the last transition applies, and the rule applies after all transitions`() throws {
        let first = try Self.seconds("1990-01-01T00:00:00Z")
        let last = try Self.seconds("2007-01-01T00:00:00Z")
        let file = Self.file(
            [(first, 1), (last, 2)],
            offsets: [-600, 3_600, 7_200],
            rule: "CET-1CEST,M3.5.0,M10.5.0/3"
        )
        let zone = try #require(ZoneOffsets(tzif: file))
        #expect(zone.offset(at: first - 1) == -600)
        #expect(zone.offset(at: first) == 3_600)
        #expect(zone.offset(at: last - 1) == 3_600)
        for (time, offset) in [
            ("2026-03-29T00:59:59Z", 3_600), ("2026-03-29T01:00:00Z", 7_200),
            ("2026-10-25T00:59:59Z", 7_200), ("2026-10-25T01:00:00Z", 3_600),
            ("2060-07-01T00:00:00Z", 7_200), ("2060-12-31T23:59:59Z", 3_600),
        ] as [(String, Int64)] {
            #expect(zone.offset(at: try Self.seconds(time)) == offset, "\(time)")
        }
    }

    @Test(arguments: [
        ("2026-07-01T12:00:00Z", "2026-07-01T10:00:00Z"),
        ("2026-12-01T12:00:00Z", "2026-12-01T11:00:00Z"),
        // An ambiguous local time is taken as its first occurrence, and a skipped local time as an hour later.
        ("2026-10-25T02:30:00Z", "2026-10-25T00:30:00Z"),
        ("2026-03-29T02:30:00Z", "2026-03-29T01:30:00Z"),
    ])
    func `a local time is one point in time`(local: String, time: String) throws {
        let file = Self.file([], offsets: [3_600], rule: "CET-1CEST,M3.5.0,M10.5.0/3")
        let zone = try #require(ZoneOffsets(tzif: file))
        #expect(zone.time(ofLocal: try Self.seconds(local)) == (try Self.seconds(time)))
    }

    /// Rules, times, and the offsets according to GNU `date`.
    @Test(
        arguments: [
            ("JST-9", "2026-01-01T00:00:00Z", 32_400),
            ("<+0545>-5:45", "2026-01-01T00:00:00Z", 20_700),
            ("PST8PDT,M3.2.0,M11.1.0", "2026-03-08T09:59:59Z", -28_800),
            ("PST8PDT,M3.2.0,M11.1.0", "2026-03-08T10:00:00Z", -25_200),
            ("PST8PDT,M3.2.0,M11.1.0", "2026-11-01T09:00:00Z", -28_800),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 39_600),
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 36_000),
            ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-26T23:59:59Z", 7_200),
            ("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-27T00:00:00Z", 10_800),
            ("AAA0BBB,J60/0,J61/0", "2028-03-01T12:00:00Z", 3_600),
            ("AAA0BBB,59/0,60/0", "2028-02-29T12:00:00Z", 3_600),
        ] as [(String, String, Int64)]
    )
    func `a rule applies to all years`(rule: String, time: String, offset: Int64) throws {
        let zone = try #require(PosixZone(rule))
        #expect(zone.offset(at: try Self.seconds(time)) == offset)
    }

    @Test(arguments: [
        "", "1", "CET", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1 ",
        "CET-1CEST,J0,J1", "<+05-5",
    ])
    func `an invalid rule is rejected`(text: String) {
        #expect(PosixZone(text) == nil)
    }

    @Test func `truncated or random zone data never crashes`() throws {
        let file = Self.file([(0, 0)], offsets: [3_600], rule: "CET-1")
        let whole = try #require(ZoneOffsets(tzif: file))
        for length in 0..<file.count {
            // Without the rule, the data still has transitions.
            let part = ZoneOffsets(tzif: Array(file[..<length]))
            #expect(part == nil || part?.offset(at: 5) == whole.offset(at: 5), "\(length)")
        }
        #expect(ZoneOffsets(tzif: Self.file([(0, 1)], offsets: [0], rule: "A")) == nil)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var other = file
            other[Int.random(in: 0..<file.count, using: &random)] = .random(
                in: 0...255,
                using: &random
            )
            _ = ZoneOffsets(tzif: other)?.time(ofLocal: 1_700_000_000)
        }
    }

    @Test(arguments: [
        "", "/etc/passwd", "../../etc/passwd", "Asia/../UTC", "Asia", "Asia//Tokyo", "a b",
    ])
    func `a zone name cannot refer to other files`(name: String) {
        #expect(ZoneOffsets(named: name) == nil)
    }

    @Test func `the offsets of the system's zones equal those of the C library`() throws {
        let process = try ToolProcess.run(
            "python3",
            [
                "-c",
                """
                import os, time
                for zone in ["Asia/Tokyo", "America/Los_Angeles", "Europe/Berlin", "Africa/Casablanca",
                             "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu"]:
                    os.environ["TZ"] = zone
                    time.tzset()
                    for moment in range(0, 2500000000, 40000009):
                        print(zone, moment, time.localtime(moment).tm_gmtoff)
                """,
            ]
        )
        let lines = process.output.split(separator: "\n")
        #expect(lines.count > 400, "\(process.errors)")
        var zones: [Substring: ZoneOffsets] = [:]
        for line in lines {
            let parts = line.split(separator: " ")
            let zone = try #require(zones[parts[0]] ?? ZoneOffsets(named: String(parts[0])))
            zones[parts[0]] = zone
            let moment = try #require(Int64(parts[1]))
            #expect(zone.offset(at: moment) == Int64(parts[2]), "\(line)")
        }
    }
}
