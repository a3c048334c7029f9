/// A kind of client and request, represented by one index for each dimension.
struct ComparedCell: Hashable {
    /// The properties in which clients and requests differ, apart from their versions.
    enum Dimension: Int, CaseIterable {
        case app, platform, channel, osVersion, build, country, storefront, request
    }

    private var places = [Int](repeating: 0, count: Dimension.allCases.count)

    subscript(dimension: Dimension) -> Int {
        get { self.places[dimension.rawValue] }
        set { self.places[dimension.rawValue] = newValue }
    }
}

extension Decision.Destination {
    fileprivate var order: String { "\(self.backend) \(self.ruleID) \(self.fallback)" }
}

/// A change that is the same in one or more cells, with the set of values in each dimension.
struct ComparedRow: Hashable {
    struct Transition: Hashable {
        let before: ComparedOutcome
        let after: ComparedOutcome
    }

    /// A change in one cell.
    struct Pair: Hashable {
        let versions: String
        /// The index of the first of these versions on the version axis.
        let place: Int
        let transition: Transition
        let share: Double
    }

    private var dimensions: [Set<Int>]
    private let pair: Pair

    init(_ cell: ComparedCell, _ pair: Pair) {
        self.dimensions = ComparedCell.Dimension.allCases.map { [cell[$0]] }
        self.pair = pair
    }

    /// The order in which dimensions are merged.
    ///
    /// Merging the least-used dimensions first results in fewer rows.
    private static let mergingOrder: [ComparedCell.Dimension] = [
        .country, .storefront, .channel, .osVersion, .app, .build, .request, .platform,
    ]

    /// Merges rows that differ in only one dimension, one dimension at a time.
    static func merged(_ rows: [ComparedRow]) -> [ComparedRow] {
        var rows = rows
        for dimension in Self.mergingOrder.map(\.rawValue) {
            var places: [ComparedRow: Int] = [:]
            var result: [ComparedRow] = []
            for row in rows {
                var key = row
                key.dimensions[dimension] = []
                if let place = places[key] {
                    result[place].dimensions[dimension].formUnion(row.dimensions[dimension])
                } else {
                    places[key] = result.count
                    result.append(row)
                }
            }
            rows = result
        }
        return rows.sorted { $0.order < $1.order }
    }

    /// A sort key that is the same in every run.
    private var order: String {
        let cells = self.dimensions.map { set in
            set.sorted().map { String($0) }.joined(separator: ",")
        }
        let transition = self.pair.transition
        return
            "\(cells.joined(separator: ";")) \(10_000_000 + self.pair.place) \(transition.before.kind) "
            + "\(transition.after.kind) \(transition.after.rule ?? "") "
            + "\(transition.before.rule ?? "") \(transition.after.storeURL ?? "") "
            + "\(transition.before.route?.order ?? "") \(transition.after.route?.order ?? "")"
    }

    func change(in world: ComparisonSpace) -> ComparedChange {
        func chosen(_ dimension: ComparedCell.Dimension) -> Set<Int> {
            self.dimensions[dimension.rawValue]
        }
        return ComparedChange(
            apps: world.apps.words(chosen(.app)),
            platforms: world.platforms.words(chosen(.platform)),
            channels: world.channels.words(chosen(.channel)),
            osVersions: world.osVersions.words(chosen(.osVersion)),
            builds: world.builds.words(chosen(.build)),
            countries: world.countries.words(chosen(.country)),
            storefronts: world.storefronts.words(chosen(.storefront)),
            requests: world.requests.words(chosen(.request)),
            versions: self.pair.versions,
            before: self.pair.transition.before,
            after: self.pair.transition.after,
            share: self.pair.share
        )
    }
}
