internal import GateCensus
internal import GatePolicy

/// The requests that were refused in the last minutes, as a sample of bounded size.
///
/// They come from what the event loops hand to the census, so that a refusal costs nothing more; there is
/// no device, no address and no path among them.
package struct RecentDenials: Sendable {
    /// Requests of one kind of client that were refused since the harvest before.
    package struct Sample: Sendable {
        let time: Timestamp
        let cell: CensusCell
        let requests: UInt64
    }

    /// Samples that are kept, the newest, and how many of a harvest.
    static let limit = 200
    static let harvestLimit = 20

    /// The oldest first.
    package private(set) var samples: [Sample] = []
    /// Requests that were refused since the start, sampled or not.
    package private(set) var requests: UInt64 = 0

    /// Adds what was refused of a harvest: all of it, or some by chance.
    mutating func add(_ bucket: CensusBucket, at now: Timestamp) {
        let denied = bucket.cells.filter { $0.key.outcome.kind >= .require }
        self.requests += denied.values.reduce(0) { $0 + $1.requests }
        let chosen =
            denied.count > Self.harvestLimit
            ? Array(denied.shuffled().prefix(Self.harvestLimit)) : Array(denied)
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
