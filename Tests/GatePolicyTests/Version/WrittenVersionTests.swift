import Testing

@testable import GatePolicy

/// Versions in a list are parsed and ordered like single versions.
struct WrittenVersionTests {
    private static let texts = [
        "", "v", "v4", "V4.0", "vv4", "4", "4.", ".4", "4..0", "4.0", "04.00", "4.0.1", "4.0.0.0.0",
        "4.0.0.0.0.0", "4.0.0.0.1", "10", "9", "4 ", "4 0", "-4", "+4", "4+", "4+a", "4+a..b",
        "4+a-b",
        "4+a+b", "4-", "4-a", "4-a.", "4-.a", "4-a..b", "4-a.b", "4-a.b.c", "4-b", "4-A", "4-1",
        "4-01",
        "4-00", "4-0", "4-10", "4-9", "4-1a", "4-a-b", "4--", "4.0-a+b", "4.0.-a", "4.-a", "v-1",
        "4_1",
        "4.1-a", "4\u{E9}", "99999999999999999999", "099999999999999999999",
        "100000000000000000000",
        "4-99999999999999999999", "4-100000000000000000000", String(repeating: "4", count: 64),
        String(repeating: "4", count: 65), "4-" + String(repeating: "a", count: 62),
        "4-" + String(repeating: "a", count: 63),
    ]

    @Test func `versions in a list are compared like single versions`() {
        for one in Self.texts {
            for other in Self.texts {
                let bytes = Array("\(one),\(other)".utf8)
                let line = bytes.span
                let written = WrittenVersion(in: line, at: 0..<one.utf8.count)
                let next = WrittenVersion(in: line, at: one.utf8.count + 1..<line.count)
                let version = try? AppVersion(Array(one.utf8).span)
                #expect((written == nil) == (version == nil), "\(one)")
                guard let written, let next, let version,
                    let nextVersion = try? AppVersion(Array(other.utf8).span)
                else { continue }
                let order = written.order(to: next, in: line)
                #expect((order < 0) == (version < nextVersion), "\(one), \(other)")
                #expect((order == 0) == (version == nextVersion), "\(one), \(other)")
            }
        }
    }
}
