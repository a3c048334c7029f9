package import GatePolicy

/// The decision on requests of one kind; an object, as `CensusClient` is one.
package final class CensusOutcome: Sendable {
    /// The patterns of the rules that the requests matched.
    package let paths: CensusPaths
    package let kind: Decision.Kind
    /// The rule that decided, or one of the words of `RequestTerms`.
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
    /// Requests that were let pass while somebody looked at the answers.
    package var watched: UInt64 = 0
    /// Requests that the backend failed to answer: by 500 to 599, or not at all.
    package var serverErrors: UInt64 = 0
    /// Clients by the place that they come from, while the breaker wants to know; they are not kept.
    package var clients = HyperLogLog()
    /// Requests by the shapes of their paths.
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
    /// Whether the request was never judged.
    package let isExempt: Bool
    /// The patterns of rules, as they are written, in ascending order.
    package let patterns: [String]

    package init(isExempt: Bool, patterns: [String]) {
        self.isExempt = isExempt
        self.patterns = patterns.sorted()
    }

    package init(_ scope: RequestScope, in ruleSet: RuleSet) {
        self.init(isExempt: scope.isExempt, patterns: ruleSet.patterns(in: scope))
    }

    /// Stands before the patterns of exemptions among those of rules.
    static let exemption = "exempt "

    /// Those of a request that matches nothing.
    package static let none = CensusPaths(isExempt: false, patterns: [])
}

/// A cell over some time, as it was kept.
package struct CensusRow: Sendable, Equatable {
    package let cell: CensusCell
    /// The paths that rules knew at that time: see `RuleSet.censusPaths`.
    ///
    /// Of others, nobody looked whether requests were for them.
    package let known: Set<String>
    package var figures: CensusFigures

    package init(cell: CensusCell, known: Set<String>, figures: CensusFigures) {
        self.cell = cell
        self.known = known
        self.figures = figures
    }
}

extension RuleSet {
    /// The request patterns of rules and of exemptions, each as a text of its own.
    package var censusPaths: Set<String> { Set(self.patterns).union(self.exemptPaths) }

    /// Those of exemptions alone.
    var exemptPaths: Set<String> { Set(self.exemptPatterns.map { CensusPaths.exemption + $0 }) }
}
