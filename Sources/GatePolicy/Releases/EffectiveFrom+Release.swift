extension EffectiveFrom {
    /// Determines the time from which a release is available to all relevant users.
    ///
    /// The release must have been available for the hold's `soak` time. If the client's country is
    /// one of the awaited countries, the release has to be available there. For any other client,
    /// the release has to be available in all awaited countries.
    package init(of release: StoreRelease, _ hold: StoreHold?, in country: String? = nil) {
        var awaited = release.countries(awaitedBy: hold)
        if let country, awaited.contains(country) { awaited = [country] }
        let begin =
            release.namesCountries
            ? awaited.map { Self.begin(of: release, in: $0) }.max() ?? .never
            : release.facts.map { Self.begin(of: $0, in: nil) }.max() ?? .never
        self = begin.date.map { .from($0.advanced(by: hold?.soak ?? 0)) } ?? begin
    }

    /// Returns the time from which a release is available in a country according to all entries.
    ///
    /// Returns `never` if no entry applies to the country.
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
    /// Returns the countries in which a release has to be available.
    ///
    /// These are the countries of the hold, or else all countries that the source checks, or else
    /// the countries that have the release. The result is empty if none of these are specified,
    /// because the release is then available everywhere.
    package func countries(awaitedBy hold: StoreHold?) -> [String] {
        if let countries = hold?.countries, !countries.isEmpty { return countries }
        return self.storeCountries ?? self.countries?.keys.sorted() ?? []
    }

    /// Whether the entry applies to a country.
    fileprivate func isAbout(_ country: String) -> Bool {
        guard let countries else { return true }
        return self.storeCountries?.contains(country) ?? (countries[country] != nil)
    }
}
