extension ComparedDimension where Value == Claim<String> {
    /// Nothing stated, the names, and any other; only these, where others are of no concern.
    static func names(
        _ names: [String],
        only: Set<String>?,
        tellsUnreadable: Bool
    ) -> ComparedDimension {
        var seen: Set<String> = []
        let unique = names.filter { seen.insert($0).inserted }
        guard !unique.isEmpty else { return ComparedDimension([(.missing, "")]) }
        let named = unique.filter { only?.contains($0) ?? true }.map { (Value.stated($0), $0) }
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

extension ComparedDimension where Value == Claim<UInt64> {
    /// Builds, cut at those that rules name; if they name none, any that is stated, where needed.
    static func builds(_ cuts: [UInt64], isNeeded: Bool) -> ComparedDimension {
        var values: [(Value, String)] = [(.missing, "")]
        let sorted = Set(cuts).sorted()
        var lower: UInt64 = 0
        for cut in sorted where cut > 0 {
            values.append((.stated(lower), lower == 0 ? "<\(cut)" : ">=\(lower) <\(cut)"))
            lower = cut
        }
        if isNeeded || !sorted.isEmpty { values.append((.stated(lower), ">=\(lower)")) }
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
