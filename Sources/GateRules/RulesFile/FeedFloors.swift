internal import GatePolicy

/// The floors of one feed: what it states now, and below that what it stated before, for as long as
/// the new floor is not in force for everybody.
///
/// A source knows one number. When it goes up and waits for a store or a date, the number of before
/// goes on; when it goes down, nothing of before is left: that is an undo.
struct FeedFloors {
    private let current: [String: RuleDefinition]
    private var earlier: [String: [RuleDefinition]] = [:]

    init(_ rules: [RuleDefinition]) {
        self.current = Dictionary(
            rules.map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Adds what the feed stated before; false if nothing of it is needed any more.
    mutating func add(_ rules: [RuleDefinition], at now: Timestamp) -> Bool {
        var isNeeded = false
        for rule in rules {
            guard let current = self.current[rule.id], Self.isBase(rule, of: current, at: now)
            else {
                continue
            }
            isNeeded = true
            // One that is higher than it, and in force, has taken its place.
            self.earlier[rule.id, default: []].removeAll { older in
                rule.isWhollyInForce(at: now) && !FloorOrder([older], [rule]).onlyFirst
            }
            self.earlier[rule.id, default: []].append(rule)
        }
        return isNeeded
    }

    /// The document with the earlier floors in it: the oldest is the rule, the others come next.
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

    /// Whether a floor of before goes on below the one of now: this one is higher everywhere, and
    /// not in force for everybody.
    private static func isBase(
        _ rule: RuleDefinition,
        of current: RuleDefinition,
        at now: Timestamp
    ) -> Bool {
        guard rule.hasFloor, rule.match == current.match, rule.mode == .enforce,
            !current.isWhollyInForce(at: now)
        else { return false }
        let order = FloorOrder([rule], [current])
        return order.onlySecond && !order.onlyFirst
    }
}
