/// The loosening at the second in which one rule set takes the place of another: which clients pass
/// that were refused, and whether somebody meant it.
///
/// Only rules that have changed are looked at, by clients that stand for all that such a rule can
/// tell apart.
package struct RuleSetTransition {
    /// Clients of one rule that it refused, and that pass now.
    package struct Opening: Sendable, Equatable {
        /// The rule that refused them.
        package let rule: String
        /// Whether there is no rule of that id any more.
        package let isGone: Bool
        /// The versions in words.
        package let versions: String
        /// Whether only some of the clients with these versions pass.
        package let isPartial: Bool
        /// The floor that is going to refuse them again, and that is higher than the one they were
        /// refused by; `nil` for an undo.
        package let plan: Plan?
    }

    /// A floor that comes, and takes one that is in force away until then.
    package struct Plan: Sendable, Equatable {
        /// The id of its rule.
        package let rule: String
        /// The rule, or the one among its `next`.
        package let floor: RuleDefinition
        /// The place in `withNext` of its rule.
        package let place: Int
        /// The floor that it takes away.
        package let base: RuleDefinition
    }

    package let openings: [Opening]
    /// The requests for which clients were rejected that do not say which build they are, and that
    /// pass now.
    package let unrejected: [RequestPattern]
    /// How many changed rules were not looked at, because there are too many.
    package let unseen: Int

    /// How many rules are looked at whose change is no plan; fewer among thousands, each of which may
    /// be held against all others.
    private static let undoLimit = 50
    /// As many refusals are enough for anybody; fewer among thousands.
    private static let planLimit = 20
    /// As many rules, times those that are tried, as may be held against each other.
    private static let effort = 50_000

    /// - Parameters:
    ///   - old: The rules in force.
    ///   - new: The rules that take their place.
    ///   - now: The second of the change.
    package init(from old: RuleSet, to new: RuleSet, at now: Timestamp) {
        // Rules that enforce nothing cannot become laxer; and to stop enforcing is an undo.
        guard old.definition.mode == .enforce, new.definition.mode == .enforce else {
            self.openings = []
            self.unrejected = []
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
                // A plan that was not looked at opens nothing: one that was refuses them all.
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
        self.unrejected = Self.unrejected(from: old, to: new, at: now)
        self.unseen = unseen
    }

    private static func unrejected(
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
                let (method, target) = (request.method, request.target)
                let before = old.scope(method: method.span, target: target.span)
                let after = new.scope(method: method.span, target: target.span)
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
/// Thousands of rules that are as they were cost next to nothing: none of them is copied.
private struct RuleChange {
    private struct Planned {
        /// The place of the floor's rule among the new ones.
        let rule: Int
        let place: Int
        let floor: RuleDefinition
        /// The place of the rule that it follows; `nil` if it follows none.
        let former: Int?
    }

    /// As many pairs of a former rule and a planned floor are looked at, those of one id aside.
    private static let pairLimit = 1_000_000

    /// Enforced rules with a floor that are not in the new rule set as they were.
    let formerRules: [RuleDefinition]
    /// Whether some pairs were not looked at, because there are too many.
    var isExhausted: Bool { self.pairs > Self.pairLimit }

    private let old: [RuleDefinition]
    private let new: [RuleDefinition]
    /// The places of the new rules, by id.
    private let places: [String: Int]
    /// The floors that are new, and not in force for everybody.
    private let planned: [Planned]
    /// Their places, by the rule that they are of.
    private var plannedByRule: [Int: [Int]] = [:]
    private var plannedByApp: [String: [Int]] = [:]
    private var plannedForAnyApp: [Int] = []
    private var pairs = 0

    init(from old: RuleSetDefinition, to new: RuleSetDefinition, at now: Timestamp) {
        let before = Self.places(old.rules)
        let after = Self.places(new.rules)
        // Facts move floors that wait for a store.
        let factsDiffer = old.releases != new.releases
        self.formerRules = old.rules.indices.compactMap { index in
            let successor = after[old.rules[index].id]
            let isSame = successor.map { new.rules[$0] == old.rules[index] } ?? false
            guard !isSame || factsDiffer else { return nil }
            let floors = old.rules[index].withNext
            guard floors.contains(where: { $0.hasFloor && $0.mode == .enforce }) else { return nil }
            let looksAtStores = floors.contains { $0.holdUntilInStore != nil }
            guard !isSame || looksAtStores else { return nil }
            // A rule that only gets a `next` more refuses whom it refused.
            let isKept = !looksAtStores && (successor.map { new.rules[$0].keeps(floors) } ?? false)
            return isKept ? nil : old.rules[index]
        }
        self.planned = new.rules.indices.flatMap { index -> [Planned] in
            let former = before[new.rules[index].id]
            if let former, old.rules[former] == new.rules[index] { return [] }
            let floors = former.map { old.rules[$0].withNext } ?? []
            return new.rules[index].withNext.enumerated().compactMap { place, floor in
                guard floor.hasFloor, !floors.contains(floor), !floor.isWhollyInForce(at: now),
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
            let apps = self.planned[index].floor.match.apps
            guard let apps, apps.allSatisfy({ $0.prefix == nil }) else {
                self.plannedForAnyApp.append(index)
                continue
            }
            for app in Set(apps) { self.plannedByApp[app.description, default: []].append(index) }
        }
    }

    private static func places(_ rules: [RuleDefinition]) -> [String: Int] {
        Dictionary(
            rules.enumerated().map { ($1.id, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    func successor(of rule: RuleDefinition) -> RuleDefinition? {
        self.places[rule.id].map { self.new[$0] }
    }

    /// The floors that come and are higher than those of a rule that was there: only raising one is
    /// a plan, and everything else an undo.
    mutating func plans(beside rule: RuleDefinition) -> [RuleSetTransition.Plan] {
        var plans: [RuleSetTransition.Plan] = []
        for index in self.candidates(for: rule) {
            let planned = self.planned[index]
            guard planned.floor.match.overlaps(rule.match),
                FloorOrder(rule.withNext, [planned.floor]).onlySecond
            else { continue }
            // A rule that was there with this floor is not raised, whatever became of its date.
            if let former = planned.former, self.old[former].id != rule.id,
                !FloorOrder(self.old[former].withNext, [planned.floor]).onlySecond
            {
                continue
            }
            let plan = RuleSetTransition.Plan(
                rule: self.new[planned.rule].id,
                floor: planned.floor,
                place: planned.place,
                base: rule
            )
            plans.append(plan)
        }
        return plans
    }

    /// The planned floors that can be for clients of a rule, in their order.
    private mutating func candidates(for rule: RuleDefinition) -> [Int] {
        guard !self.isExhausted else {
            return self.places[rule.id].flatMap { self.plannedByRule[$0] } ?? []
        }
        guard let apps = rule.match.apps, apps.allSatisfy({ $0.prefix == nil }) else {
            self.pairs += self.planned.count
            return Array(self.planned.indices)
        }
        let named = Set(apps.flatMap { self.plannedByApp[$0.description] ?? [] })
        let found = (named + self.plannedForAnyApp).sorted()
        self.pairs += found.count
        return found
    }
}

extension RuleDefinition {
    /// Whether each of these floors is one of the rule, too.
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
