import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// Valid windows of `brownouts`; `BrokenRules/times.txt` contains invalid ones.
struct BrownoutDecoderTests {
    private func windows(_ brownouts: String, until enforceFrom: String) throws -> [String] {
        let text = """
            rules:
            - id: a
              minimum: "2"
              warnFrom: 2026-12-01T00:00:00Z
              enforceFrom: \(enforceFrom)
              brownouts: \(brownouts)
              storeUrl: https://a.example
            """
        let loaded = try RulesFileLoader.load(sources: [("rules.yaml", text)])
        let rule = try #require(loaded.definition.rules.first)
        return rule.schedule.brownouts.map { "\($0.from) \($0.until)" }
    }

    static let series: [(brownouts: String, enforceFrom: String, windows: [String])] = [
        (
            "{ every: 7d, for: 1h, growing: 1h }", "2027-01-01T00:00:00Z",
            [
                "2026-12-08T00:00:00Z 2026-12-08T01:00:00Z",
                "2026-12-15T00:00:00Z 2026-12-15T02:00:00Z",
                "2026-12-22T00:00:00Z 2026-12-22T03:00:00Z",
                "2026-12-29T00:00:00Z 2026-12-29T04:00:00Z",
            ]
        ),
        // The last window is truncated at the end of the series, and a window that would start there is omitted.
        (
            "{ every: 7d, for: 1h }", "2026-12-15T00:30:00Z",
            [
                "2026-12-08T00:00:00Z 2026-12-08T01:00:00Z",
                "2026-12-15T00:00:00Z 2026-12-15T00:30:00Z",
            ]
        ),
        (
            "{ every: 7d, for: 1h }", "2026-12-15T00:00:00Z",
            ["2026-12-08T00:00:00Z 2026-12-08T01:00:00Z"]
        ),
        (
            "{ every: 12h, for: 12h }", "2026-12-02T00:00:00Z",
            ["2026-12-01T12:00:00Z 2026-12-02T00:00:00Z"]
        ),
        (
            "{ every: 1d, for: 23h, growing: 1h }", "2026-12-03T12:00:00Z",
            [
                "2026-12-02T00:00:00Z 2026-12-02T23:00:00Z",
                "2026-12-03T00:00:00Z 2026-12-03T12:00:00Z",
            ]
        ),
    ]

    @Test(arguments: series)
    func `a series has a window after each interval, from the warning to the end`(
        series: (brownouts: String, enforceFrom: String, windows: [String])
    ) throws {
        #expect(try self.windows(series.brownouts, until: series.enforceFrom) == series.windows)
    }

    @Test func `a list may span the time from the warning to the end`() throws {
        let windows = """
            [{ from: 2026-12-01T00:00:00Z, until: 2026-12-02T00:00:00+09:00 },
                { from: 2026-12-01T15:00:00Z, until: 2026-12-31T00:00:00Z }]
            """
        #expect(
            try self.windows(windows, until: "2026-12-31T00:00:00Z") == [
                "2026-12-01T00:00:00Z 2026-12-01T15:00:00Z",
                "2026-12-01T15:00:00Z 2026-12-31T00:00:00Z",
            ]
        )
    }

    @Test func `a thousand windows are accepted, and more are rejected`() throws {
        let last = "2026-12-01T16:40:01Z"
        #expect(try self.windows("{ every: 1m, for: 1s }", until: last).count == 1_000)
        #expect(throws: RulesFileErrors.self) {
            try self.windows("{ every: 1m, for: 1s }", until: "2026-12-01T16:41:01Z")
        }
        func list(_ count: Int) -> String {
            let windows = (0..<count).map { number in
                let from = Timestamp(secondsSinceEpoch: 1_796_083_200 + Int64(number) * 2)
                let until = Timestamp(secondsSinceEpoch: from.secondsSinceEpoch + 1)
                return "{ from: \(from), until: \(until) }"
            }
            return "[\(windows.joined(separator: ", "))]"
        }
        #expect(try self.windows(list(1_000), until: last).count == 1_000)
        let refusal = #expect(throws: RulesFileErrors.self) {
            try self.windows(list(1_001), until: last)
        }
        let reason = "there are 1001 windows; at most 1000 can be listed"
        #expect(refusal?.errors.map(\.description) == ["rules.yaml:6:14: \(reason)"])
    }
}
