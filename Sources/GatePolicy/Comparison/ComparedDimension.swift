/// A property of clients, with one value for each case that two rule sets distinguish.
struct ComparedDimension<Value: Sendable>: Sendable {
    let values: [Value]
    let labels: [String]
    /// Whether `values` represents all clients.
    ///
    /// Clients that `values` does not represent are not compared.
    private let isWhole: Bool

    init(_ values: [(Value, String)], isWhole: Bool = true) {
        self.isWhole = isWhole
        self.values = values.map(\.0)
        self.labels = values.map(\.1)
    }

    /// Returns the labels of the chosen values; `nil` if all values are chosen.
    func words(_ chosen: Set<Int>) -> ComparedChoice? {
        let others = self.labels.indices.filter { !chosen.contains($0) }
        guard !others.isEmpty || !self.isWhole else { return nil }
        let isMost = self.isWhole && others.count < chosen.count
        return isMost
            ? .allBut(others.map { self.labels[$0] })
            : .only(chosen.sorted().map { self.labels[$0] })
    }
}

/// A selection of the values of a dimension, by inclusion or exclusion.
///
/// An empty name represents a missing value, `?` an unparsable value, and `*` any name that the
/// compared rules do not contain.
package enum ComparedChoice: Sendable, Equatable {
    case only([String])
    case allBut([String])
}

extension ComparedDimension {
    /// Creates a dimension with the missing value, the names, and one name that represents all
    /// other names.
    ///
    /// If `only` is set, the dimension contains only the missing value and the names for which `only`
    /// returns true. `example` returns the value for a name.
    static func names<Stated>(
        _ names: [String],
        only: ((String) -> Bool)? = nil,
        distinguishesUnreadable: Bool = false,
        example: (String) -> Stated
    ) -> ComparedDimension where Value == Claim<Stated> {
        let unique = names.uniqued()
        guard !unique.isEmpty else { return ComparedDimension([(.missing, "")]) }
        let named = unique.filter { only?($0) ?? true }.map { (Value.stated(example($0)), $0) }
        var other = "any-other"
        while unique.contains(other) { other += "-name" }
        return ComparedDimension(
            self.unstated(distinguishesUnreadable) + named
                + (only == nil ? [(.stated(example(other)), "*")] : []),
            isWhole: only == nil
        )
    }

    /// Returns the missing value and, if the rules distinguish it from unparsable values, an
    /// unparsable value.
    private static func unstated<Stated>(
        _ distinguishesUnreadable: Bool
    ) -> [(Value, String)] where Value == Claim<Stated> {
        distinguishesUnreadable ? [(.missing, ""), (.unreadable("?"), "?")] : [(.missing, "")]
    }
}

extension ComparedDimension where Value == Claim<AppVersion> {
    static func osVersions(_ ranges: [VersionRange], distinguishesUnreadable: Bool)
        -> ComparedDimension
    {
        guard !ranges.isEmpty else { return ComparedDimension([(.missing, "")]) }
        let axis = VersionAxis(cuts: ranges.flatMap(\.bounds))
        return ComparedDimension(
            self.unstated(distinguishesUnreadable)
                + axis.points.indices.map { index in
                    (.stated(axis.points[index].version), axis.words(index...index))
                }
        )
    }
}

extension ComparedDimension where Value == Claim<BuildNumber> {
    /// Creates a dimension with the missing build and the lowest build of each range between the
    /// cuts.
    ///
    /// Without cuts, all builds form one range, which is included if `isNeeded` is true.
    static func builds(_ cuts: [BuildNumber], isNeeded: Bool) -> ComparedDimension {
        var values: [(Value, String)] = [(.missing, "")]
        let sorted = Set(cuts).sorted()
        var lower = BuildNumber.zero
        func add(below cut: BuildNumber?) {
            let highest = cut?.predecessor ?? .max
            values.append((.stated(lower), "\(BuildRange(lower...highest))"))
        }
        for cut in sorted where cut > .zero {
            add(below: cut)
            lower = cut
        }
        if isNeeded || !sorted.isEmpty { add(below: nil) }
        return ComparedDimension(values)
    }
}
