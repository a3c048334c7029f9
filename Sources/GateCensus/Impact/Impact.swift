package import GatePolicy

/// The effect of other rules on the clients in a census.
package struct Impact: Sendable {
    /// The clients whose decisions under the old and the new rules differ in one direction.
    package struct Side: Sendable {
        /// The amount that is certain.
        package fileprivate(set) var amount = ImpactAmount()
        /// The maximum amount, which includes requests for paths that were not in the rules when
        /// the requests were counted.
        package fileprivate(set) var possible = ImpactAmount()
        /// The amounts by the deciding rule; `nil` for the policy for unidentified clients.
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
    /// Clients that pass the old rules, and that the new rules deny.
    package private(set) var denied = Side()
    /// Clients that the old rules deny, and that pass the new rules.
    package private(set) var passed = Side()
    /// Clients that pass both rule sets, and get a hint from only one of them.
    package private(set) var hinted = ImpactAmount()
    /// The number of requests from unknown clients.
    package private(set) var unknownRequests: UInt64 = 0
    package private(set) var parts: [Audience: Part] = [:]
    /// Whether requests for paths that are new to the rules were distinguished by their shapes.
    package private(set) var slicesPaths = false
    /// The first time at which decisions of the new rules may change; `nil` if they never do.
    package private(set) var validUntil: Timestamp?

    private let old: View
    private let new: View
    private let samples: [RuleSet.DeviceSample]

    /// Evaluates the clients of a census with two rule sets.
    ///
    /// - Parameters:
    ///   - rows: The census.
    ///   - old: The old rules.
    ///   - new: The new rules.
    ///   - now: The time of the evaluation.
    ///   - later: The time of the evaluation with the new rules, if it differs.
    ///   - ignoresMaintenance: Whether maintenance windows are ignored.
    package init(
        on rows: [CensusRow],
        from old: RuleSet,
        to new: RuleSet,
        at now: Timestamp,
        later: Timestamp? = nil,
        ignoresMaintenance: Bool = false
    ) {
        let shapes = Set(rows.flatMap(\.figures.shapes.counts.keys))
        self.old = View(old, now, ignoresMaintenance, shapes)
        self.new = View(new, later ?? now, ignoresMaintenance, shapes)
        self.samples = RuleSet.deviceSamples(
            for: old.definition.rulesWithNext + new.definition.rulesWithNext
        )
        for row in rows { self.add(row) }
    }

    /// The least strict and the strictest scope that requests may have.
    private struct Scopes: Hashable {
        let least: RequestScope
        let most: RequestScope

        var areOne: Bool { self.least == self.most }

        init(least: RequestScope, most: RequestScope) {
            self.least = least
            self.most = most
        }

        init(_ scope: RequestScope) {
            self.init(least: scope, most: scope)
        }
    }

    /// The requests of a row that have the same scopes.
    private struct Slice: Hashable {
        let before: Scopes
        let after: Scopes
    }

    /// A rule set at a given time.
    private struct View {
        let ruleSet: RuleSet
        let time: Timestamp
        let ignoresMaintenance: Bool
        let paths: Set<String>
        let exemptions: Set<String>
        /// The scopes of shapes whose requests all have the same scope.
        private let shapes: [PathShape: RequestScope]

        init(
            _ ruleSet: RuleSet,
            _ time: Timestamp,
            _ ignoresMaintenance: Bool,
            _ shapes: Set<PathShape>
        ) {
            self.shapes = Dictionary(
                uniqueKeysWithValues: shapes.compactMap { shape in
                    ruleSet.scope(of: shape).map { (shape, $0) }
                }
            )
            self.ruleSet = ruleSet
            self.time = time
            self.ignoresMaintenance = ignoresMaintenance
            self.paths = Set(ruleSet.patterns)
            self.exemptions = ruleSet.exemptPaths
        }

        /// Returns the scope of a row's requests with a given shape; `nil` if it is unknown.
        func scope(of shape: PathShape, _ row: CensusRow) -> RequestScope? {
            guard let scope = self.shapes[shape] else { return nil }
            let paths = row.cell.outcome.paths
            if scope.isExempt || paths.isExempt { return scope }
            let (matched, seen) = (
                Set(paths.patterns), Set(self.ruleSet.patterns(in: scope))
            )
            return self.ruleSet.scope {
                row.known.contains($0) ? matched.contains($0) : seen.contains($0)
            }
        }

        /// Returns the least strict and the strictest scope that requests of a row may have.
        func scopes(_ row: CensusRow) -> Scopes {
            let paths = row.cell.outcome.paths
            let knownExemptions = row.known.filter { $0.hasPrefix(CensusPaths.exemption) }
            if paths.isExempt {
                if self.exemptions.isSuperset(of: knownExemptions) {
                    return Scopes(RuleSet.exemptScope)
                }
                // It is unknown which exemption matched, and which rules match the requests.
                let isGone = self.exemptions.isDisjoint(with: knownExemptions)
                let least = isGone ? self.ruleSet.scope { _ in false } : RuleSet.exemptScope
                return Scopes(least: least, most: self.ruleSet.scope { _ in true })
            }
            let matched = Set(paths.patterns)
            let isNew = !self.exemptions.isSubset(of: knownExemptions)
            let least = isNew ? RuleSet.exemptScope : self.ruleSet.scope { matched.contains($0) }
            guard isNew || !self.paths.isSubset(of: row.known) else { return Scopes(least) }
            return Scopes(
                least: least,
                most: self.ruleSet.scope { matched.contains($0) || !row.known.contains($0) }
            )
        }

        func decide(_ client: ClientIdentity, in scope: RequestScope) -> Decision {
            self.ruleSet.decide(
                client,
                in: scope,
                at: self.time,
                address: nil,
                ignoresMaintenance: self.ignoresMaintenance
            )
        }
    }

    /// The shares of a client's requests for which the decisions of two rule sets differ.
    private struct Shares {
        var deniedByRule: [String?: Double] = [:]
        var passedByRule: [String?: Double] = [:]
        var possiblyDenied = 0.0
        var possiblyPassed = 0.0
        var hinted = 0.0
        var validUntil: Timestamp?
        /// Whether requests of the client were distinguished by the shapes of their paths.
        var isSliced = false
    }

    private mutating func add(_ row: CensusRow) {
        // Rows that contain only late responses have no requests.
        guard row.figures.requests > 0 else { return }
        guard let client = row.cell.client else {
            self.unknownRequests += row.figures.requests
            return
        }
        let shares = self.shares(client, row)
        let version = Version(
            app: client.app,
            platform: client.platform,
            version: client.version
        )
        let terms = self.new.ruleSet.terms(of: .preflight, for: client.identity)
        let audience = Audience(app: terms.app, platform: terms.platform)
        self.total.add(row.figures)
        self.validUntil = [self.validUntil, shares.validUntil].compactMap(\.self).min()
        self.slicesPaths = self.slicesPaths || shares.isSliced
        self.hinted.add(row.figures, share: shares.hinted)
        self.denied.add(row.figures, shares.deniedByRule, shares.possiblyDenied, version)
        self.passed.add(row.figures, shares.passedByRule, shares.possiblyPassed, version)
        self.parts[audience, default: Part()].total.add(row.figures)
        self.parts[audience, default: Part()].denied
            .add(row.figures, shares.deniedByRule, shares.possiblyDenied, version)
    }

    /// Returns the requests of a row by their scopes, as shares of all its requests.
    private func slices(_ row: CensusRow) -> [Slice: Double] {
        let whole = Slice(before: self.old.scopes(row), after: self.new.scopes(row))
        guard !whole.before.areOne || !whole.after.areOne else { return [whole: 1] }
        var slices: [Slice: Double] = [:]
        var rest = 1.0
        for (shape, share) in row.figures.shapes.shares(of: row.figures.requests) {
            let before =
                whole.before.areOne
                ? whole.before : self.old.scope(of: shape, row).map(Scopes.init(_:))
            let after =
                whole.after.areOne
                ? whole.after : self.new.scope(of: shape, row).map(Scopes.init(_:))
            guard let before, let after else { continue }
            slices[Slice(before: before, after: after), default: 0] += share
            rest -= share
        }
        // Ignores rounding errors in the sum.
        if rest > 1e-9 { slices[whole, default: 0] += rest }
        return slices
    }

    private func shares(_ client: CensusClient, _ row: CensusRow) -> Shares {
        var shares = Shares()
        let slices = self.slices(row)
        shares.isSliced = slices.count > 1
        for (slice, share) in slices { self.add(slice, share, of: client, to: &shares) }
        return shares
    }

    private func add(
        _ slice: Slice,
        _ part: Double,
        of client: CensusClient,
        to shares: inout Shares
    ) {
        let (before, after) = (slice.before, slice.after)
        var identity = client.identity
        for sample in self.samples {
            identity.device = sample.device
            let share = part * sample.share
            let old = self.old.decide(identity, in: before.least)
            let oldMost =
                before.areOne
                ? old : self.old.decide(identity, in: before.most)
            let new = self.new.decide(identity, in: after.least)
            let newMost =
                after.areOne
                ? new : self.new.decide(identity, in: after.most)
            shares.validUntil = [shares.validUntil, new.validUntil].compactMap(\.self).min()
            if !oldMost.denies, new.denies {
                shares.deniedByRule[new.ruleID, default: 0] += share
            } else if old.denies, !newMost.denies {
                shares.passedByRule[old.ruleID, default: 0] += share
            } else if !oldMost.denies, !newMost.denies, old.kind != new.kind {
                shares.hinted += share
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
    fileprivate var denies: Bool { self.kind >= .require }
}

/// Requests and devices, of which possibly only a share counts.
package struct ImpactAmount: Sendable {
    /// The number of requests; in a rollout, the expected number.
    package private(set) var requests = 0.0
    private(set) var identified = 0.0
    /// The device sketches, keyed by the share of devices to count.
    private var devicesByShare: [Double: HyperLogLog] = [:]

    package init() {}

    /// Adds the given share of a cell's figures.
    mutating func add(_ figures: CensusFigures, share: Double = 1) {
        guard share > 0 else { return }
        self.requests += Double(figures.requests) * min(share, 1)
        self.identified += Double(figures.identified) * min(share, 1)
        // Each share needs a sketch, so shares are rounded to about a thousand values.
        let steps = share < 0.01 ? 1e4 : 1e3
        let step = min(max((share * steps).rounded(), 1) / steps, 1)
        self.devicesByShare[step, default: HyperLogLog()].merge(figures.devices)
    }

    /// The number of devices, if requests contain them.
    ///
    /// A device that has changed its version and is included in a rollout with several versions
    /// counts once for each of these versions.
    package var devices: Double {
        self.devicesByShare.reduce(0) { $0 + $1.key * Double($1.value.count) }
    }

    /// Whether devices can represent clients, because most requests contain a device.
    package var countsByDevices: Bool { self.identified * 2 >= self.requests && self.requests > 0 }
}
