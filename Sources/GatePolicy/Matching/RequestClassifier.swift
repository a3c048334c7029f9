/// Determines the scopes of requests from the exemptions and the rules of a rule set.
struct RequestClassifier: Sendable {
    private let exemptions: RequestMatcher
    private let requests: RequestMatcher
    private let numbers: [RequestPattern: Int]
    /// The patterns of rules and of `unidentified`, indexed by pattern number.
    let patterns: [RequestPattern]
    /// The patterns as written in the rules file, indexed by pattern number.
    let texts: [String]

    init(_ definition: RuleSetDefinition) {
        let named = definition.rules.flatMap { $0.match.requests ?? [] }
        let patterns = (named + definition.unidentified.paths.map(\.request)).uniqued()
        self.numbers = Dictionary(uniqueKeysWithValues: zip(patterns, patterns.indices))
        self.patterns = patterns
        self.texts = patterns.map(\.text)
        self.requests = RequestMatcher(patterns, style: .lenient)
        self.exemptions = RequestMatcher(definition.exemptions, style: .exact)
    }

    /// Whether requests can have different scopes.
    var distinguishesRequests: Bool { !self.exemptions.isEmpty || !self.requests.isEmpty }

    /// Returns the number that identifies a pattern in scopes.
    ///
    /// The pattern can belong to a rule or to `unidentified`.
    func number(of pattern: RequestPattern) -> Int? {
        self.numbers[pattern]
    }

    func scope(
        method: borrowing Span<UInt8>,
        target: borrowing Span<UInt8>
    ) -> RequestScope {
        guard self.distinguishesRequests else { return .unrestricted }
        let shape = TargetShape(target)
        if !self.exemptions.isEmpty,
            !self.exemptions.matches(method: method, target: target, shape: shape).isEmpty
        {
            return .exempt
        }
        guard !self.requests.isEmpty else { return .unrestricted }
        return RequestScope(
            isExempt: false,
            patterns: self.requests.matches(method: method, target: target, shape: shape)
        )
    }
}
