/// The clients that one rule set denies and that pass after another rule set replaces it.
///
/// The cause can be an undo or a mistake in a planned change (see `Opening.plan`). Only changed
/// rules are evaluated, for sample clients that represent all clients that such a rule
/// distinguishes.
package struct RuleSetTransition {
    /// The clients that a rule denied and that now pass.
    package struct Opening: Sendable, Equatable {
        /// The ID of the rule that denied the clients.
        package let rule: String
        /// Whether the new rules have no rule with this ID.
        package let isGone: Bool
        package let versions: String
        /// Whether only some of the clients with these versions pass.
        package let isPartial: Bool
        /// The planned higher floor that will deny these clients again; `nil` if the change is an
        /// undo.
        package let plan: Plan?
    }

    /// A planned floor that is higher than an active floor, in rules that remove the active floor
    /// before the plan starts.
    package struct Plan: Sendable, Equatable {
        /// The ID of the rule with the planned floor.
        package let rule: String
        /// The rule, or the entry in its `next`, that has the floor.
        package let floor: RuleDefinition
        /// The index of `floor` in the rule's `withNext`.
        package let place: Int
        /// The previous rule, whose active floor is removed.
        package let base: RuleDefinition
    }

    package let openings: [Opening]
    /// The requests that were rejected before if the client was unidentified, and that now pass.
    package let newlyAllowedRequests: [RequestPattern]
    /// The number of changed rules that were not evaluated, because there were too many.
    package let unseen: Int

    /// The maximum number of evaluated rules that have no plan.
    ///
    /// The limit is lower with thousands of rules, because each rule may be compared with all other
    /// rules.
    private static let undoLimit = 50
    /// The number of openings with a plan at which the evaluation stops.
    ///
    /// The limit is lower with thousands of rules.
    private static let planLimit = 20
    /// The maximum product of the number of all rules and the number of evaluated rules.
    private static let effort = 50_000

    /// Compares two rule sets at the time of a reload.
    package init(from old: RuleSet, to new: RuleSet, at now: Timestamp) {
        // Rules that are not enforced cannot become less strict, and switching off enforcement is
        // an undo.
        guard old.definition.mode == .enforce, new.definition.mode == .enforce else {
            self.openings = []
            self.newlyAllowedRequests = []
            self.unseen = 0
            return
        }
        var change = RuleChange(from: old.definition, to: new.definition, at: now)
        let size = max(1, old.definition.rules.count + new.definition.rules.count)
        let share = max(3, Self.effort / size)
        let (undoLimit, planLimit) = (min(Self.undoLimit, share), min(Self.planLimit, share))
        var openings: [Opening] = []
        var (undone, unseen) = (0, 0)
        for (index, rule) in change.formerRules.enumerated() {
            guard openings.lazy.filter({ $0.plan != nil }).count < planLimit else {
                // The openings with a plan already cause the new rules to be rejected, so the
                // remaining rules are not evaluated.
                unseen += change.formerRules.count - index
                break
            }
            let plans = change.plans(beside: rule)
            if plans.isEmpty {
                guard undone < undoLimit, !change.isExhausted else {
                    unseen += 1
                    continue
                }
                undone += 1
            }
            let successor = change.successor(of: rule)
            let trial = TransitionTrial(rule, successor, plans.map(\.floor), old, new)
            openings += trial.openings(plans, at: now)
        }
        self.openings = openings
        self.newlyAllowedRequests = Self.newlyAllowedRequests(from: old, to: new, at: now)
        self.unseen = unseen
    }

    private static func newlyAllowedRequests(
        from old: RuleSet,
        to new: RuleSet,
        at now: Timestamp
    ) -> [RequestPattern] {
        let paths = old.definition.unidentified.paths
        guard paths != new.definition.unidentified.paths else { return [] }
        let patterns = (paths + new.definition.unidentified.paths).map(\.request)
        let fillers = ComparedRequest.Fillers(besides: patterns)
        let clients = [ClientIdentity(), ClientIdentity(version: .unreadable("?"))]
        return paths.map(\.request).filter { pattern in
            ComparedRequest.each(pattern, fillers).contains { request in
                let (before, after) = (old.scope(of: request), new.scope(of: request))
                return clients.contains { client in
                    let was = old.decide(client, in: before, at: now, address: nil)
                    guard was.kind == .require, was.ruleID == nil else { return false }
                    return new.decide(client, in: after, at: now, address: nil).kind < .require
                }
            }
        }
    }
}

/// The rules that differ between two rule sets.
///
/// Unchanged rules cost almost nothing, because they are not copied.
private struct RuleChange {
    private struct Planned {
        /// The index, in the new rules, of the rule with the floor.
        let rule: Int
        let place: Int
        let floor: RuleDefinition
        /// The index of the old rule with the same ID; `nil` if there is no such rule.
        let former: Int?
    }

    /// The maximum number of pairs of previous rules and planned floors that are compared.
    ///
    /// Beyond this number, only pairs with the same ID are compared.
    private static let pairLimit = 1_000_000

    /// The old rules with an enforced floor that are missing or changed in the new rule set, or
    /// that wait for releases that differ between the rule sets.
    let formerRules: [RuleDefinition]
    /// Whether the number of compared pairs exceeds the limit.
    var isExhausted: Bool { self.pairs > Self.pairLimit }

    private let old: [RuleDefinition]
    private let new: [RuleDefinition]
    /// The indices of the new rules, by rule ID.
    private let places: [String: Int]
    /// The new floors that are not yet active for all clients.
    private let planned: [Planned]
    /// The indices in `planned`, by the index of the rule in the new rules.
    private var plannedByRule: [Int: [Int]] = [:]
    private var plannedByApp: [String: [Int]] = [:]
    private var plannedForAnyApp: [Int] = []
    private var pairs = 0

    init(from old: RuleSetDefinition, to new: RuleSetDefinition, at now: Timestamp) {
        let before = Self.places(old.rules)
        let after = Self.places(new.rules)
        // The releases determine the start of floors that wait for a store.
        let factsDiffer = old.releases != new.releases
        self.formerRules = old.rules.indices.compactMap { index in
            let successor = after[old.rules[index].id]
            let isSame = successor.map { new.rules[$0] == old.rules[index] } ?? false
            guard !isSame || factsDiffer else { return nil }
            let floors = old.rules[index].withNext
            guard floors.contains(where: { $0.hasFloor && $0.mode == .enforce }) else { return nil }
            let dependsOnStores = floors.contains { $0.holdUntilInStore != nil }
            guard !isSame || dependsOnStores else { return nil }
            // A rule that only gains an entry in `next` denies the same clients as before.
            let isKept =
                !dependsOnStores && (successor.map { new.rules[$0].keeps(floors) } ?? false)
            return isKept ? nil : old.rules[index]
        }
        self.planned = new.rules.indices.flatMap { index -> [Planned] in
            let former = before[new.rules[index].id]
            if let former, old.rules[former] == new.rules[index] { return [] }
            let floors = former.map { old.rules[$0].withNext } ?? []
            return new.rules[index].withNext.enumerated().compactMap { place, floor in
                guard floor.hasFloor, !floors.contains(floor),
                    !floor.isActiveForAllClients(at: now),
                    floor.schedule.until.map({ now < $0 }) ?? true
                else { return nil }
                return Planned(rule: index, place: place, floor: floor, former: former)
            }
        }
        self.old = old.rules
        self.new = new.rules
        self.places = after
        for index in self.planned.indices {
            self.plannedByRule[self.planned[index].rule, default: []].append(index)
            guard let apps = self.planned[index].floor.match.appIdentifiers else {
                self.plannedForAnyApp.append(index)
                continue
            }
            for app in Set(apps) { self.plannedByApp[app, default: []].append(index) }
        }
    }

    private static func places(_ rules: [RuleDefinition]) -> [String: Int] {
        Dictionary(firstOf: rules.enumerated().map { ($1.id, $0) })
    }

    func successor(of rule: RuleDefinition) -> RuleDefinition? {
        self.places[rule.id].map { self.new[$0] }
    }

    /// Returns the planned floors that are higher than the floors of a previous rule.
    ///
    /// Only a higher floor is a plan; any other change is an undo.
    mutating func plans(beside rule: RuleDefinition) -> [RuleSetTransition.Plan] {
        var plans: [RuleSetTransition.Plan] = []
        for index in self.candidates(for: rule) {
            let planned = self.planned[index]
            guard planned.floor.match.overlaps(rule.match),
                FloorOrder(rule.withNext, [planned.floor]).onlySecond
            else { continue }
            // A floor that another previous rule already had is not a plan, even if its date has
            // changed.
            if let former = planned.former, self.old[former].id != rule.id,
                !FloorOrder(self.old[former].withNext, [planned.floor]).onlySecond
            {
                continue
            }
            plans.append(
                .init(
                    rule: self.new[planned.rule].id,
                    floor: planned.floor,
                    place: planned.place,
                    base: rule
                )
            )
        }
        return plans
    }

    /// Returns the indices of the planned floors that may match clients of a rule, in ascending
    /// order.
    private mutating func candidates(for rule: RuleDefinition) -> [Int] {
        guard !self.isExhausted else {
            return self.places[rule.id].flatMap { self.plannedByRule[$0] } ?? []
        }
        guard let apps = rule.match.appIdentifiers else {
            self.pairs += self.planned.count
            return Array(self.planned.indices)
        }
        let named = Set(apps.flatMap { self.plannedByApp[$0] ?? [] })
        let found = (named + self.plannedForAnyApp).sorted()
        self.pairs += found.count
        return found
    }
}

extension RuleDefinition {
    /// Whether the rule has all of the given floors.
    fileprivate func keeps(_ floors: [RuleDefinition]) -> Bool {
        let own = self.withNext.map(\.withoutNext)
        return floors.allSatisfy { own.contains($0.withoutNext) }
    }

    private var withoutNext: RuleDefinition {
        var rule = self
        rule.next = []
        return rule
    }
}
