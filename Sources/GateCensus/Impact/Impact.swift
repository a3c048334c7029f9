package import GatePolicy

/// The effect of proposed rules on the clients in a census.
package struct Impact: Sendable {
    /// The clients whose decisions under the old and the new rules differ in one direction.
    package struct Side: Sendable {
        /// The amount that is certain.
        package fileprivate(set) var amount = ImpactAmount()
        /// The maximum amount, which includes requests for paths that were not in the rules when
        /// the requests were counted.
        package fileprivate(set) var possible = ImpactAmount()
        /// The amounts by deciding rule; the key `nil` stands for the policy for unidentified clients.
        package fileprivate(set) var byRule: [String?: ImpactAmount] = [:]
        package fileprivate(set) var byVersion: [Version: ImpactAmount] = [:]
    }

    /// A version of an app on a platform.
    package struct Version: Sendable, Hashable {
        package let app: CensusClient.Part
        package let platform: CensusClient.Part
        package let version: CensusClient.Part
    }

    /// An app and a platform that the new rules contain, or `RequestTerms.other`.
    package struct Audience: Sendable, Hashable {
        package let app: String
        package let platform: String
    }

    /// The effect on one audience.
    package struct Part: Sendable {
        package fileprivate(set) var total = ImpactAmount()
        package fileprivate(set) var denied = Side()
    }

    /// All requests that could be evaluated.
    package private(set) var total = ImpactAmount()
    /// The clients that pass under the old rules and are denied under the new rules.
    package private(set) var denied = Side()
    /// The clients that are denied under the old rules and pass under the new rules.
    package private(set) var passed = Side()
    /// The clients that pass under both rule sets, but are sent to different backends.
    package private(set) var moved = Moves()
    /// The clients that pass under both rule sets, but get a hint under only one of them.
    package private(set) var hinted = ImpactAmount()
    /// The number of requests from clients beyond the cell limit.
    package private(set) var unknownRequests: UInt64 = 0
    package private(set) var parts: [Audience: Part] = [:]
    /// Whether requests for paths that are new to the rules were distinguished by their shapes.
    package private(set) var slicesPaths = false
    /// The first time at which decisions of the new rules may change; `nil` if they never do.
    package private(set) var validUntil: Timestamp?

    private var old: CensusView
    private var new: CensusView
    private let samples: [RuleSet.DeviceSample]

    /// Evaluates the clients of a census with two rule sets.
    ///
    /// `later` is the time at which the new rules are evaluated, if it is not `now`.
    package init(
        on rows: [CensusRow],
        from old: RuleSet,
        to new: RuleSet,
        at now: Timestamp,
        later: Timestamp? = nil,
        ignoresMaintenance: Bool = false
    ) {
        let shapes = Set(rows.flatMap(\.figures.shapes.counts.keys))
        self.old = CensusView(old, now, ignoresMaintenance: ignoresMaintenance, shapes)
        self.new = CensusView(
            new,
            later ?? now,
            ignoresMaintenance: ignoresMaintenance,
            shapes
        )
        self.samples = RuleSet.deviceSamples(
            for: old.definition.rulesWithNext + new.definition.rulesWithNext
        )
        for row in rows { self.add(row) }
    }

    /// The requests of a row that have the same scopes.
    private struct Slice: Hashable {
        let before: CensusView.Scopes
        let after: CensusView.Scopes
    }

    /// The shares of a client's requests for which the decisions of two rule sets differ.
    private struct Shares {
        var deniedByRule: [String?: Double] = [:]
        var passedByRule: [String?: Double] = [:]
        var possiblyDenied = 0.0
        var possiblyPassed = 0.0
        var hinted = 0.0
        var moved: [Backends: Double] = [:]
        var possiblyMoved = 0.0
        var validUntil: Timestamp?
    }

    private mutating func add(_ row: CensusRow) {
        // Rows that contain only late responses have no requests.
        guard row.figures.requests > 0 else { return }
        guard let client = row.cell.client else {
            self.unknownRequests += row.figures.requests
            return
        }
        var shares = Shares()
        let slices = self.slices(row)
        for (slice, share) in slices { self.add(slice, share, of: client, to: &shares) }
        let version = Version(
            app: client.app,
            platform: client.platform,
            version: client.version
        )
        let terms = self.new.ruleSet.terms(of: .preflight, for: client.identity)
        let audience = Audience(app: terms.app, platform: terms.platform)
        self.total.add(row.figures)
        self.validUntil = [self.validUntil, shares.validUntil].compactMap(\.self).min()
        self.slicesPaths = self.slicesPaths || slices.count > 1
        self.hinted.add(row.figures, share: shares.hinted)
        self.moved.add(row.figures, shares.moved, possible: shares.possiblyMoved, version)
        self.denied.add(row.figures, shares.deniedByRule, shares.possiblyDenied, version)
        self.passed.add(row.figures, shares.passedByRule, shares.possiblyPassed, version)
        self.parts[audience, default: Part()].total.add(row.figures)
        self.parts[audience, default: Part()].denied
            .add(row.figures, shares.deniedByRule, shares.possiblyDenied, version)
    }

    /// Returns the requests of a row by their scopes, as shares of all its requests.
    private mutating func slices(_ row: CensusRow) -> [Slice: Double] {
        let whole = Slice(before: self.old.scopes(row), after: self.new.scopes(row))
        guard !whole.before.areOne || !whole.after.areOne else { return [whole: 1] }
        var slices: [Slice: Double] = [:]
        var rest = 1.0
        for (shape, share) in row.figures.shapes.shares(of: row.figures.requests) {
            let before =
                whole.before.areOne
                ? whole.before : self.old.scope(of: shape, row).map(CensusView.Scopes.init(_:))
            let after =
                whole.after.areOne
                ? whole.after : self.new.scope(of: shape, row).map(CensusView.Scopes.init(_:))
            guard let before, let after else { continue }
            slices[Slice(before: before, after: after), default: 0] += share
            rest -= share
        }
        // The comparison ignores rounding errors in the sum.
        if rest > 1e-9 { slices[whole, default: 0] += rest }
        return slices
    }

    private func add(
        _ slice: Slice,
        _ part: Double,
        of client: CensusClient,
        to shares: inout Shares
    ) {
        var identity = client.identity
        for sample in self.samples {
            identity.device = sample.device
            let share = part * sample.share
            let (old, oldMost) = self.old.decide(identity, in: slice.before)
            let (new, newMost) = self.new.decide(identity, in: slice.after)
            shares.validUntil = [shares.validUntil, new.validUntil, newMost.validUntil]
                .compactMap(\.self).min()
            if !oldMost.denies, new.denies {
                shares.deniedByRule[new.ruleID, default: 0] += share
            } else if old.denies, !newMost.denies {
                shares.passedByRule[old.ruleID, default: 0] += share
            } else if !oldMost.denies, !newMost.denies, old.kind != new.kind {
                shares.hinted += share
            }
            if let move = Backends(from: [old, oldMost], to: [new, newMost]) {
                shares.moved[move, default: 0] += share
            }
            if Backends.mayDiffer(from: [old, oldMost], to: [new, newMost]) {
                shares.possiblyMoved += share
            }
            if !old.denies, newMost.denies { shares.possiblyDenied += share }
            if oldMost.denies, !new.denies { shares.possiblyPassed += share }
        }
    }
}

extension Impact.Side {
    fileprivate mutating func add(
        _ figures: CensusFigures,
        _ byRule: [String?: Double],
        _ possible: Double,
        _ version: Impact.Version
    ) {
        self.possible.add(figures, share: possible)
        let share = byRule.values.reduce(0, +)
        guard share > 0 else { return }
        self.amount.add(figures, share: share)
        self.byVersion[version, default: ImpactAmount()].add(figures, share: share)
        for (rule, share) in byRule {
            self.byRule[rule, default: ImpactAmount()].add(figures, share: share)
        }
    }
}

extension Decision {
    var denies: Bool { self.kind >= .require }
}
