import GateCensus
import GatePolicy
import Testing

@testable import GateRecords

@Suite(.ownThread)
struct FloorReportCacheTests {
    private static let now = Timestamp(secondsSinceEpoch: 20_833 * 86_400 + 43_200)
    private static let question = AdviceQuestion(app: nil, platform: nil, limit: 0.01, days: 7)

    /// Adds one request from each of 300 devices with a version.
    private static func add(_ version: String, to store: CensusStore) throws {
        var figures = CensusFigures(requests: 300)
        for device in 1...300 as ClosedRange<UInt64> {
            figures.devices.add(device &* 0x9E37_79B9_7F4A_7C15)
        }
        let client = CensusClient(
            app: .stated("shop"),
            platform: .stated("ios"),
            version: .stated(version)
        )
        let outcome = CensusOutcome(paths: .none, kind: .allow, rule: "ios")
        var bucket = CensusBucket(limit: 100)
        bucket.add(figures, to: CensusCell(client: client, outcome: outcome))
        try store.add(bucket, at: Self.now.advanced(by: -2 * 86_400))
    }

    @Test(arguments: [(1, true), (1_000, false)])
    func `the report on a large census is kept for ten minutes, or until the rules change`(
        _ largeSize: Int,
        _ isKept: Bool
    ) throws {
        let store = try CensusStore(in: nil)
        try Self.add("4.0", to: store)
        try Self.add("4.1", to: store)
        let cache = FloorReportCache(largeSize: largeSize)
        let (rules, others) = (
            RuleSet(RuleSetDefinition(revision: "1")), RuleSet(RuleSetDefinition(revision: "2"))
        )
        func text(
            _ rules: RuleSet,
            _ question: AdviceQuestion = Self.question,
            after seconds: Int64
        ) throws -> String {
            let now = Self.now.advanced(by: seconds)
            return try cache.report(store, question, by: rules, at: now).description
        }
        let first = try text(rules, after: 0)
        #expect(first.contains("600 requests") || first.contains("devices"))
        #expect(try (text(rules, after: 599) == first) == isKept)
        #expect(try text(rules, after: 600) != first)
        let second = try text(rules, after: 600)
        #expect(try text(others, after: 601) != second)
        #expect(try text(rules, after: 500) != second)
        let ios = AdviceQuestion(app: nil, platform: "ios", limit: 0.5, days: 7)
        #expect(try text(rules, ios, after: 602) != second)
    }
}
