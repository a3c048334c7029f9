internal import GateCensus
internal import GatePolicy

/// A bounded sample of the most recently denied requests.
///
/// The sample is taken from the counts that event loops send to the census, so it adds no cost to a
/// denial. It contains no device ID, address or path.
package struct RecentDenials: Sendable {
    /// The requests from one kind of client that were denied since the previous harvest.
    package struct Sample: Sendable {
        let time: Timestamp
        let cell: CensusCell
        let requests: UInt64
    }

    /// The maximum number of samples, and of samples per harvest; the oldest samples are removed
    /// first.
    static let limit = 200
    static let harvestLimit = 20

    /// The samples, oldest first.
    package private(set) var samples: [Sample] = []
    /// The number of denied requests since startup, including those that are not in the sample.
    package private(set) var requests: UInt64 = 0

    /// Adds the denials of a harvest, or a random selection of them.
    mutating func add(_ bucket: CensusBucket, at now: Timestamp) {
        let denied = bucket.cells.filter { $0.key.outcome.kind >= .require }
        self.requests += denied.values.reduce(0) { $0 + $1.requests }
        let chosen = denied.shuffled().prefix(Self.harvestLimit)
        for (cell, figures) in chosen.sorted(by: { $0.value.requests > $1.value.requests }) {
            self.samples.append(Sample(time: now, cell: cell, requests: figures.requests))
        }
        self.samples.removeFirst(max(0, self.samples.count - Self.limit))
    }
}

extension RecentDenials.Sample: Encodable {
    private enum Key: String, CodingKey {
        case at, decision, rule, paths, requests
    }

    package func encode(to encoder: any Encoder) throws {
        try CensusClientEntry(self.cell.client).encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode("\(self.time)", forKey: .at)
        try container.encode(self.cell.outcome.kind.rawValue, forKey: .decision)
        try container.encode(self.cell.outcome.rule, forKey: .rule)
        try container.encode(self.cell.outcome.paths.patterns, forKey: .paths)
        try container.encode(self.requests, forKey: .requests)
    }
}
