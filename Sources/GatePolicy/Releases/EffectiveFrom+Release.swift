extension EffectiveFrom {
    /// From when on a store gives a release to everybody who counts.
    ///
    /// It has to be there for as long as the hold wants, in the country of the client if that is
    /// one of those that are waited for, or else in all of them.
    package init(of release: Release, _ hold: StoreHold?, in country: String? = nil) {
        var dates = [release.releasedAt]
        switch release.phase {
        case .complete:
            break
        case .phased(let date):
            dates.append(date)
        case .partial:
            self = .never
            return
        }
        if let countries = release.countries {
            var awaited = release.countries(awaitedBy: hold)
            if let country, awaited.contains(country) { awaited = [country] }
            // A release that is in no country at all is not out.
            guard !awaited.isEmpty, awaited.allSatisfy({ countries[$0] != nil }) else {
                self = .never
                return
            }
            dates += awaited.compactMap { countries[$0] }
        }
        guard let latest = dates.compactMap({ $0 }).max() else {
            self = .always
            return
        }
        self = .from(latest.advanced(by: hold?.soak ?? 0))
    }
}

extension RuleDefinition {
    /// Whether every store that the rule waits for gives a release that passes it to everybody.
    package func isInEveryStore(_ releases: [Release], at now: Timestamp) -> Bool {
        guard let hold = self.holdUntilInStore else { return true }
        return (self.match.platforms ?? []).allSatisfy { platform in
            releases.contains { release in
                release.platform == platform && self.admits(release)
                    && EffectiveFrom(of: release, hold).hasBegun(at: now)
            }
        }
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
}
