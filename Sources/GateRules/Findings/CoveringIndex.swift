internal import GatePolicy

/// Finds the floors that apply to all clients of a given floor, without comparing all pairs.
struct CoveringIndex {
    /// The values of a condition that are combined into keys.
    private enum Values {
        case each
        case firstOrNone

        func callAsFunction<Value>(_ values: [Value]?) -> [Value?] {
            guard let values else { return [nil] }
            switch self {
            case .each: return values
            case .firstOrNone: return values.first.map { [nil, $0] } ?? [nil]
            }
        }
    }

    /// The maximum number of keys per rule; a rule with more keys is compared with every other rule.
    private static let keyLimit = 256

    private let floors: [RulesInReview.Floor]
    /// Positions of floors by the hash of one value of each condition.
    ///
    /// Because of hash collisions, an entry might not cover the given floor; `places(covering:)` omits such entries.
    private var places: [Int: [Int]] = [:]
    private var wide: [Int] = []

    init(_ floors: [RulesInReview.Floor]) {
        self.floors = floors
        self.places.reserveCapacity(floors.count)
        for index in floors.indices { self.keep(floors[index].rule.match, at: index) }
    }

    /// Adds a floor under each combination of its values, because a covered floor is looked up only
    /// by its first values.
    private mutating func keep(_ match: RuleMatch, at place: Int) {
        let conditions = [
            match.apps?.count, match.platforms?.count, match.channels?.count,
            match.requests?.count,
        ]
        let keys = conditions.reduce(1) { min($0 * ($1 ?? 1), Self.keyLimit + 1) }
        // A pattern may cover apps that it does not name.
        let namesPattern = match.apps?.contains { !$0.isIdentifier } ?? false
        guard keys <= Self.keyLimit, !namesPattern else { return self.wide.append(place) }
        Self.forEachKey(match, .each) { key in
            // A value that is listed twice yields the same key twice.
            guard self.places[key]?.last != place else { return }
            self.places[key, default: []].append(place)
        }
    }

    /// Returns the positions of the other floors that apply to all clients of this floor, in order.
    func places(covering place: Int) -> [Int] {
        let match = self.floors[place].rule.match
        var found = self.wide
        // A covering rule either lacks a condition or includes the first of this floor's values.
        Self.forEachKey(match, .firstOrNone) { found += self.places[$0] ?? [] }
        found = found.filter { $0 != place && self.floors[$0].rule.match.covers(match) }
        return found.count > 1 ? Set(found).sorted() : found
    }

    private static func forEachKey(_ match: RuleMatch, _ values: Values, _ body: (Int) -> Void) {
        for app in values(match.apps) {
            for platform in values(match.platforms) {
                for channel in values(match.channels) {
                    for request in values(match.requests) {
                        var hasher = Hasher()
                        hasher.combine(app)
                        hasher.combine(platform)
                        hasher.combine(channel?.lowercased())
                        hasher.combine(request?.path)
                        hasher.combine(request?.methods)
                        body(hasher.finalize())
                    }
                }
            }
        }
    }
}

extension RuleMatch {
    /// Whether all clients and requests of another match are certain to satisfy this match.
    ///
    /// Except for app patterns, list items are compared only for equality: whether `/v2/**` includes
    /// `/v2/pay` is not evaluated.
    func covers(_ other: RuleMatch) -> Bool {
        Self.covers(self.apps, other.apps) { $0.covers($1) }
            && Self.covers(self.platforms, other.platforms)
            && Self.covers(
                self.channels?.map { $0.lowercasedASCII },
                other.channels?.map { $0.lowercasedASCII }
            )
            && Self.covers(self.osVersions, other.osVersions)
            && Self.covers(self.requests, other.requests)
    }

    /// Whether both matches depend on the same parts of the client's identity, regardless of their
    /// values.
    func asksForSameParts(as other: RuleMatch) -> Bool {
        (self.apps == nil) == (other.apps == nil)
            && (self.platforms == nil) == (other.platforms == nil)
            && (self.channels == nil) == (other.channels == nil)
            && (self.osVersions == nil) == (other.osVersions == nil)
    }

    private static func covers<Value: Equatable>(_ values: [Value]?, _ others: [Value]?) -> Bool {
        self.covers(values, others, by: ==)
    }

    private static func covers<Value>(
        _ values: [Value]?,
        _ others: [Value]?,
        by isCovering: (Value, Value) -> Bool
    ) -> Bool {
        guard let values else { return true }
        return others?.allSatisfy { other in values.contains { isCovering($0, other) } } ?? false
    }
}
