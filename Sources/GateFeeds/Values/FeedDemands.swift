internal import GatePolicy
internal import GateRules

/// A source's requirements for the clients of a rule.
struct FeedDemands: Equatable {
    var minimum: AppVersion?
    var minimumBuild: BuildNumber?
    var recommended: AppVersion?
    var recommendedBuild: BuildNumber?
    var blocked: [VersionRange] = []
    var blockedBuilds: [BlockedBuilds] = []

    /// The requirements with floors as recommendations, for a source with enforcement switched off.
    ///
    /// Blocked versions are omitted, because there is no version to recommend instead.
    var unenforced: FeedDemands {
        FeedDemands(
            recommended: [self.minimum, self.recommended].compactMap(\.self).max(),
            recommendedBuild: [self.minimumBuild, self.recommendedBuild].compactMap(\.self).max()
        )
    }

    /// The keys of a rule with these requirements; empty if there are none.
    var members: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let minimum { members.append(.init("minimum", .text("\(minimum)"))) }
        if let minimumBuild { members.append(.init("minimumBuild", .build(minimumBuild))) }
        if !self.blocked.isEmpty {
            members.append(.init("blocked", .list(self.blocked.map { .text("\($0)") })))
        }
        if !self.blockedBuilds.isEmpty {
            members.append(.init("blockedBuilds", .list(self.blockedBuilds.map(\.json))))
        }
        if let recommended { members.append(.init("recommended", .text("\(recommended)"))) }
        if let recommendedBuild {
            members.append(.init("recommendedBuild", .build(recommendedBuild)))
        }
        return members
    }
}

extension BlockedBuilds {
    fileprivate var json: JSONValue {
        let versions = self.versions.map { JSONValue.Member("version", .text("\($0)")) }
        let builds = self.builds.map { JSONValue.Member("build", .text("\($0)")) }
        let forms = self.written.keys.map { key, patterns in
            JSONValue.Member(key, .list(patterns.map { .text($0.description) }))
        }
        return .object([versions, builds].compactMap(\.self) + forms)
    }
}
