/// The kinds of clients and requests that two rule sets distinguish, within one part of a change.
struct ComparisonSpace {
    /// A rule that may affect decisions in this part of the change.
    struct Candidate {
        let isOld: Bool
        let rule: RuleDefinition
    }

    /// Whether a rule matches the clients of a cell.
    enum Fit {
        case none
        /// Undetermined, because the clients do not send enough information.
        case possible
        case certain
    }

    let candidates: [Candidate]
    let apps: ComparedDimension<Claim<String>>
    let platforms: ComparedDimension<Claim<Platform>>
    let channels: ComparedDimension<Claim<String>>
    let osVersions: ComparedDimension<Claim<AppVersion>>
    let builds: ComparedDimension<Claim<BuildNumber>>
    let countries: ComparedDimension<Claim<String>>
    let storefronts: ComparedDimension<Claim<String>>
    let requests: ComparedDimension<ComparedRequest>
    /// Whether clients that may match a rule can be rejected because of the rule.
    let rejects: Bool
    /// Whether some requests are omitted, because there are too many.
    let isIncomplete: Bool

    private let focus: ComparedFocus
    private let places: ComparedRequests

    init(_ focus: ComparedFocus, old: RuleSetDefinition, new: RuleSetDefinition) {
        let policies = [old.unidentified, new.unidentified]
        let rejects = policies.contains { $0.rejects }
        let candidates = [(old, true), (new, false)].flatMap { definition, isOld in
            definition.rules.compactMap { rule in
                rejects || focus.matches.contains(where: rule.match.overlaps)
                    ? Candidate(isOld: isOld, rule: rule) : nil
            }
        }
        self.focus = focus
        self.rejects = rejects
        self.candidates = candidates
        let rules = candidates.flatMap(\.rule.withNext)
        let matches = focus.matches + rules.map(\.match)
        let releases = rules.contains(where: \.dependsOnStores) ? old.releases + new.releases : []
        let links = rules.compactMap(\.storeURL) + policies.compactMap(\.storeURL)
        // If the policies treat missing and unparsable values alike, a client without a value also
        // represents clients with an unparsable value.
        let distinguishesUnreadable = policies.contains { policy in
            policy.missing != policy.unreadable
                || policy.paths.contains { $0.missing != $0.unreadable }
        }
        func names<Name>(
            _ part: (RuleMatch) -> [String]?,
            _ others: [String],
            _ example: (String) -> Name
        ) -> ComparedDimension<Claim<Name>> {
            .names(
                matches.flatMap { part($0) ?? [] } + others,
                only: focus.names(part).map { names in { names.contains($0) } },
                distinguishesUnreadable: distinguishesUnreadable,
                example: example
            )
        }
        let focusApps = focus.names { $0.apps?.map(\.description) }
            .map { names in names.map { AppPattern(stringLiteral: $0) } }
        self.apps = .names(
            matches.flatMap { $0.apps ?? [] }.map(\.description) + releases.compactMap(\.app),
            only: focusApps.map { apps in
                { name in apps.contains { $0.meets(AppPattern(stringLiteral: name)) } }
            },
            distinguishesUnreadable: distinguishesUnreadable,
            example: { AppPattern(stringLiteral: $0).example }
        )
        self.platforms = names({ $0.platforms?.map(\.name) }, releases.map(\.platform.name)) {
            Platform($0)
        }
        let channels = links.flatMap { $0.channels.keys.sorted() } + releases.compactMap(\.channel)
        self.channels = names({ $0.channels?.map(\.lowercasedASCII) }, channels) { $0 }
        self.countries = .names(links.flatMap { $0.countries.keys.sorted() }) { $0 }
        // A client without a storefront is treated as if its storefront were the country that it
        // connects from, so the value for that storefront represents the client. An unparsable
        // storefront is treated like a storefront that no rule names.
        let countries =
            releases.flatMap { $0.countries(awaitedBy: nil) }
            + releases.flatMap { $0.countries?.keys.map(\.self) ?? [] }
            + rules.flatMap { $0.holdUntilInStore?.countries ?? [] }
        self.storefronts = .names(Set(countries).sorted()) { $0 }
        self.osVersions = .osVersions(
            matches.flatMap { $0.osVersions ?? [] } + rules.flatMap(\.requiresOS),
            distinguishesUnreadable: distinguishesUnreadable
        )
        // A rule that depends only on the build does not reject a client that sends a build but no
        // version.
        self.builds = .builds(
            rules.flatMap(\.buildCuts) + releases.flatMap(\.builds),
            isNeeded: rejects
        )
        var requests = ComparedRequests(
            exemptions: old.exemptions + new.exemptions,
            others: policies.flatMap(\.paths).map(\.request)
                + matches.flatMap { $0.requests ?? [] }
        )
        self.isIncomplete = requests.isIncomplete
        let all = requests
        requests.keep { place in
            focus.matches.contains { $0.requests.map { all.matches(place, $0) } ?? true }
        }
        self.places = requests
        self.requests = ComparedDimension(
            requests.requests.map { ($0, $0.label) },
            isWhole: requests.requests.count == all.requests.count
        )
    }

    /// The number of cells; `Int.max` on overflow.
    var cellCount: Int {
        self.counts.reduce(1) { product, count in
            let (result, overflows) = product.multipliedReportingOverflow(by: count)
            return overflows ? .max : result
        }
    }

    private var counts: [Int] {
        [
            self.apps.values.count, self.platforms.values.count, self.channels.values.count,
            self.osVersions.values.count, self.builds.values.count, self.countries.values.count,
            self.storefronts.values.count, self.requests.values.count,
        ]
    }

    func cell(_ number: Int) -> ComparedCell {
        var rest = number
        var cell = ComparedCell()
        for (dimension, count) in zip(ComparedCell.Dimension.allCases, self.counts) {
            cell[dimension] = rest % count
            rest /= count
        }
        return cell
    }

    /// The cells to compare if there are too many to compare them all.
    ///
    /// These are the cell of clients that send no identity, and typical cells for each condition of
    /// the change and for each rule.
    var typicalCells: [ComparedCell] {
        [ComparedCell()]
            + self.focus.matches.map { self.typicalCell(of: $0, or: .anyone) }
            + self.candidates.flatMap { candidate -> [ComparedCell] in
                let rule = candidate.rule
                guard let focus = self.focus.matches.first(where: rule.match.overlaps) else {
                    return []
                }
                let cell = self.typicalCell(of: rule.match, or: focus)
                return rule.dependsOnStores ? self.inEveryStore(cell) : [cell]
            }
    }

    /// Returns a copy of the cell for each storefront, because each store may have a different
    /// release.
    private func inEveryStore(_ cell: ComparedCell) -> [ComparedCell] {
        self.storefronts.values.indices.map { place in
            var cell = cell
            cell[.storefront] = place
            return cell
        }
    }

    private func typicalCell(of match: RuleMatch, or focus: RuleMatch) -> ComparedCell {
        func place<Value>(_ dimension: ComparedDimension<Value>, _ name: String?) -> Int {
            name.flatMap { dimension.labels.firstIndex(of: $0) } ?? dimension.values.count - 1
        }
        var cell = ComparedCell()
        cell[.app] = place(self.apps, (match.apps ?? focus.apps)?.first?.description)
        cell[.platform] = place(self.platforms, (match.platforms ?? focus.platforms)?.first?.name)
        let channel = (match.channels ?? focus.channels)?.first?.lowercasedASCII
        cell[.channel] = place(self.channels, channel)
        cell[.osVersion] = self.osVersions.values.count - 1
        let patterns = match.requests ?? focus.requests ?? []
        cell[.request] =
            self.requests.values.indices.first { self.places.matches($0, patterns) } ?? 0
        return cell
    }

    func client(
        _ cell: ComparedCell,
        version: Claim<AppVersion>,
        device: Claim<String>
    ) -> ClientIdentity {
        ClientIdentity(
            app: self.apps.values[cell[.app]],
            platform: self.platforms.values[cell[.platform]],
            version: version,
            build: self.builds.values[cell[.build]],
            channel: self.channels.values[cell[.channel]],
            osVersion: self.osVersions.values[cell[.osVersion]],
            device: device,
            country: self.countries.values[cell[.country]],
            storefront: self.storefronts.values[cell[.storefront]]
        )
    }

    /// Whether the change can affect the clients of a cell.
    func isConcerned(_ cell: ComparedCell) -> Bool {
        self.focus.matches.contains { self.fit(of: $0, to: cell) != .none }
    }

    func fit(of match: RuleMatch, to cell: ComparedCell) -> Fit {
        if let patterns = match.requests, !self.places.matches(cell[.request], patterns) {
            return .none
        }
        let parts = [
            Self.fit(match.platforms, self.platforms.values[cell[.platform]], ==),
            Self.fit(match.apps, self.apps.values[cell[.app]]) { $0.matches($1) },
            Self.fit(match.channels, self.channels.values[cell[.channel]]) {
                $0.lowercasedASCII == $1
            },
            Self.fit(match.osVersions, self.osVersions.values[cell[.osVersion]]) {
                $0.contains($1)
            },
        ]
        if parts.contains(.none) { return .none }
        return parts.contains(.possible) ? .possible : .certain
    }

    private static func fit<Value, Accepted>(
        _ accepted: [Accepted]?,
        _ claim: Claim<Value>,
        _ isAccepted: (Accepted, Value) -> Bool
    ) -> Fit {
        guard let accepted else { return .certain }
        guard let value = claim.value else { return accepted.isEmpty ? .none : .possible }
        return accepted.contains { isAccepted($0, value) } ? .certain : .none
    }
}

extension ComparedFocus {
    /// Returns the names that the matches are restricted to; `nil` if any match is unrestricted.
    func names(_ part: (RuleMatch) -> [String]?) -> Set<String>? {
        var names: Set<String> = []
        for match in self.matches {
            guard let some = part(match) else { return nil }
            names.formUnion(some)
        }
        return names
    }
}
