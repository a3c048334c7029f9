package import GatePolicy

/// The decision on requests of one kind.
package struct CensusOutcome: Sendable, Hashable {
    /// The patterns of the rules that the requests matched.
    package let paths: CensusPaths
    package let kind: Decision.Kind
    /// The rule that decided, or one of the words of `RequestTerms`.
    package let rule: String

    package init(paths: CensusPaths, kind: Decision.Kind, rule: String) {
        self.paths = paths
        self.kind = kind
        self.rule = rule
    }
}

/// A kind of requests that are counted together: the client, and the decision.
package struct CensusCell: Sendable, Hashable {
    /// The client; `nil` for all that there was no room for.
    package let client: CensusClient?
    package let outcome: CensusOutcome

    package init(client: CensusClient?, outcome: CensusOutcome) {
        self.client = client
        self.outcome = outcome
    }

    /// The cell that takes what there is no room for.
    package var other: CensusCell { CensusCell(client: nil, outcome: self.outcome) }
}

/// The number of requests in a cell, and of their devices.
package struct CensusFigures: Sendable, Equatable {
    package var requests: UInt64 = 0
    /// Those of them that named their device.
    package var identified: UInt64 = 0
    package var devices = HyperLogLog()

    package init(requests: UInt64 = 0, identified: UInt64 = 0, devices: HyperLogLog = HyperLogLog())
    {
        self.requests = requests
        self.identified = identified
        self.devices = devices
    }

    package mutating func add(_ other: CensusFigures) {
        self.requests += other.requests
        self.identified += other.identified
        self.devices.merge(other.devices)
    }
}
