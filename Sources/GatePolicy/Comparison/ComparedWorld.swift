/// All kinds of clients and requests that two rule sets can tell apart.
struct ComparedWorld {
    let apps: ComparedDimension<Claim<String>>
    let platforms: ComparedDimension<Claim<Platform>>
    let channels: ComparedDimension<Claim<String>>
    let osVersions: ComparedDimension<Claim<AppVersion>>
    let builds: ComparedDimension<Claim<UInt64>>
    let requests: ComparedDimension<ComparedRequest>
    /// Devices that stand for all, where a roll-out takes only some.
    let devices: [Claim<String>]
    let versions: VersionAxis

    /// What a client is called that neither rule set names.
    private static let other = "*"
    private static let sampleSize = 100

    init(_ definitions: [RuleSetDefinition]) {
        let rules = definitions.flatMap(\.rules)
        let releases = definitions.flatMap(\.releases)
        self.apps = Self.names(
            rules.flatMap { $0.match.apps ?? [] } + releases.compactMap(\.app)
        )
        let platforms = Self.unique(
            rules.flatMap { $0.match.platforms ?? [] }.map(\.name) + releases.map(\.platform.name)
        )
        self.platforms = ComparedDimension(
            Self.named(platforms).map { ($0.0.map { Platform($0) }, $0.1) }
        )
        self.channels = Self.names(
            rules.flatMap { $0.match.channels ?? [] }.map { $0.lowercased() }
                + rules.flatMap { $0.storeURL.map { Array($0.channels.keys) } ?? [] }.sorted()
                + releases.compactMap(\.channel)
        )
        let osVersions = VersionAxis(
            cuts: rules.flatMap { ($0.match.osVersions ?? []) + $0.requiresOS }.flatMap(\.bounds)
        )
        self.osVersions = ComparedDimension(
            osVersions.points.count == 1
                ? [(.missing, "")]
                : [(.missing, "")]
                    + osVersions.points.indices.map { index in
                        (.stated(osVersions.points[index].version), osVersions.words(index...index))
                    }
        )
        self.builds = Self.builds(
            rules.compactMap(\.minimumBuild) + releases.compactMap(\.build)
        )
        self.requests = Self.requests(definitions)
        let hasRollout = rules.contains { !$0.rollout.isEmpty }
        self.devices =
            hasRollout ? (0..<Self.sampleSize).map { .stated("sample-\($0)") } : [.missing]
        self.versions = VersionAxis(cuts: Self.cuts(rules) + releases.map(\.version))
    }

    /// The versions at which rules begin and end.
    private static func cuts(_ rules: [RuleDefinition]) -> [AppVersion] {
        rules.flatMap { rule in
            let cuts =
                [rule.minimum, rule.recommended].compactMap { $0 }
                + rule.blocked.flatMap(\.bounds)
            // Only here is a pre-release another version than the release that it leads to.
            return rule.prerelease == .strict
                ? cuts + cuts.compactMap(\.lowestPrerelease) : cuts
        }
    }

    private static func names(_ names: [String]) -> ComparedDimension<Claim<String>> {
        ComparedDimension(self.named(self.unique(names)))
    }

    /// Nothing stated, the names, and any other.
    private static func named(_ names: [String]) -> [(Claim<String>, String)] {
        guard !names.isEmpty else { return [(.missing, "")] }
        return [(.missing, "")] + names.map { (.stated($0), $0) }
            + [(.stated("any other"), self.other)]
    }

    private static func builds(_ cuts: [UInt64]) -> ComparedDimension<Claim<UInt64>> {
        let sorted = Set(cuts).sorted()
        var values: [(Claim<UInt64>, String)] = [(.missing, "")]
        for (index, cut) in sorted.enumerated() {
            let previous = index > 0 ? sorted[index - 1] : nil
            if cut > (previous ?? 0) {
                let lower = previous.map { ">=\($0) " } ?? ""
                values.append((.stated(previous ?? cut - 1), "\(lower)<\(cut)"))
            }
            if index == sorted.count - 1 { values.append((.stated(cut), ">=\(cut)")) }
        }
        return ComparedDimension(values)
    }

    private static func requests(
        _ definitions: [RuleSetDefinition]
    ) -> ComparedDimension<ComparedRequest> {
        var seen: Set<RequestPattern> = []
        let patterns = definitions.flatMap { definition in
            definition.exemptions + definition.unidentified.paths.map(\.request)
                + definition.rules.flatMap { $0.match.requests ?? [] }
        }.filter { seen.insert($0).inserted }
        return ComparedDimension(
            [(.other, self.other)]
                + patterns.map { pattern in
                    let methods = pattern.methods?.joined(separator: ",")
                    let label = [methods, pattern.path].compactMap { $0 }.joined(separator: " ")
                    return (ComparedRequest(pattern), label)
                }
        )
    }

    private static func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// The number of cells, or more than any program can try.
    var cellCount: Int {
        [
            self.apps.values.count, self.platforms.values.count, self.channels.values.count,
            self.osVersions.values.count, self.builds.values.count, self.requests.values.count,
        ].reduce(1) { product, count in
            let (result, overflows) = product.multipliedReportingOverflow(by: count)
            return overflows ? .max : result
        }
    }

    /// A cell by its number.
    func cell(_ number: Int) -> ComparedCell {
        var rest = number
        func next(_ count: Int) -> Int {
            defer { rest /= count }
            return rest % count
        }
        return ComparedCell(
            app: next(self.apps.values.count),
            platform: next(self.platforms.values.count),
            channel: next(self.channels.values.count),
            osVersion: next(self.osVersions.values.count),
            build: next(self.builds.values.count),
            request: next(self.requests.values.count)
        )
    }

    /// A client of a cell.
    func client(
        _ cell: ComparedCell,
        version: Claim<AppVersion>,
        device: Claim<String>
    ) -> ClientIdentity {
        ClientIdentity(
            app: self.apps.values[cell.app],
            platform: self.platforms.values[cell.platform],
            version: version,
            build: self.builds.values[cell.build],
            channel: self.channels.values[cell.channel],
            osVersion: self.osVersions.values[cell.osVersion],
            device: device
        )
    }
}
