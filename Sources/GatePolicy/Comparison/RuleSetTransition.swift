/// What becomes laxer at the second in which one rule set takes the place of another: which clients
/// pass that were refused, and whether somebody meant it.
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
        // Where nothing is enforced, nothing can become laxer; and to stop enforcing is an undo.
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
        /// Where the rule of the floor stands among the new ones.
        let rule: Int
        let place: Int
        let floor: RuleDefinition
        /// Where the rule that it takes the place of stood.
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
    /// Where the new rules stand.
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
            guard let apps = self.planned[index].floor.match.apps else {
                self.plannedForAnyApp.append(index)
                continue
            }
            for app in Set(apps) { self.plannedByApp[app, default: []].append(index) }
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
        guard let apps = rule.match.apps else {
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

/// Clients that stand for all that one rule can tell apart, judged by both rule sets.
private struct TransitionTrial {
    /// As many kinds of clients, beside their versions, are tried for one rule.
    private static let kindLimit = 192
    private static let listLimit = 8
    /// As many rules beside it are looked at.
    private static let ruleLimit = 64

    private let rule: RuleDefinition
    private let isGone: Bool
    private let old: RuleSet
    private let new: RuleSet
    private let points: FloorPoints
    private let kinds: [ClientIdentity]
    private let requests: [ComparedRequest]

    init(
        _ rule: RuleDefinition,
        _ successor: RuleDefinition?,
        _ plans: [RuleDefinition],
        _ old: RuleSet,
        _ new: RuleSet
    ) {
        // Rules beside it may still refuse some of its clients, and tell those from the others.
        let besides = new.definition.rules.lazy
            .filter { $0.id != rule.id && $0.mode == .enforce && $0.match.overlaps(rule.match) }
            .prefix(Self.ruleLimit)
        let rules =
            rule.withNext + (successor?.withNext ?? []) + plans + besides.flatMap(\.withNext)
        let waits = rules.contains(where: \.looksAtStores)
        let releases = waits ? (old.definition.releases + new.definition.releases) : []
        self.rule = rule
        self.isGone = successor == nil
        self.old = old
        self.new = new
        self.points = FloorPoints(rules, releases: releases.map(\.version))
        let others =
            [successor?.match].compactMap { $0 } + plans.map(\.match) + besides.map(\.match)
        self.kinds = Self.kinds(of: rule.match, others, rules, releases)
        self.requests = Self.requests(of: rule.match, others)
    }

    private static func kinds(
        of match: RuleMatch,
        _ others: [RuleMatch],
        _ rules: [RuleDefinition],
        _ releases: [Release]
    ) -> [ClientIdentity] {
        func values<Value: Hashable>(
            _ part: (RuleMatch) -> [Value]?,
            _ more: [Value],
            or other: Value
        ) -> [Claim<Value>] {
            if let own = part(match) { return own.prefix(Self.listLimit).map { .stated($0) } }
            // Anybody: those whom the new rules name, one whom they do not, and one that is silent.
            let named = others.flatMap { part($0) ?? [] } + more
            return [.stated(other), .missing]
                + Set(named).prefix(Self.listLimit).map { .stated($0) }
        }
        let systems = (match.osVersions ?? []) + others.flatMap { $0.osVersions ?? [] }
        let axis = VersionAxis(cuts: systems.flatMap(\.bounds))
        let osVersions: [Claim<AppVersion>] =
            systems.isEmpty
            ? [.missing] + axis.points.suffix(1).map { .stated($0.version) }
            : axis.points.map(\.version)
                .filter { version in match.osVersions?.contains { $0 ~= version } ?? true }
                .map { .stated($0) }
        var kinds = ComparedDevices(rules).groups.map { ClientIdentity(device: $0.device) }
        func vary<Value>(_ path: WritableKeyPath<ClientIdentity, Value>, _ values: [Value]) {
            guard kinds.count * values.count <= Self.kindLimit else {
                // Each value once for each few of them, if not for every one.
                for index in kinds.indices {
                    kinds[index][keyPath: path] = values[index % values.count]
                }
                return
            }
            kinds = kinds.flatMap { kind in
                values.map { value in
                    var kind = kind
                    kind[keyPath: path] = value
                    return kind
                }
            }
        }
        let other = "any-other"
        vary(\.platform, values(\.platforms, releases.map(\.platform), or: Platform(other)))
        vary(\.app, values(\.apps, releases.compactMap(\.app), or: other))
        let channels = releases.compactMap(\.channel)
        vary(\.channel, values({ $0.channels?.map { $0.lowercasedASCII } }, channels, or: other))
        if !osVersions.isEmpty { vary(\.osVersion, osVersions) }
        let countries = Set(
            rules.flatMap { $0.holdUntilInStore?.countries ?? [] }
                + releases.flatMap { $0.countries(awaitedBy: nil) }
        )
        if !countries.isEmpty {
            vary(\.storefront, [.missing] + countries.sorted().map { .stated($0) })
        }
        return kinds
    }

    private static func requests(of match: RuleMatch, _ others: [RuleMatch]) -> [ComparedRequest] {
        let named = others.flatMap { $0.requests ?? [] }
        let fillers = ComparedRequest.Fillers(besides: (match.requests ?? []) + named)
        guard let own = match.requests else {
            return [ComparedRequest(outside: fillers, label: "")]
                + named.prefix(Self.listLimit).map { ComparedRequest($0, fillers) }
        }
        return own.prefix(Self.listLimit).flatMap { pattern in
            ComparedRequest.each(pattern, fillers)
                + named.prefix(Self.listLimit).compactMap { ComparedRequest(pattern, $0, fillers) }
        }
    }

    /// The clients whom the rule refused and who pass now, those of a plan apart from the others.
    func openings(
        _ plans: [RuleSetTransition.Plan],
        at now: Timestamp
    ) -> [RuleSetTransition.Opening] {
        var opened: [Int?: Set<Int>] = [:]
        var closed: [Int?: Set<Int>] = [:]
        for request in self.requests {
            let (method, target) = (request.method, request.target)
            let before = self.old.scope(method: method.span, target: target.span)
            let after = self.new.scope(method: method.span, target: target.span)
            for kind in self.kinds {
                for point in self.points.points {
                    var client = kind
                    client.version = .stated(point.version)
                    client.build = point.build.map { .stated($0) } ?? .missing
                    let was = self.old.decide(client, in: before, at: now, address: nil)
                    // A brownout ends by itself: its floor is not in force yet.
                    guard was.kind == .require, was.brownout == nil, was.ruleID == self.rule.id
                    else { continue }
                    let becomes = self.new.decide(client, in: after, at: now, address: nil)
                    guard becomes.kind < .require else {
                        closed[nil, default: []].insert(point.place)
                        continue
                    }
                    let plan = plans.firstIndex { plan in
                        plan.floor.denies(point)
                            && self.new.judge.isMeant(client, in: after, by: plan.floor)
                    }
                    opened[plan, default: []].insert(point.place)
                }
            }
        }
        return opened.sorted { $0.key ?? -1 < $1.key ?? -1 }.map { plan, places in
            RuleSetTransition.Opening(
                rule: self.rule.id,
                isGone: self.isGone,
                versions: self.words(places),
                isPartial: !places.isDisjoint(with: closed[nil] ?? []),
                plan: plan.map { plans[$0] }
            )
        }
    }

    /// Places on the axis as ranges, neighbours put together.
    private func words(_ places: Set<Int>) -> String {
        var ranges: [ClosedRange<Int>] = []
        for place in places.sorted() {
            if let last = ranges.last, last.upperBound + 1 == place {
                ranges[ranges.count - 1] = last.lowerBound...place
            } else {
                ranges.append(place...place)
            }
        }
        return ranges.map { self.points.axis.words($0) }.joined(separator: " and ")
    }
}
