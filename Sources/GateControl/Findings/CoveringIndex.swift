internal import GatePolicy

/// Finds, for one of many rules, those whose clients include all of its own, without asking each.
struct CoveringIndex {
    private let rules: [RuleDefinition]
    private var apps = Shelf<String>()
    private var platforms = Shelf<Platform>()
    private var requests = Shelf<RequestPattern>()

    /// Rules by the values of one condition; a rule without the condition is for every value.
    private struct Shelf<Value: Hashable> {
        private var rules: [Value: [Int]] = [:]
        private var others: [Int] = []

        mutating func keep(_ rule: Int, under values: [Value]?) {
            guard let values else { return self.others.append(rule) }
            for value in Set(values) { self.rules[value, default: []].append(rule) }
        }

        /// The rules that can cover one with these values; `nil` where it names none.
        func candidates(for values: [Value]?) -> [Int] {
            guard let first = values?.first else { return self.others }
            return self.others + (self.rules[first] ?? [])
        }
    }

    init(_ rules: [RuleDefinition]) {
        self.rules = rules
        for (index, rule) in rules.enumerated() {
            self.apps.keep(index, under: rule.match.apps)
            self.platforms.keep(index, under: rule.match.platforms)
            self.requests.keep(index, under: rule.match.requests)
        }
    }

    /// The places of the other rules that are for every client of this one, in their order.
    func places(covering place: Int) -> [Int] {
        let match = self.rules[place].match
        let candidates = [
            self.apps.candidates(for: match.apps), self.platforms.candidates(for: match.platforms),
            self.requests.candidates(for: match.requests),
        ]
        let fewest = candidates.min { $0.count < $1.count } ?? []
        return fewest.filter { $0 != place && self.rules[$0].match.covers(match) }.sorted()
    }

    func rules(covering place: Int) -> [RuleDefinition] {
        self.places(covering: place).map { self.rules[$0] }
    }
}
