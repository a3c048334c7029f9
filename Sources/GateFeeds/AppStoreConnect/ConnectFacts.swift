internal import GatePolicy
internal import GateRules

/// The facts that App Store Connect states of an app, as a rules file.
struct ConnectFacts {
    /// Which clients are meant, and what testers are told.
    struct Target: Sendable, Equatable {
        let app: String?
        let platform: Platform
        let storeURL: String?
        /// The common part of the rules for testers; `nil`: nothing is asked of testers.
        let rule: FeedRuleTemplate?
        /// Whether testers must have the newest build, or are told of it.
        var ask = ConnectDemand.require
        /// The words of the answers about builds.
        var words = TestAudience.Words.own
    }

    /// In place of a time before the first answer.
    private static let before = "before"

    /// Names in the feed's memory since when a version was seen in the store.
    private static func sighting(of version: ConnectVersion) -> String {
        // A soak counts from when everybody gets it.
        if case .ended = version.phase {
            "complete \(version.version)"
        } else {
            "live \(version.version)"
        }
    }

    let builds: [ConnectBuild]
    let versions: [ConnectVersion]

    /// The newest build that an audience must have.
    private func newest(_ audience: TestAudience, _ now: Timestamp) -> ConnectBuild? {
        self.builds.filter { known in
            known.build.audience == audience && known.build.isTesting
                && known.build.expiresAt.map { now < $0 } ?? true
        }
        .max { $0.build.precedes($1.build) }
    }

    /// Since when each version is in the store, as far as this feed has seen it come.
    ///
    /// `last`: what is remembered; `nil` before the first answer, and then nobody knows since when what is
    /// there has been there.
    func sightings(after last: [String: String]?, now: Timestamp) -> [String: String] {
        let names = self.versions.map { Self.sighting(of: $0) }
        return Dictionary(
            names.map { name in (name, last.map { $0[name] ?? "\(now)" } ?? Self.before) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The rules file.
    ///
    /// - Parameters:
    ///   - feed: The id of the feed, from which the rules have their names.
    ///   - target: The clients that are meant.
    ///   - memory: Since when the versions are in the store.
    ///   - now: Which builds have expired.
    /// - Returns: What the feed adds.
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
                    self.identity(of: target) + Self.words(of: target) + [
                        .init("feed", .text(feed)),
                        .init("builds", .list(self.items(now))),
                    ]
                )
            ]
        }
        return document
    }

    /// The demands on the testers of a build: no version before it, and no build of its version
    /// before it.
    ///
    /// Numbers may begin anew with each version: a later version whose builds nobody knows yet must
    /// pass.
    private func demand(of newest: ConnectBuild, for target: Target) -> [JSONValue.Member] {
        let build = newest.build
        let match = self.identity(of: target) + [.init("channel", .text(build.audience.channel))]
        var members: [JSONValue.Member] = [
            .init("match", .object(match)), .init("minimum", .text("\(build.version)")),
        ]
        if let number = try? BuildNumber(parsing: newest.number) {
            members.append(.init("minimumBuild", .build(number)))
            members.append(.init("minimumBuildOf", .text("\(build.version)")))
        }
        if target.ask == .recommend {
            // A warning that never becomes more, since the build is there.
            let since = newest.uploadedAt ?? Timestamp(secondsSinceEpoch: 0)
            members.append(.init("warnFrom", .text("\(since)")))
        }
        return members
    }

    private func identity(of target: Target) -> [JSONValue.Member] {
        (target.app.map { [.init("app", .text($0))] } ?? [])
            + [.init("platform", .text(target.platform.name))]
    }

    private static func words(of target: Target) -> [JSONValue.Member] {
        target.words == .own ? [] : [.init("words", .text(target.words.rawValue))]
    }

    private func release(_ newest: ConnectBuild, for target: Target) -> JSONValue {
        let build = newest.build
        var members =
            self.identity(of: target) + [
                .init("channel", .text(build.audience.channel)),
                .init("version", .text("\(build.version)")),
            ]
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
        var members = self.identity(of: target)
        members.append(.init("version", .text("\(version.version)")))
        if let build = version.build { members.append(.init("build", .build(build))) }
        // The word that stands for a time before the first answer cannot be read as a time.
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

    /// Since when a version counts as being in the store; `nil` for always.
    ///
    /// The date before which it was not to come out says little of when it came: the review may
    /// have ended long after. It is taken alone only for a version that was there before the first
    /// answer, of which nothing better is known.
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

    /// The builds; what testers are told, only of those that are the newest.
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
