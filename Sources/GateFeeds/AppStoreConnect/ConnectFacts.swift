internal import GatePolicy
internal import GateRules

/// The builds and versions of an app in App Store Connect, converted to a rules file.
struct ConnectFacts {
    /// The clients that the facts apply to, and the rules for testers.
    struct Target: Sendable, Equatable {
        let app: String?
        let platform: Platform
        let storeURL: String?
        /// The template for the rules for testers; if `nil`, no rules are generated.
        let rule: FeedRuleTemplate?
        /// Whether the newest build is required or recommended for testers.
        var ask = ConnectDemand.require
        /// The names of audiences in responses.
        var words = TestAudience.Words.own

        /// Returns the members of a rule or a release that identify the clients.
        fileprivate func clients(on channel: String? = nil) -> [JSONValue.Member] {
            StoreKeys(app: self.app, platform: self.platform.name, channel: channel).members
        }
    }

    /// A placeholder for the time of versions that were already in the store at the first fetch.
    private static let before = "before"

    /// Returns the key in `FeedValue.memory` for the time at which a version became available in the store.
    private static func sighting(of version: ConnectVersion) -> String {
        // A soak period starts once the version is available to all users.
        if case .ended = version.phase {
            "complete \(version.version)"
        } else {
            "live \(version.version)"
        }
    }

    let builds: [ConnectBuild]
    let versions: [ConnectVersion]

    /// Returns the newest build that an audience can install; `nil` if there is none.
    private func newest(_ audience: TestAudience, _ now: Timestamp) -> ConnectBuild? {
        self.builds.filter { known in
            known.build.audience == audience && known.build.isTesting
                && known.build.expiresAt.map { now < $0 } ?? true
        }
        .max { $0.build.precedes($1.build) }
    }

    /// Returns the times at which versions became available in the store, as observed by this feed.
    ///
    /// `last` contains the stored times; it is `nil` at the first fetch, when the times of existing versions
    /// are unknown.
    func sightings(after last: [String: String]?, now: Timestamp) -> [String: String] {
        let names = self.versions.map { Self.sighting(of: $0) }
        return Dictionary(
            firstOf: names.map { name in
                (name, last.map { $0[name] ?? "\(now)" } ?? Self.before)
            }
        )
    }

    /// Generates the rules file; the ID of the feed prefixes the IDs of the rules.
    ///
    /// `memory` contains the times at which versions became available in the store, and `now` is the time at which the
    /// expiration of builds is evaluated.
    func document(
        of feed: String,
        for target: Target,
        memory: [String: String],
        now: Timestamp
    ) -> FeedDocument {
        var document = FeedDocument()
        for audience in TestAudience.allCases {
            guard let newest = self.newest(audience, now) else { continue }
            document.releases.append(self.release(newest, for: target))
            if let rule = target.rule {
                let members = self.demand(of: newest, for: target)
                document.rules.append(rule.rule("\(feed)-\(audience.rawValue)", members))
            }
        }
        document.releases += self.versions.map { self.release($0, for: target, memory, now) }
        if !self.builds.isEmpty {
            document.testFlight = [
                .object(
                    target.clients() + Self.words(of: target) + [
                        .init("feed", .text(feed)),
                        .init("builds", .list(self.items(now))),
                    ]
                )
            ]
        }
        return document
    }

    /// Returns the floor for testers: the version of the newest build, and its build number within
    /// that version.
    ///
    /// Build numbers may start over with each version, so a later version whose builds are still
    /// unknown must pass.
    private func demand(of newest: ConnectBuild, for target: Target) -> [JSONValue.Member] {
        let build = newest.build
        let match = target.clients(on: build.audience.channel)
        var members: [JSONValue.Member] = [
            .init("match", .object(match)), .init("minimum", .text("\(build.version)")),
        ]
        if let number = try? BuildNumber(parsing: newest.number) {
            members.append(.init("minimumBuild", .build(number)))
            members.append(.init("minimumBuildOf", .text("\(build.version)")))
        }
        if target.ask == .recommend {
            // The build is already available, so the recommendation begins at its upload time.
            // Without `enforceFrom`, the floor is never enforced.
            let since = newest.uploadedAt ?? Timestamp(secondsSinceEpoch: 0)
            members.append(.init("warnFrom", .text("\(since)")))
        }
        return members
    }

    private static func words(of target: Target) -> [JSONValue.Member] {
        target.words == .own ? [] : [.init("words", .text(target.words.rawValue))]
    }

    private func release(_ newest: ConnectBuild, for target: Target) -> JSONValue {
        let build = newest.build
        var members = target.clients(on: build.audience.channel)
        members.append(.init("version", .text("\(build.version)")))
        if let number = try? BuildNumber(parsing: newest.number) {
            members.append(.init("build", .build(number)))
        }
        if let time = newest.uploadedAt { members.append(.init("releasedAt", .text("\(time)"))) }
        return .object(members)
    }

    private func release(
        _ version: ConnectVersion,
        for target: Target,
        _ memory: [String: String],
        _ now: Timestamp
    ) -> JSONValue {
        var members = target.clients()
        members.append(.init("version", .text("\(version.version)")))
        if let build = version.build { members.append(.init("build", .build(build))) }
        // The placeholder for versions found at the first fetch does not parse as a time.
        let seen = memory[Self.sighting(of: version)].flatMap { try? Timestamp(parsing: $0) }
        let since = Self.begin(of: version, seen: seen, now)
        if let since { members.append(.init("releasedAt", .text("\(since)"))) }
        switch version.phase {
        case .complete: break
        case .phased(let end): members.append(Self.phased(until: end))
        case .ended(let end):
            let seen = min(seen ?? end, end)
            members.append(Self.phased(until: since.map { max(seen, $0) } ?? seen))
        case .partial: members.append(.init("phased", .text(PhaseDecoder.partialWord)))
        }
        if let url = target.storeURL { members.append(.init("storeUrl", .text(url))) }
        return .object(members)
    }

    /// Returns the time at which a version became available in the store; `nil` if it is unknown,
    /// because the version was already available at the first fetch.
    ///
    /// The earliest release date set by the developer is only a lower bound, because the review may
    /// have ended much later. Without an observed time, it is the best information about the
    /// version.
    private static func begin(
        of version: ConnectVersion,
        seen: Timestamp?,
        _ now: Timestamp
    ) -> Timestamp? {
        if let phasedFrom = version.phasedFrom { return phasedFrom }
        guard let seen else { return version.earliestRelease.flatMap { $0 <= now ? $0 : nil } }
        return version.earliestRelease.map { max(seen, $0) } ?? seen
    }

    private static func phased(until end: Timestamp) -> JSONValue.Member {
        .init("phased", .object([.init("completeAt", .text("\(end)"))]))
    }

    /// Returns the builds; only the newest ones include release notes.
    private func items(_ now: Timestamp) -> [JSONValue] {
        let newest = TestAudience.allCases.compactMap { self.newest($0, now) }
        return self.builds.map { known in
            var build = known.build
            if !newest.contains(known) { build.releaseNotes = [:] }
            return Self.item(build)
        }
    }

    private static func item(_ build: TestFlightBuild) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("version", .text("\(build.version)")), .init("build", .text("\(build.build)")),
            .init("audience", .text(build.audience.rawValue)),
        ]
        if !build.isTesting { members.append(.init("testing", .boolean(false))) }
        if let time = build.expiresAt { members.append(.init("expiresAt", .text("\(time)"))) }
        if !build.releaseNotes.isEmpty {
            let notes = build.releaseNotes.map { (name: "\($0)", text: $1) }
                .sorted { $0.name < $1.name }
                .map { JSONValue.Member($0.name, .text($0.text)) }
            members.append(.init("releaseNotes", .object(notes)))
        }
        return .object(members)
    }
}
