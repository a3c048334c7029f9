internal import GatePolicy

/// Reads one of the `releases`: what a store has, or will have.
struct ReleaseDecoder {
    static let keys = [
        "app", "platform", "channel", "version", "build", "releasedAt", "countries",
        "storeCountries", "phased", "phasedFrom", "storeUrl", "minimumOS",
    ]

    let problems: Problems

    func decode(_ element: Element) -> Release? {
        guard let fields = Fields(element, keys: Self.keys, problems: self.problems) else {
            return nil
        }
        let platform = fields.required("platform", of: "a release")
            .flatMap { $0.text("a platform", self.problems) }
        let version = fields.required("version", of: "a release").flatMap { element in
            element.parsed(as: "a version", self.problems, by: AppVersion.init(parsing:))
        }
        let releasedAt = NamedTime("releasedAt", of: fields, self.problems)
        let app = fields["app"].flatMap { $0.text("an app identifier", self.problems) }
        let channel = fields["channel"].flatMap { $0.text("a channel", self.problems) }
        let build = fields["build"].flatMap { $0.wholeNumber("a build number", self.problems) }
        let countries = fields["countries"].map { self.countries($0) }
        let storeCountries = fields["storeCountries"].map { self.storeCountries($0, countries) }
        let phase = PhaseDecoder(problems: self.problems).decode(fields, releasedAt)
        let storeURL = fields["storeUrl"].flatMap { element in
            element.parsed(as: "a store link", self.problems, by: StoreLink.init(parsing:))
        }
        let minimumOS = fields["minimumOS"].flatMap { element in
            element.parsed(as: "a version", self.problems, by: AppVersion.init(parsing:))
        }
        guard let platform, let version else { return nil }
        return Release(
            app: app,
            platform: Platform(platform),
            channel: channel?.lowercased(),
            version: version,
            build: build,
            releasedAt: releasedAt?.time,
            countries: countries,
            storeCountries: storeCountries,
            phase: phase,
            storeURL: storeURL?.text,
            minimumOS: minimumOS
        )
    }

    /// A list of countries that have it with the release, or a mapping from a country to its time.
    private func countries(_ element: Element) -> [String: Timestamp?] {
        let decoder = CountryDecoder(problems: self.problems)
        guard case .mapping = element.content else {
            let codes = decoder.codes(element).map { ($0, Timestamp?.none) }
            return Dictionary(uniqueKeysWithValues: codes)
        }
        let times = decoder.values(element).compactMap { code, value in
            value.time(self.problems).map { (code, Optional($0)) }
        }
        return Dictionary(uniqueKeysWithValues: times)
    }

    /// All countries that the store is asked about, of which `countries` has a part.
    private func storeCountries(
        _ element: Element,
        _ countries: [String: Timestamp?]?
    ) -> [String] {
        let codes = CountryDecoder(problems: self.problems).codes(element)
        guard let countries else {
            let message = "'storeCountries' needs 'countries', which says which of them have it"
            self.problems.report(message, at: element.place)
            return codes
        }
        let others = countries.keys.filter { !codes.contains($0) }.sorted()
        if !others.isEmpty, !codes.isEmpty {
            let names = others.map { "'\($0)'" }.joined(separator: ", ")
            let message = "'countries' has \(names), which 'storeCountries' does not name"
            self.problems.report(message, at: element.place)
        }
        return codes
    }
}
