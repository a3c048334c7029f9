package import GatePolicy

/// A decision, with the patterns that the requests matched; a class with a stored hash, like `CensusClient`.
package final class CensusOutcome: Sendable {
    /// The patterns of the rules that the requests matched.
    package let paths: CensusPaths
    package let kind: Decision.Kind
    /// The rule that decided, or one of the labels in `RequestTerms`.
    package let rule: String
    private let digest: Int

    package init(paths: CensusPaths, kind: Decision.Kind, rule: String) {
        self.paths = paths
        self.kind = kind
        self.rule = rule
        var hasher = Hasher()
        hasher.combine(paths)
        hasher.combine(kind)
        hasher.combine(rule)
        self.digest = hasher.finalize()
    }
}

extension CensusOutcome: Hashable {
    package static func == (left: CensusOutcome, right: CensusOutcome) -> Bool {
        left === right
            || left.digest == right.digest && left.kind == right.kind && left.rule == right.rule
                && left.paths == right.paths
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.digest) }
}

/// A client and an outcome, whose requests are counted together.
package struct CensusCell: Sendable, Hashable {
    /// The client; `nil` stands for all clients beyond the limit.
    package let client: CensusClient?
    package let outcome: CensusOutcome

    package init(client: CensusClient?, outcome: CensusOutcome) {
        self.client = client
        self.outcome = outcome
    }

    /// The cell for clients beyond the limit.
    package var other: CensusCell { CensusCell(client: nil, outcome: self.outcome) }
}

/// The counts of a cell's requests and devices.
package struct CensusFigures: Sendable, Equatable {
    package var requests: UInt64 = 0
    /// The number of requests that contain a device ID.
    package var identified: UInt64 = 0
    package var devices = HyperLogLog()
    /// The number of forwarded requests whose responses were observed.
    package var watched: UInt64 = 0
    /// The number of requests that failed in the backend: with a status from 500 to 599, or without
    /// a response.
    package var serverErrors: UInt64 = 0
    /// A sketch of the clients by origin, which is updated only while the breaker needs it, and not stored.
    package var clients = HyperLogLog()
    /// The number of requests by path shape.
    package var shapes: ShapeCounts

    package init(
        requests: UInt64 = 0,
        identified: UInt64 = 0,
        devices: HyperLogLog = HyperLogLog(),
        watched: UInt64 = 0,
        serverErrors: UInt64 = 0,
        shapes: ShapeCounts = ShapeCounts()
    ) {
        self.requests = requests
        self.identified = identified
        self.devices = devices
        self.watched = watched
        self.serverErrors = serverErrors
        self.shapes = shapes
    }

    package mutating func add(_ other: CensusFigures) {
        self.requests += other.requests
        self.identified += other.identified
        self.devices.merge(other.devices)
        self.watched += other.watched
        self.serverErrors += other.serverErrors
        self.clients.merge(other.clients)
        self.shapes.add(other.shapes)
    }
}

/// The patterns of the rules that the path and method of a request matched.
package struct CensusPaths: Sendable, Hashable {
    /// Whether the request was exempt from evaluation.
    package let isExempt: Bool
    /// The patterns of rules as written, in ascending order.
    package let patterns: [String]

    package init(isExempt: Bool, patterns: [String]) {
        self.isExempt = isExempt
        self.patterns = patterns.sorted()
    }

    package init(_ scope: RequestScope, in ruleSet: RuleSet) {
        self.init(isExempt: scope.isExempt, patterns: ruleSet.patterns(in: scope))
    }

    /// The prefix of exemption patterns, which distinguishes them from patterns of rules.
    static let exemption = "exempt "

    /// The value for requests that match no pattern.
    package static let none = CensusPaths(isExempt: false, patterns: [])
}

/// The stored figures of a cell for a period.
package struct CensusRow: Sendable, Equatable {
    package let cell: CensusCell
    /// The paths in the rules of that period: see `RuleSet.censusPaths`.
    ///
    /// Whether requests matched other paths is unknown.
    package let known: Set<String>
    package var figures: CensusFigures

    package init(cell: CensusCell, known: Set<String>, figures: CensusFigures) {
        self.cell = cell
        self.known = known
        self.figures = figures
    }
}

extension RuleSet {
    /// The request patterns of rules and exemptions, as strings.
    package var censusPaths: Set<String> { Set(self.patterns).union(self.exemptPaths) }

    /// The patterns of exemptions only.
    var exemptPaths: Set<String> { Set(self.exemptPatterns.map { CensusPaths.exemption + $0 }) }
}
