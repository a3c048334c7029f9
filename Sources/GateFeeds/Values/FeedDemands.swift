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

    /// The requirements with floors turned into recommendations, for a source that has switched
    /// enforcement off.
    ///
    /// Blocked versions are omitted, because there is no version to recommend instead.
    var unenforced: FeedDemands {
        FeedDemands(
            recommended: [self.minimum, self.recommended].compactMap(\.self).max(),
            recommendedBuild: [self.minimumBuild, self.recommendedBuild].compactMap(\.self).max()
        )
    }

    /// The members of a rule with these requirements; empty if there are none.
    var members: [JSONValue.Member] {
        let blocked = self.blocked.map { JSONValue.text("\($0)") }
        let blockedBuilds = self.blockedBuilds.map(\.json)
        let members: [JSONValue.Member?] = [
            self.minimum.map { .init("minimum", .text("\($0)")) },
            self.minimumBuild.map { .init("minimumBuild", .build($0)) },
            blocked.isEmpty ? nil : .init("blocked", .list(blocked)),
            blockedBuilds.isEmpty ? nil : .init("blockedBuilds", .list(blockedBuilds)),
            self.recommended.map { .init("recommended", .text("\($0)")) },
            self.recommendedBuild.map { .init("recommendedBuild", .build($0)) },
        ]
        return members.compactMap(\.self)
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
