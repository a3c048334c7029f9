internal import GatePolicy

/// Decodes an entry of `releases`: a version in a store, now or in the future.
struct ReleaseDecoder {
    static let keys = [
        "app", "platform", "channel", "version", "build", "builds", "releasedAt", "countries",
        "storeCountries", "phased", "phasedFrom", "storeUrl", "minimumOS",
    ]

    let problems: Problems

    func decode(_ element: Element) -> Release? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let platform = fields.required("platform", of: "a release")
            .flatMap { $0.clientName(.platform, self.problems) }
        let builds = self.builds(fields)
        // Some sources list the builds of a release without its version.
        let stated =
            builds == nil ? fields.required("version", of: "a release") : fields["version"]
        let version = stated.flatMap { $0.version(self.problems) }
        let releasedAt = NamedTime("releasedAt", of: fields, self.problems)
        let app = fields["app"].flatMap { $0.clientName(.app, self.problems) }
        let channel = fields["channel"].flatMap { $0.clientName(.channel, self.problems) }
        let countries = fields["countries"].map { self.countries($0) }
        let storeCountries = fields["storeCountries"].map { self.storeCountries($0, countries) }
        let phase = PhaseDecoder(problems: self.problems).decode(fields, releasedAt)
        let storeURL = fields["storeUrl"].flatMap { $0.storeLink(self.problems) }
        let minimumOS = fields["minimumOS"].flatMap { $0.version(self.problems) }
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
            storeURL: storeURL,
            minimumOS: minimumOS
        )
    }

    /// Decodes `build`, or `builds` for a release with several; returns `nil` if neither is present.
    private func builds(_ fields: Fields) -> [BuildNumber]? {
        guard let list = fields["builds"] else {
            return fields["build"].map { $0.build(self.problems).map { [$0] } ?? [] }
        }
        fields.refuse("build", "cannot be combined with 'builds': list all builds in 'builds'")
        var known: [BuildNumber: Place] = [:]
        let builds = list.oneOrMore(self.problems).compactMap { element in
            element.build(self.problems).map { ($0, element.place) }
        }
        for (build, place) in builds {
            guard let first = known[build] else {
                known[build] = place
                continue
            }
            let message = "the build \(build) is already listed on line \(first.line)"
            self.problems.report(message, at: place)
        }
        return builds.map(\.0)
    }

    /// Decodes a list of countries that received the release at `releasedAt`, or a mapping from
    /// country to time.
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

    /// Decodes the countries in which the store was checked; they must include all of `countries`.
    private func storeCountries(
        _ element: Element,
        _ countries: [String: Timestamp?]?
    ) -> [String] {
        let codes = CountryDecoder(problems: self.problems).codes(element)
        guard let countries else {
            let message = "'storeCountries' needs 'countries', the countries that have the release"
            self.problems.report(message, at: element.place)
            return codes
        }
        let others = countries.keys.filter { !codes.contains($0) }.sorted()
        if !others.isEmpty, !codes.isEmpty {
            let names = others.map { "'\($0)'" }.joined(separator: ", ")
            let message = "'countries' contains \(names), but 'storeCountries' does not"
            self.problems.report(message, at: element.place)
        }
        return codes
    }
}

/// Decodes `phased` and `phasedFrom`: the progress of a phased release in a store.
package struct PhaseDecoder {
    static let keys = ["completeAt"]
    package static let partialWord = "partial"
    /// The duration of an App Store phased release in seconds.
    private static let duration: Int64 = 7 * 86_400

    let problems: Problems

    func decode(_ fields: Fields, _ releasedAt: NamedTime?) -> ReleasePhase {
        let phasedFrom = NamedTime("phasedFrom", of: fields, self.problems)
        releasedAt?.check(isNotAfter: phasedFrom, self.problems)
        guard let element = fields["phased"] else {
            return phasedFrom.map { from in
                let end = from.time.secondsSinceEpoch + Self.duration
                return .phased(completeAt: Timestamp(secondsSinceEpoch: end))
            } ?? .complete
        }
        fields.refuse("phasedFrom", "cannot be combined with 'phased'")
        return self.phase(element, releasedAt) ?? .complete
    }

    private func phase(_ element: Element, _ releasedAt: NamedTime?) -> ReleasePhase? {
        if case .text(Self.partialWord) = element.content { return .partial }
        guard case .mapping = element.content else {
            let expected = "'\(Self.partialWord)', or a mapping with 'completeAt'"
            return element.reject(expected: expected, self.problems)
        }
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        _ = fields.required("completeAt", of: "a phased release")
        let completeAt = NamedTime("completeAt", of: fields, self.problems)
        releasedAt?.check(isNotAfter: completeAt, self.problems)
        return completeAt.map { .phased(completeAt: $0.time) }
    }
}
