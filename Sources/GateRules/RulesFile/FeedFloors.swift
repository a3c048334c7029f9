internal import GatePolicy

/// The current floors of a feed, and its earlier floors until the current floors apply to all clients.
///
/// Most sources provide a single floor for a rule. If the floor is raised, but waits for a store or
/// a date, the earlier floor stays active. If the floor is lowered, all earlier floors are dropped,
/// as in an undo.
struct FeedFloors {
    private let current: [String: RuleDefinition]
    private var earlier: [String: [RuleDefinition]] = [:]

    init(_ rules: [RuleDefinition]) {
        self.current = Dictionary(firstOf: rules.map { ($0.id, $0) })
    }

    /// Adds an earlier value of the feed; returns whether at least one of its floors is still needed.
    mutating func add(_ rules: [RuleDefinition], at now: Timestamp) -> Bool {
        var isNeeded = false
        for rule in rules {
            guard let current = self.current[rule.id], Self.isBase(rule, of: current, at: now)
            else { continue }
            isNeeded = true
            // A higher floor that has taken full effect replaces the older floor.
            self.earlier[rule.id, default: []].removeAll { older in
                rule.isActiveForAllClients(at: now) && !FloorOrder([older], [rule]).onlyFirst
            }
            self.earlier[rule.id, default: []].append(rule)
        }
        return isNeeded
    }

    /// Returns the document with the earlier floors: the oldest becomes the rule's floor, and the
    /// later floors become its `next`.
    func joined(_ document: RulesDocument) -> RulesDocument {
        guard !self.earlier.isEmpty else { return document }
        var document = document
        for index in document.rules?.indices ?? 0..<0 {
            guard let current = document.rules?[index].value,
                let earlier = self.earlier[current.id], var base = earlier.first
            else { continue }
            base.recommended = current.recommended
            base.recommendedBuild = current.recommendedBuild
            base.recommendsStoreVersion = current.recommendsStoreVersion
            base.recommendedNotice = current.recommendedNotice
            base.next = (earlier.dropFirst() + [current]).map { floor in
                var floor = floor
                floor.next = []
                return floor
            }
            base.next += current.next
            document.rules?[index].value = base
        }
        return document
    }

    /// Whether an earlier floor stays active, because the current floor is higher for all versions
    /// but does not apply to all clients yet.
    private static func isBase(
        _ rule: RuleDefinition,
        of current: RuleDefinition,
        at now: Timestamp
    ) -> Bool {
        guard rule.hasFloor, rule.match == current.match, rule.mode == .enforce,
            !current.isActiveForAllClients(at: now)
        else { return false }
        let order = FloorOrder([rule], [current])
        return order.onlySecond && !order.onlyFirst
    }
}
