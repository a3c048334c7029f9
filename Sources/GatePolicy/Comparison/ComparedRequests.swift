/// The sample requests that the patterns of two rule sets distinguish.
struct ComparedRequests {
    /// One request for each set of patterns that a sample request matches.
    private(set) var requests: [ComparedRequest] = []
    /// The indices of the patterns that each request matches.
    private var matched: [PatternSet] = []
    private let numbers: [RequestPattern: Int]
    /// Whether requests that match two patterns are omitted, because there are too many pairs.
    let isIncomplete: Bool

    private static let pairLimit = 40_000

    /// Creates the requests for all patterns.
    ///
    /// Exemptions come first, because a request for two patterns uses the spelling of the first.
    init(exemptions: [RequestPattern], others: [RequestPattern]) {
        let patterns = (exemptions + others).uniqued()
        self.numbers = Dictionary(uniqueKeysWithValues: zip(patterns, patterns.indices))
        let fillers = ComparedRequest.Fillers(besides: patterns)
        let lenient = RequestMatcher(patterns, style: .lenient)
        let exact = RequestMatcher(exemptions, style: .exact)
        var known: Set<[PatternSet]> = []
        func add(_ request: ComparedRequest?, to requests: inout ComparedRequests) {
            guard let request else { return }
            let (method, target) = (request.method, request.target)
            let shape = TargetShape(target.span)
            let matched = lenient.matches(method: method.span, target: target.span, shape: shape)
            let exempted = exact.matches(method: method.span, target: target.span, shape: shape)
            guard known.insert([matched, exempted]).inserted else { return }
            requests.requests.append(request)
            requests.matched.append(matched)
        }
        self.isIncomplete = patterns.count * patterns.count > 2 * Self.pairLimit
        add(ComparedRequest(outside: fillers, label: "*"), to: &self)
        for pattern in patterns { add(ComparedRequest(pattern, fillers), to: &self) }
        guard !self.isIncomplete else { return }
        for (index, pattern) in patterns.enumerated() {
            for other in patterns[(index + 1)...] {
                add(ComparedRequest(pattern, other, fillers), to: &self)
            }
        }
    }

    /// Whether the request at the given index matches at least one of the patterns.
    func matches(_ place: Int, _ patterns: [RequestPattern]) -> Bool {
        patterns.contains { pattern in
            self.numbers[pattern].map { self.matched[place].contains($0) } ?? false
        }
    }

    /// Removes all requests except those at the indices for which `isKept` returns true.
    mutating func keep(_ isKept: (Int) -> Bool) {
        let places = self.requests.indices.filter(isKept)
        self.requests = places.map { self.requests[$0] }
        self.matched = places.map { self.matched[$0] }
    }
}
