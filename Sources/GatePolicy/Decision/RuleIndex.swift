/// Finds the rules that can be for a client, without asking each of them.
///
/// Every rule is kept under the values of one of its conditions, the one that fewest rules share:
/// its apps, its platforms or its request patterns. What is found may still turn out to be for
/// others. What is not found cannot be for the client, or asks a client that does not say its value
/// for no more than a rule that is found.
struct RuleIndex: Sendable {
    /// A condition, and the rules that are kept under its values.
    private struct Shelf<Value: Sendable & Hashable>: Sendable {
        var rules: [Value: [Int]] = [:]
        /// Rules for a client that does not say which value is its own, in ascending order.
        ///
        /// Of those that ask it for the same there is one.
        var unclaimed: [Int] = []
        private var questions: Set<Question> = []

        /// - Parameters:
        ///   - rule: The place of the rule.
        ///   - values: The values that it is for.
        ///   - question: What the rule is for a client that does not say its value; `nil` if no other
        ///     rule can speak for it.
        mutating func keep(_ rule: Int, under values: [Value], _ question: Question?) {
            for value in Set(values) { self.rules[value, default: []].append(rule) }
            // An empty list is for nobody, also not for a client that does not say.
            guard !values.isEmpty else { return }
            guard question.map({ self.questions.insert($0).inserted }) ?? true else { return }
            self.unclaimed.append(rule)
        }

        func rules(for claim: Claim<Value>) -> [Int] {
            guard let value = claim.value else { return self.unclaimed }
            return self.rules.isEmpty ? [] : self.rules[value] ?? []
        }
    }

    /// All that a rule is for a client that may or may not be meant: it asks for what is not said.
    private struct Question: Hashable {
        private let apps: [AppPattern]?
        private let platforms: [Platform]?
        private let channels: [String]?
        private let osVersions: [VersionRange]?
        private let patterns: [Int]?

        /// - Parameters:
        ///   - rule: The rule; time and stores make one rule ask when another one does not.
        ///   - match: Its conditions, without the one whose value the client does not say.
        init?(_ rule: CompiledRule, _ match: RuleMatch) {
            guard rule.isConstant, rule.definition.mode == .enforce else { return nil }
            self.apps = match.apps
            self.platforms = match.platforms
            self.channels = match.channels
            self.osVersions = match.osVersions
            self.patterns = rule.patterns
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
    private var patterns: [Int: [Int]] = [:]
    /// The rules that are kept under patterns, in ascending order.
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

    /// The identifiers of a condition on apps; `nil` if one of them is a pattern, under which no client is found.
    private static func identifiers(_ apps: [AppPattern]?) -> [String]? {
        guard let apps, apps.allSatisfy({ $0.prefix == nil }) else { return nil }
        return apps.map(\.description)
    }

    /// The rules that can be for a client that sends a request of a scope, in their order.
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
        // Among equals the first in the file decides.
        return isSorted ? found : found.sorted()
    }
}
