package import GatePolicy

/// The clients whose decisions are compared before and after a mutation.
///
/// These are the clients in the file's tests and, for each rule, clients with versions and builds around every number
/// in a rule or release.
///
/// This type does not use the program's own comparison of rule sets.
package struct MutationClients {
    /// A client and its request.
    package struct Client {
        package let identity: ClientIdentity
        package let method: String
        package let target: String
        package var address: String?

        package func decision(of rules: RuleSet, at now: Timestamp) -> Decision {
            let (method, target) = (Array(self.method.utf8), Array(self.target.utf8))
            let scope = rules.scope(method: method.span, target: target.span)
            return rules.decide(self.identity, in: scope, at: now, address: self.address)
        }
    }

    /// One rule's clients.
    package struct Crowd {
        package let rule: RuleDefinition
        package let clients: [Client]
        /// The newest valid version in the file, and the newest build; `nil` if there is none.
        package let version: AppVersion?
        package let build: BuildNumber?
    }

    package let crowds: [Crowd]

    package init(_ old: RuleSet, _ new: RuleSet, at now: Timestamp) {
        let rules = old.definition.rulesWithNext + new.definition.rulesWithNext
        let releases = old.definition.releases + new.definition.releases
        let named = rules.flatMap(Self.versions) + releases.compactMap(\.version)
        let good = Self.goodClients(of: old, at: now)
        let tested = good.compactMap(\.version.value)
        let versions = Self.around(named + tested)
        let builds = Self.around(rules.flatMap(\.buildCuts) + releases.flatMap(\.builds))
        self.crowds = old.definition.rules.map { rule in
            let match = rule.match
            let own = good.filter { Self.isOne($0, of: match) }
            let out = old.definition.releases.filter { release in
                match.platforms?.contains(release.platform) ?? true
                    && (release.app.map { match.accepts(app: $0) } ?? true)
            }
            let recommended = old.definition.rules.filter { $0.match.overlaps(match) }
                .compactMap(\.recommended)
            let known = out.compactMap(\.version) + recommended + own.compactMap(\.version.value)
            let dependsOnBuild = rule.withNext.contains { $0.dependsOnBuild }
            return Crowd(
                rule: rule,
                clients: Self.clients(of: match, versions, dependsOnBuild ? builds : []),
                version: known.max(),
                build: (out.flatMap(\.builds) + own.compactMap(\.build.value)).max()
            )
        }
    }

    /// Returns the clients in the file's tests, as identified by `reader`.
    package static func tested(by rules: RuleSetDefinition, as reader: RuleSet) -> [Client] {
        rules.tests.map { test in
            var claims = reader.noClaims
            for field in test.headers { claims.addHeader(field.name.lowercased(), field.value) }
            return Client(
                identity: reader.identify(claims),
                method: test.method,
                target: test.path,
                address: test.address
            )
        }
    }

    private static func goodClients(of rules: RuleSet, at now: Timestamp) -> [ClientIdentity] {
        Self.tested(by: rules.definition, as: rules)
            .filter { $0.decision(of: rules, at: now).kind < .require }
            .map(\.identity)
    }

    private static func isOne(_ client: ClientIdentity, of match: RuleMatch) -> Bool {
        let isOfPlatform = match.platforms.map { list in
            client.platform.value.map(list.contains) ?? false
        }
        let isOfApp = match.apps.map { _ in client.app.value.map(match.accepts) ?? false }
        return isOfPlatform ?? true && isOfApp ?? true
    }

    private static func clients(
        of match: RuleMatch,
        _ versions: [AppVersion],
        _ builds: [BuildNumber]
    ) -> [Client] {
        let request = match.requests?.first
        let target = (request?.path ?? "/any").replacing("/**", with: "/any")
            .replacing("*", with: "any")
        let osVersion = Self.around(match.osVersions?.flatMap { Self.versions($0) } ?? [])
            .first { version in match.osVersions?.contains { $0.contains(version) } ?? true }
        return versions.flatMap { version in
            (builds.isEmpty ? [nil] : builds.map(Optional.some)).map { build in
                Client(
                    identity: ClientIdentity(
                        app: match.apps?.first.map { .stated($0.example) } ?? .missing,
                        platform: match.platforms?.first.map { .stated($0) } ?? .missing,
                        version: .stated(version),
                        build: build.map { .stated($0) } ?? .missing,
                        channel: match.channels?.first.map { .stated($0.lowercased()) } ?? .missing,
                        osVersion: osVersion.map { .stated($0) } ?? .missing
                    ),
                    method: request?.methods?.first ?? "GET",
                    target: target
                )
            }
        }
    }

    /// Returns every version in a rule.
    private static func versions(_ rule: RuleDefinition) -> [AppVersion] {
        [rule.minimum, rule.recommended, rule.minimumBuildOf].compactMap(\.self)
            + rule.blocked.flatMap { Self.versions($0) }
    }

    private static func versions(_ range: VersionRange) -> [AppVersion] {
        range.description.split(whereSeparator: { " <>=".contains($0) }).compactMap { word in
            try? AppVersion(parsing: String(word).replacing(".x", with: ""))
        }
    }

    /// Returns the versions, and one slightly lower and one slightly higher version for each.
    private static func around(_ versions: [AppVersion]) -> [AppVersion] {
        let all = versions.flatMap { version -> [AppVersion] in
            let parts = version.release.description.split(separator: ".")
            let numbers = parts.compactMap { UInt64($0) }
            let full = numbers + Array(repeating: 0, count: max(0, 3 - numbers.count))
            var below = full
            if let place = below.lastIndex(where: { $0 > 0 }) {
                below[place] -= 1
                for later in below.indices where later > place { below[later] = 999 }
            }
            let neighbours = [below, full + [1]].compactMap { numbers in
                try? AppVersion(parsing: numbers.map(\.description).joined(separator: "."))
            }
            return [version] + neighbours
        }
        return Set(all).sorted()
    }

    private static func around(_ builds: [BuildNumber]) -> [BuildNumber] {
        Set(builds.flatMap { [$0.predecessor, $0, $0.successor].compactMap(\.self) }).sorted()
    }
}
