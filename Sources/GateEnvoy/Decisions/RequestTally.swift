import GatePolicy

/// The requests on one thread that Envoy's counter does not include yet.
///
/// Incrementing a labeled counter in Envoy takes several times as long as finding a verdict in the table. For this
/// reason, the counter is updated once a second, when the first request of that second arrives.
struct RequestTally {
    private struct Entry {
        let labels: TextBlock
        var count: UInt64 = 0
    }

    private var places: [RequestTerms: Int] = [:]
    private var entries: [Entry] = []
    private var lastSecond: Int64 = 0

    /// Returns the index of the given terms; the number of distinct terms depends only on the rules.
    mutating func place(of terms: RequestTerms) -> Int {
        if let place = self.places[terms] { return place }
        let mode: RuleMode = terms.passesByObserving ? .observe : .enforce
        let texts = [terms.app, terms.platform, terms.decision, terms.rule, mode.rawValue]
        self.places[terms] = self.entries.count
        self.entries.append(Entry(labels: TextBlock(texts)))
        return self.entries.count - 1
    }

    /// Counts a request with the terms at an index.
    mutating func count(_ place: Int) {
        self.entries[place].count += 1
    }

    /// Adds the counted requests to Envoy's counter, at most once a second.
    mutating func report(at now: Timestamp, _ add: (UInt64, TextBlock) -> Void) {
        guard now.secondsSinceEpoch != self.lastSecond else { return }
        self.lastSecond = now.secondsSinceEpoch
        self.reportAll(add)
    }

    /// Adds the counted requests to Envoy's counter, and resets the counts.
    mutating func reportAll(_ add: (UInt64, TextBlock) -> Void) {
        for index in self.entries.indices where self.entries[index].count > 0 {
            add(self.entries[index].count, self.entries[index].labels)
            self.entries[index].count = 0
        }
    }
}
