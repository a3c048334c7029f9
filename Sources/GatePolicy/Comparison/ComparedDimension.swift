/// One thing in which clients can differ, with all values that two rule sets can tell apart.
struct ComparedDimension<Value: Sendable>: Sendable {
    let values: [Value]
    let labels: [String]
    /// Whether there are no other values, which are of no concern here.
    private let isWhole: Bool

    init(_ values: [(Value, String)], isWhole: Bool = true) {
        self.isWhole = isWhole
        self.values = values.map(\.0)
        self.labels = values.map(\.1)
    }

    /// The same values as something else.
    func map<Other>(_ transform: (Value) -> Other) -> ComparedDimension<Other> {
        ComparedDimension<Other>(
            zip(self.values, self.labels).map { (transform($0), $1) },
            isWhole: self.isWhole
        )
    }

    /// The values in words; `nil` for all of them.
    func words(_ chosen: Set<Int>) -> ComparedChoice? {
        let others = self.labels.indices.filter { !chosen.contains($0) }
        guard !others.isEmpty || !self.isWhole else { return nil }
        let isMost = self.isWhole && others.count < chosen.count
        return isMost
            ? .allBut(others.map { self.labels[$0] })
            : .only(chosen.sorted().map { self.labels[$0] })
    }
}

/// Some of the values of a dimension, named or left out by name; what a client does not say is an
/// empty name, `?` what cannot be read, and `*` any that the rules in question do not name.
package enum ComparedChoice: Sendable, Equatable {
    case only([String])
    case allBut([String])
}

extension ComparedDimension where Value == Claim<String> {
    /// Nothing stated, the names, and any other; only these, where others are of no concern.
    static func names(
        _ names: [String],
        only: ((String) -> Bool)?,
        tellsUnreadable: Bool,
        example: (String) -> String = { $0 }
    ) -> ComparedDimension {
        var seen: Set<String> = []
        let unique = names.filter { seen.insert($0).inserted }
        guard !unique.isEmpty else { return ComparedDimension([(.missing, "")]) }
        let named = unique.filter { only?($0) ?? true }.map { (Value.stated(example($0)), $0) }
        var other = "any-other"
        while seen.contains(other) { other += "-name" }
        return ComparedDimension(
            self.unstated(tellsUnreadable) + named + (only == nil ? [(.stated(other), "*")] : []),
            isWhole: only == nil
        )
    }
}

extension ComparedDimension where Value == Claim<AppVersion> {
    static func osVersions(_ ranges: [VersionRange], tellsUnreadable: Bool) -> ComparedDimension {
        guard !ranges.isEmpty else { return ComparedDimension([(.missing, "")]) }
        let axis = VersionAxis(cuts: ranges.flatMap(\.bounds))
        return ComparedDimension(
            self.unstated(tellsUnreadable)
                + axis.points.indices.map { index in
                    (.stated(axis.points[index].version), axis.words(index...index))
                }
        )
    }
}

extension ComparedDimension where Value == Claim<BuildNumber> {
    /// Builds, cut at those that rules name; if they name none, any that is stated, where needed.
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

extension ComparedDimension {
    /// Clients that do not say it, and those that say it unreadably where that is not the same.
    private static func unstated<Stated>(
        _ tellsUnreadable: Bool
    ) -> [(Value, String)] where Value == Claim<Stated> {
        tellsUnreadable ? [(.missing, ""), (.unreadable("?"), "?")] : [(.missing, "")]
    }
}
