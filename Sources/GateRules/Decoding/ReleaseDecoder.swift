internal import GatePolicy

/// Reads one of the `releases`: what a store has, or will have.
struct ReleaseDecoder {
    static let keys = [
        "app", "platform", "channel", "version", "build", "builds", "releasedAt", "countries",
        "storeCountries", "phased", "phasedFrom", "storeUrl", "minimumOS",
    ]

    let problems: Problems

    func decode(_ element: Element) -> Release? {
        guard let fields = Fields(element, keys: Self.keys, problems: self.problems) else {
            return nil
        }
        let platform = fields.required("platform", of: "a release")
            .flatMap { $0.clientName(.platform, self.problems) }
        let builds = self.builds(fields)
        // A source may know the builds of a release and no version of it.
        let stated =
            builds == nil ? fields.required("version", of: "a release") : fields["version"]
        let version = stated.flatMap { element in
            element.parsed(as: "a version", self.problems, by: AppVersion.init(parsing:))
        }
        let releasedAt = NamedTime("releasedAt", of: fields, self.problems)
        let app = fields["app"].flatMap { $0.clientName(.app, self.problems) }
        let channel = fields["channel"].flatMap { $0.clientName(.channel, self.problems) }
        let countries = fields["countries"].map { self.countries($0) }
        let storeCountries = fields["storeCountries"].map { self.storeCountries($0, countries) }
        let phase = PhaseDecoder(problems: self.problems).decode(fields, releasedAt)
        let storeURL = fields["storeUrl"].flatMap { element in
            element.parsed(as: "a store link", self.problems, by: StoreLink.init(parsing:))
        }
        let minimumOS = fields["minimumOS"].flatMap { element in
            element.parsed(as: "a version", self.problems, by: AppVersion.init(parsing:))
        }
        guard let platform, version != nil || stated == nil else { return nil }
        return Release(
            app: app,
            platform: Platform(platform),
            channel: channel?.lowercased(),
            version: version,
            builds: builds ?? [],
            releasedAt: releasedAt?.time,
            countries: countries,
            storeCountries: storeCountries,
            phase: phase,
            storeURL: storeURL?.text,
            minimumOS: minimumOS
        )
    }

    /// `build`, or `builds` for a release with several; `nil` if neither is there.
    private func builds(_ fields: Fields) -> [BuildNumber]? {
        guard let list = fields["builds"] else {
            return fields["build"].map { $0.build(self.problems).map { [$0] } ?? [] }
        }
        if let place = fields.place(of: "build") {
            let message =
                "'build' does not go together with 'builds': write all builds into 'builds'"
            self.problems.report(message, at: place)
        }
        var known: [BuildNumber: Place] = [:]
        let builds = list.oneOrMore(self.problems).compactMap { element in
            element.build(self.problems).map { ($0, element.place) }
        }
        for (build, place) in builds {
            guard let first = known[build] else {
                known[build] = place
                continue
            }
            let message = "the build \(build) is already in line \(first.line)"
            self.problems.report(message, at: place)
        }
        return builds.map(\.0)
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
