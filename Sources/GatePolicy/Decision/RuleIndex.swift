/// An index that finds the rules that may match a client, without evaluating all rules.
///
/// Each rule is indexed under the values of one of its conditions: apps, platforms or request
/// patterns. The condition whose values occur in the fewest rules is used.
///
/// A rule that is found does not necessarily match. A rule that is not found either cannot match or
/// is redundant: if the client sends no value, another rule, which is found, has the same effect.
struct RuleIndex: Sendable {
    /// The rules that are indexed under the values of one condition.
    private struct ConditionIndex<Value: Sendable & Hashable>: Sendable {
        var rules: [Value: [Int]] = [:]
        /// The rules that may match a client without a value, in ascending order.
        ///
        /// If several rules have the same effect on such a client, only one of them is listed.
        var unclaimed: [Int] = []
        private var questions: Set<Question> = []

        /// Indexes a rule under the values that it matches.
        mutating func keep(_ rule: Int, under values: [Value], _ question: Question?) {
            for value in Set(values) { self.rules[value, default: []].append(rule) }
            // An empty list matches no client, not even a client without a value.
            guard !values.isEmpty else { return }
            guard question.map({ self.questions.insert($0).inserted }) ?? true else { return }
            self.unclaimed.append(rule)
        }

        func rules(for claim: Claim<Value>) -> [Int] {
            guard let value = claim.value else { return self.unclaimed }
            return self.rules.isEmpty ? [] : self.rules[value] ?? []
        }
    }

    /// The conditions and the floor of a rule, without the indexed condition.
    ///
    /// If a client does not send the indexed value, rules with equal questions have the same effect on the client.
    private struct Question: Hashable {
        /// The conditions of the rule, without the indexed one.
        let others: RuleMatch
        let minimum: AppVersion?
        let minimumBuild: BuildNumber?
        let minimumBuildOf: AppVersion?
        let blocked: [VersionRange]
        let blockedBuilds: [BlockedBuilds]
        let prerelease: PrereleasePolicy

        /// Returns `nil` if the rule depends on the time or on stores, or is not enforced, because no other rule can
        /// then replace it.
        init?<Value>(
            _ rule: CompiledRule,
            without condition: WritableKeyPath<RuleMatch, [Value]?>
        ) {
            guard rule.isConstant, rule.definition.mode == .enforce else { return nil }
            var others = rule.definition.match
            others[keyPath: condition] = nil
            self.others = others
            self.minimum = rule.definition.minimum
            self.minimumBuild = rule.definition.minimumBuild
            self.minimumBuildOf = rule.definition.minimumBuildOf
            self.blocked = rule.definition.blocked
            self.blockedBuilds = rule.definition.blockedBuilds
            self.prerelease = rule.definition.prerelease
        }
    }

    /// The number of rules for each value of a condition.
    private struct Usage<Value: Hashable> {
        private var counts: [Value: Int] = [:]

        mutating func note(_ values: [Value]?) {
            for value in values ?? [] { self.counts[value, default: 0] += 1 }
        }

        /// Returns an upper bound on the number of rules with one of these values; `Int.max` if
        /// `values` is `nil`.
        func total(_ values: [Value]?) -> Int {
            guard let values else { return .max }
            return values.reduce(0) { $0 + (self.counts[$1] ?? 0) }
        }
    }

    private var apps = ConditionIndex<String>()
    private var platforms = ConditionIndex<Platform>()
    private var patterns: [Int: [Int]] = [:]
    /// The rules that are indexed under request patterns, in ascending order.
    private var patterned: [Int] = []
    /// The rules that have none of the indexed conditions.
    private var others: [Int] = []

    init(_ rules: [CompiledRule]) {
        var (apps, platforms, patterns) = (Usage<String>(), Usage<Platform>(), Usage<Int>())
        for rule in rules {
            apps.note(rule.definition.match.appIdentifiers)
            platforms.note(rule.definition.match.platforms)
            patterns.note(rule.patterns)
        }
        for (index, rule) in rules.enumerated() {
            let match = rule.definition.match
            let identifiers = match.appIdentifiers
            let byApp = apps.total(identifiers)
            let byPlatform = platforms.total(match.platforms)
            let byPattern = patterns.total(rule.patterns)
            switch min(byApp, byPlatform, byPattern) {
            case .max: self.others.append(index)
            case byApp:
                let question = Question(rule, without: \.apps)
                self.apps.keep(index, under: identifiers ?? [], question)
            case byPattern:
                let values = Set(rule.patterns ?? [])
                for value in values { self.patterns[value, default: []].append(index) }
                if !values.isEmpty { self.patterned.append(index) }
            default:
                let question = Question(rule, without: \.platforms)
                self.platforms.keep(index, under: match.platforms ?? [], question)
            }
        }
    }

    /// Returns the rules that may match a client in a request scope, in ascending order.
    func candidates(for identity: ClientIdentity, in scope: RequestScope) -> [Int] {
        var found = self.others
        var isSorted = true
        func add(_ more: [Int]) {
            isSorted = isSorted && (found.isEmpty || more.isEmpty)
            found = found.isEmpty ? more : found + more
        }
        add(self.apps.rules(for: identity.app))
        add(self.platforms.rules(for: identity.platform))
        switch scope.patterns.numbers {
        case nil: add(self.patterned)
        case []: break
        case let numbers?:
            let matching = Set(numbers.flatMap { self.patterns[$0] ?? [] })
            add(matching.sorted())
        }
        // Among equally strict rules, the first in the file applies.
        return isSorted ? found : found.sorted()
    }
}
