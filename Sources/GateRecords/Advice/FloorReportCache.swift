private import GateCensus
package import GatePolicy
private import Synchronization

/// Caches advice on floors from a large census.
///
/// The advice takes a second to compute, and it has a resolution of days, so it can be a few minutes
/// old.
package final class FloorReportCache: Sendable {
    private struct Entry: Sendable {
        let question: AdviceQuestion
        let ruleSet: RuleSet
        let at: Timestamp
        let report: FloorReport
    }

    /// The number of seconds for which a report is kept.
    package static let lifetime: Int64 = 600
    /// The maximum number of cached reports.
    private static let limit = 8

    /// The minimum number of stored periods in a census that counts as large.
    private let largeSize: Int
    private let entries = Mutex<[Entry]>([])

    package init(largeSize: Int = 20_000) {
        self.largeSize = largeSize
    }

    /// Returns the report for a query; with a large census, the report may be up to ten minutes
    /// old.
    package func report(
        _ store: CensusStore,
        _ question: AdviceQuestion,
        by ruleSet: RuleSet,
        at now: Timestamp
    ) throws(CensusStore.Failure) -> FloorReport {
        let kept = self.entries.withLock { entries in
            entries.removeAll { entry in
                let age = entry.at.seconds(until: now)
                return entry.ruleSet !== ruleSet || age < 0 || age >= Self.lifetime
            }
            return entries.first { $0.question == question }
        }
        if let kept { return kept.report }
        let report = try FloorReport(store, question, by: ruleSet, at: now)
        guard report.periodCount >= self.largeSize else { return report }
        self.entries.withLock { entries in
            if entries.count >= Self.limit { entries.removeFirst() }
            entries.append(Entry(question: question, ruleSet: ruleSet, at: now, report: report))
        }
        return report
    }
}
