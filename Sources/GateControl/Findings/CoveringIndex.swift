internal import GatePolicy

/// Finds, for one of many rules, those whose clients include all of its own, without asking each.
struct CoveringIndex {
    /// One value of every condition; `nil` where a rule does not have the condition.
    private struct Key: Hashable {
        let app: String?
        let platform: Platform?
        let channel: String?
        let request: RequestPattern?
    }

    /// Which values of a condition are looked at.
    private enum Values {
        case each
        case firstOrNone

        func callAsFunction<Value: Hashable>(_ values: [Value]?) -> [Value?] {
            switch self {
            case .each: values.map { Array(Set($0)) } ?? [nil]
            case .firstOrNone: values?.first.map { [nil, $0] } ?? [nil]
            }
        }
    }

    /// A rule under more keys than that is asked for every other rule.
    private static let keyLimit = 256

    private let rules: [RuleDefinition]
    private var places: [Key: [Int]] = [:]
    private var wide: [Int] = []

    init(_ rules: [RuleDefinition]) {
        self.rules = rules
        for index in rules.indices { self.keep(rules[index].match, at: index) }
    }

    /// Keeps a rule under each of its values: which of them another rule has is not known.
    private mutating func keep(_ match: RuleMatch, at place: Int) {
        let conditions = [
            match.apps?.count, match.platforms?.count, match.channels?.count,
            match.requests?.count,
        ]
        let keys = conditions.reduce(1) { min($0 * ($1 ?? 1), Self.keyLimit + 1) }
        guard keys <= Self.keyLimit else { return self.wide.append(place) }
        for key in Self.keys(match, .each) { self.places[key, default: []].append(place) }
    }

    /// The places of the other rules that are for every client of this one, in their order.
    func places(covering place: Int) -> [Int] {
        let match = self.rules[place].match
        // A covering rule has no condition, or one that holds for the first value, too.
        let found = Self.keys(match, .firstOrNone).flatMap { self.places[$0] ?? [] }
        return (found + self.wide).filter { $0 != place && self.rules[$0].match.covers(match) }
            .sorted()
    }

    func rules(covering place: Int) -> [RuleDefinition] {
        self.places(covering: place).map { self.rules[$0] }
    }

    private static func keys(_ match: RuleMatch, _ values: Values) -> [Key] {
        let platforms = values(match.platforms)
        let channels = values(match.channels?.map { $0.lowercased() })
        let requests = values(match.requests)
        return values(match.apps).flatMap { app in
            platforms.flatMap { platform in
                channels.flatMap { channel in
                    requests.map { request in
                        Key(app: app, platform: platform, channel: channel, request: request)
                    }
                }
            }
        }
    }
}
