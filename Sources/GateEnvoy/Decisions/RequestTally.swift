import GatePolicy

/// The requests on one thread that Envoy's counter does not contain yet.
///
/// Counting under labels costs Envoy several times as much as a verdict from the table. Therefore, the first request of
/// each second adds all requests since the last one.
struct RequestTally {
    private struct Entry {
        let labels: TextBlock
        var count: UInt64 = 0
    }

    private var places: [RequestTerms: Int] = [:]
    private var entries: [Entry] = []
    private var lastSecond: Int64 = 0

    /// Returns the index of these terms, which only the rules can increase in number.
    mutating func place(of terms: RequestTerms) -> Int {
        if let place = self.places[terms] { return place }
        let mode: RuleMode = terms.passesByObserving ? .observe : .enforce
        let texts = [terms.app, terms.platform, terms.decision, terms.rule, mode.rawValue]
        self.places[terms] = self.entries.count
        self.entries.append(Entry(labels: TextBlock(texts)))
        return self.entries.count - 1
    }

    /// Counts a request by the index of its terms.
    mutating func count(_ place: Int) {
        self.entries[place].count += 1
    }

    /// Adds the requests to Envoy's counter, once in each second.
    mutating func report(at now: Timestamp, _ add: (UInt64, TextBlock) -> Void) {
        guard now.secondsSinceEpoch != self.lastSecond else { return }
        self.lastSecond = now.secondsSinceEpoch
        self.reportAll(add)
    }

    /// Adds the requests to Envoy's counter.
    mutating func reportAll(_ add: (UInt64, TextBlock) -> Void) {
        for index in self.entries.indices where self.entries[index].count > 0 {
            add(self.entries[index].count, self.entries[index].labels)
            self.entries[index].count = 0
        }
    }
}
