/// A kind of client and request, by the places of its values in their dimensions.
struct ComparedCell: Hashable {
    /// In what clients and requests differ, beside their versions.
    enum Dimension: Int, CaseIterable {
        case app, platform, channel, osVersion, build, country, storefront, request
    }

    private var places = [Int](repeating: 0, count: Dimension.allCases.count)

    subscript(dimension: Dimension) -> Int {
        get { self.places[dimension.rawValue] }
        set { self.places[dimension.rawValue] = newValue }
    }
}

/// Changes that are alike, with the cells that they are in as sets of values.
struct ComparedRow: Hashable {
    struct Transition: Hashable {
        let before: ComparedOutcome
        let after: ComparedOutcome
    }

    /// A change in one cell.
    struct Pair: Hashable {
        let versions: String
        /// The place of the first version among those that are tried.
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

    /// The dimensions that fewest rules look at come first, so that the rest has little to do.
    private static let mergingOrder: [ComparedCell.Dimension] = [
        .country, .storefront, .channel, .osVersion, .app, .build, .request, .platform,
    ]

    /// Puts rows together that differ in one dimension only, one dimension after the other.
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

    /// The same in every run.
    private var order: String {
        let cells = self.dimensions.map { set in
            set.sorted().map { String($0) }.joined(separator: ",")
        }
        let transition = self.pair.transition
        return
            "\(cells.joined(separator: ";")) \(10_000_000 + self.pair.place) \(transition.before.kind) "
            + "\(transition.after.kind) \(transition.after.rule ?? "") "
            + "\(transition.before.rule ?? "") \(transition.after.storeURL ?? "")"
    }

    func change(in world: ComparedWorld) -> ComparedChange {
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
