/// Finds the rules that may match a client, without evaluating all rules.
///
/// Each rule is indexed under the values of one of its conditions: apps, platforms or request
/// patterns. The condition that it shares with the fewest rules is used. A rule that is found does
/// not necessarily match. A rule that is not found either cannot match, or is redundant: if the
/// client sends no value, a rule that is found has the same effect.
struct RuleIndex: Sendable {
    /// The rules that are indexed under the values of one condition.
    private struct ConditionIndex<Value: Sendable & Hashable>: Sendable {
        var rules: [Value: [Int]] = [:]
        /// The rules that may match a client without a value, in ascending order.
        ///
        /// If several rules have the same effect on such a client, only one of them is listed.
        var unclaimed: [Int] = []
        private var questions: Set<Question> = []

        /// Indexes a rule.
        ///
        /// - Parameters:
        ///   - rule: The index of the rule.
        ///   - values: The values that it matches.
        ///   - question: The effect of the rule on a client without a value; `nil` if no other rule
        ///     can replace it.
        mutating func keep(_ rule: Int, under values: [Value], _ question: Question?) {
            for value in Set(values) { self.rules[value, default: []].append(rule) }
            // An empty list matches no client, not even one without a value.
            guard !values.isEmpty else { return }
            guard question.map({ self.questions.insert($0).inserted }) ?? true else { return }
            self.unclaimed.append(rule)
        }

        func rules(for claim: Claim<Value>) -> [Int] {
            guard let value = claim.value else { return self.unclaimed }
            return self.rules.isEmpty ? [] : self.rules[value] ?? []
        }
    }

    /// The effect of a rule on a client without the indexed value: the rule requires that value.
    private struct Question: Hashable {
        private let apps: [AppPattern]?
        private let platforms: [Platform]?
        private let channels: [String]?
        private let osVersions: [VersionRange]?
        private let patterns: [Int]?

        /// Creates the effect of a rule; `nil` if the rule depends on the time or on stores, or is
        /// not enforced.
        ///
        /// - Parameters:
        ///   - rule: The rule.
        ///   - match: The conditions of the rule, without the indexed condition.
        init?(_ rule: CompiledRule, _ match: RuleMatch) {
            guard rule.isConstant, rule.definition.mode == .enforce else { return nil }
            self.apps = match.apps
            self.platforms = match.platforms
            self.channels = match.channels
            self.osVersions = match.osVersions
            self.patterns = rule.patterns
        }
    }

    /// The number of rules for each value of a condition.
    private struct Usage<Value: Hashable> {
        private var counts: [Value: Int] = [:]

        mutating func note(_ values: [Value]?) {
            for value in values ?? [] { self.counts[value, default: 0] += 1 }
        }

        /// Returns an upper bound on the number of rules under these values; `Int.max` for `nil`.
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
    /// The rules without any of these conditions.
    private var others: [Int] = []

    init(_ rules: [CompiledRule]) {
        var (apps, platforms, patterns) = (Usage<String>(), Usage<Platform>(), Usage<Int>())
        for rule in rules {
            apps.note(Self.identifiers(rule.definition.match.apps))
            platforms.note(rule.definition.match.platforms)
            patterns.note(rule.patterns)
        }
        for (index, rule) in rules.enumerated() {
            let match = rule.definition.match
            let identifiers = Self.identifiers(match.apps)
            let byApp = apps.total(identifiers)
            let byPlatform = platforms.total(match.platforms)
            let byPattern = patterns.total(rule.patterns)
            switch min(byApp, byPlatform, byPattern) {
            case .max: self.others.append(index)
            case byApp:
                var others = match
                others.apps = nil
                self.apps.keep(index, under: identifiers ?? [], Question(rule, others))
            case byPattern:
                let values = Set(rule.patterns ?? [])
                for value in values { self.patterns[value, default: []].append(index) }
                if !values.isEmpty { self.patterned.append(index) }
            default:
                var others = match
                others.platforms = nil
                self.platforms.keep(index, under: match.platforms ?? [], Question(rule, others))
            }
        }
    }

    /// Returns the identifiers in a condition on apps; `nil` if the condition contains a pattern,
    /// which cannot be looked up by a client's app.
    private static func identifiers(_ apps: [AppPattern]?) -> [String]? {
        guard let apps, apps.allSatisfy({ $0.prefix == nil }) else { return nil }
        return apps.map(\.description)
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
        // Among equally strict rules, the first one in the file applies.
        return isSorted ? found : found.sorted()
    }
}
