extension EffectiveFrom {
    /// From when on a store gives a release to everybody who counts.
    ///
    /// It has to be there for as long as the hold wants, in the country of the client if that is
    /// one of those that are waited for, or else in all of them.
    package init(of release: StoreRelease, _ hold: StoreHold?, in country: String? = nil) {
        var awaited = release.countries(awaitedBy: hold)
        if let country, awaited.contains(country) { awaited = [country] }
        let begin =
            release.namesCountries
            ? awaited.map { Self.begin(of: release, in: $0) }.max() ?? .never
            : release.facts.map { Self.begin(of: $0, in: nil) }.max() ?? .never
        self = begin.date.map { .from($0.advanced(by: hold?.soak ?? 0)) } ?? begin
    }

    /// From when on a country has everything of a release; never if no fact is about the country.
    private static func begin(of release: StoreRelease, in country: String) -> EffectiveFrom {
        release.facts.filter { $0.isAbout(country) }
            .map { Self.begin(of: $0, in: country) }.max() ?? .never
    }

    private static func begin(of fact: Release, in country: String?) -> EffectiveFrom {
        var dates = [fact.releasedAt]
        switch fact.phase {
        case .complete: break
        case .phased(let date): dates.append(date)
        case .partial: return .never
        }
        if let country, let countries = fact.countries {
            guard let date = countries[country] else { return .never }
            dates.append(date)
        }
        return dates.compactMap(\.self).max().map { .from($0) } ?? .always
    }
}

extension Release {
    /// The countries in which everybody waits for a release: those of the hold, or else all that
    /// the source of the fact looks at, or else those that are known to have it.
    ///
    /// There is none where neither the hold nor the release names one: the release is everywhere.
    package func countries(awaitedBy hold: StoreHold?) -> [String] {
        if let countries = hold?.countries, !countries.isEmpty { return countries }
        return self.storeCountries ?? self.countries?.keys.sorted() ?? []
    }

    /// Whether the fact says something of a country.
    fileprivate func isAbout(_ country: String) -> Bool {
        guard let countries else { return true }
        return self.storeCountries?.contains(country) ?? (countries[country] != nil)
    }
}
