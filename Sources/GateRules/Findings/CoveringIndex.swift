internal import GatePolicy

/// Finds, for one of many floors, those whose clients include all of its own, without asking each.
struct CoveringIndex {
    /// Which values of a condition are looked at.
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

    /// A rule under more keys than that is asked for every other rule.
    private static let keyLimit = 256

    private let floors: [RulesInReview.Floor]
    /// The places by the hash of one value of every condition: what shares one by chance is found too,
    /// and does not cover.
    private var places: [Int: [Int]] = [:]
    private var wide: [Int] = []

    init(_ floors: [RulesInReview.Floor]) {
        self.floors = floors
        self.places.reserveCapacity(floors.count)
        for index in floors.indices { self.keep(floors[index].rule.match, at: index) }
    }

    /// Keeps a rule under each of its values: which of them another rule has is not known.
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
            // A value that is there twice.
            guard self.places[key]?.last != place else { return }
            self.places[key, default: []].append(place)
        }
    }

    /// The places of the other floors that are for every client of this one, in their order.
    func places(covering place: Int) -> [Int] {
        let match = self.floors[place].rule.match
        var found = self.wide
        // A covering rule has no condition, or one that holds for the first value, too.
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
    /// Whether it is certain that every client and request of another match is one of this match.
    ///
    /// Only equal parts of a list are compared: whether `/v2/**` includes `/v2/pay` is not asked.
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

    /// Whether both ask a client for the same parts of its identity, whatever the values are.
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
