/// Finds the rules that can be for a client, without asking each of them.
///
/// Every rule is kept under the values of one of its conditions, the one that fewest rules share:
/// its apps, its platforms or its request patterns. What is found may still turn out to be for
/// others; what is not found cannot be for the client.
struct RuleIndex: Sendable {
    /// A condition, and the rules that are kept under its values.
    private struct Shelf<Value: Sendable & Hashable>: Sendable {
        var rules: [Value: [Int]] = [:]
        /// All of them once, in ascending order.
        var all: [Int] = []

        mutating func keep(_ rule: Int, under values: [Value]) {
            for value in Set(values) { self.rules[value, default: []].append(rule) }
            // An empty list is for nobody, also not for a client that does not say.
            if !values.isEmpty { self.all.append(rule) }
        }

        /// The rules for a client that claims this; all, if it does not say which value is its own.
        func rules(for claim: Claim<Value>) -> [Int] {
            guard let value = claim.value else { return self.all }
            return self.rules[value] ?? []
        }
    }

    /// How many rules have a value among those of a condition.
    private struct Usage<Value: Hashable> {
        private var counts: [Value: Int] = [:]

        mutating func note(_ values: [Value]?) {
            for value in values ?? [] { self.counts[value, default: 0] += 1 }
        }

        /// How many rules stand under these values at most; without values, more than any.
        func total(_ values: [Value]?) -> Int {
            guard let values else { return .max }
            return values.reduce(0) { $0 + (self.counts[$1] ?? 0) }
        }
    }

    private var apps = Shelf<String>()
    private var platforms = Shelf<Platform>()
    private var patterns = Shelf<Int>()
    /// The rules without any of these conditions.
    private var others: [Int] = []

    init(_ rules: [CompiledRule]) {
        var (apps, platforms, patterns) = (Usage<String>(), Usage<Platform>(), Usage<Int>())
        for rule in rules {
            apps.note(rule.definition.match.apps)
            platforms.note(rule.definition.match.platforms)
            patterns.note(rule.patterns)
        }
        for (index, rule) in rules.enumerated() {
            let match = rule.definition.match
            let byApp = apps.total(match.apps)
            let byPlatform = platforms.total(match.platforms)
            let byPattern = patterns.total(rule.patterns)
            switch min(byApp, byPlatform, byPattern) {
            case .max: self.others.append(index)
            case byApp: self.apps.keep(index, under: match.apps ?? [])
            case byPattern: self.patterns.keep(index, under: rule.patterns ?? [])
            default: self.platforms.keep(index, under: match.platforms ?? [])
            }
        }
    }

    /// The rules that can be for a client that sends a request of a scope, in their order.
    func candidates(for identity: ClientIdentity, in scope: RequestScope) -> [Int] {
        var found = self.others
        found += self.apps.rules(for: identity.app)
        found += self.platforms.rules(for: identity.platform)
        if let numbers = scope.patterns.numbers {
            let matching = Set(numbers.flatMap { self.patterns.rules[$0] ?? [] })
            found += matching
        } else {
            found += self.patterns.all
        }
        // Among equals the first in the file decides.
        return found.sorted()
    }
}
