internal import GatePolicy
internal import GateRules

/// Generates rules from a template.
extension FirebaseRemoteConfigFeed {
    /// The correctly spelled alternative to the misspelled default `lastest_version`.
    private static let otherLatest = "latest_version"

    /// Generates the rules from a template for a point in time, and the data to store for the next template.
    ///
    /// `last` is the data stored with the previous template.
    func value(
        from template: RemoteConfigTemplate,
        id: String,
        at now: Timestamp,
        after last: [String: String] = [:]
    ) throws(FeedFailure) -> FeedValue {
        let client = RemoteConfigClient(
            platform: Platform(self.system.rawValue),
            app: self.app,
            now: now
        )
        let before = last[StatedFloor.key].flatMap { try? AppVersion(parsing: $0) }
        let terms = try Self.reading { () throws(RemoteConfigError) in
            try RemoteConfigRequirements(template, for: client, self.terms, before: before)
        }
        var reading = RemoteConfigEvaluation(template: template, client: client)
        var document = FeedDocument()
        let members = terms.demands.members
        if !members.isEmpty {
            let link = reading.text(self.names["storeUrl"])
            let words = FeedTexts(
                title: reading.words("title", self.names, in: self.language),
                message: reading.words("message", self.names, in: self.language),
                button: reading.words("button", self.names, in: self.language)
            )
            document.add(id, members, link: link, words, like: self.rule, in: self.language)
        }
        let maintenance = try Self.reading { () throws(RemoteConfigError) in
            try reading.maintenance(self.names, in: self.language)
        }
        if let maintenance {
            try document.add(maintenance, id: id, like: self.rule, in: self.language)
        }
        let undecided = terms.undecided.map {
            "only Firebase can evaluate '\($0)': the lowest version applies"
        }
        var value = FeedValue(
            document: document.text,
            notes: undecided + terms.notes + reading.notes + document.notes
                + self.notes(on: template)
        )
        value.memory[StatedFloor.key] = terms.demands.minimum.map { "\($0)" }
        return value
    }

    private var terms: RemoteConfigRequirements.Names {
        RemoteConfigRequirements.Names(
            minimum: self.names["minVersion"],
            latest: self.names.isGiven("latestVersion")
                ? [self.names["latestVersion"]]
                : [self.names["latestVersion"], Self.otherLatest],
            minimumBuild: self.names["minBuild"],
            latestBuild: self.names["latestBuild"],
            enforce: self.names.given(FeedSwitch.name),
            blockedVersions: self.names.given("blockedVersions"),
            blockedBuilds: self.names.given("blockedBuilds"),
            others: [SourceMaintenance.switchField, SourceMaintenance.fromField]
                .compactMap(self.names.given)
        )
    }

    /// Returns remarks about missing and unread parameters, and about another project's app IDs.
    private func notes(on template: RemoteConfigTemplate) -> [String] {
        let missing = self.names.missingSwitches { template[$0] == nil }
        let read =
            Self.parameters.map { self.names[$0.0] } + [Self.otherLatest] + self.names.paths
        let fields = template.parameters.compactMap { name, parameter in
            parameter.defaultValue?.stated.map { JSONValue.Member(name, $0) }
        }
        let unread = UnreadFields(
            fields,
            read: Set(read),
            keys: UnreadFields.Keys(),
            platforms: self.rule.platforms
        ).notes
        return missing + self.otherProject(template) + unread
    }

    /// Returns a remark if all app IDs in conditions belong to a project other than the project of
    /// `appId`.
    private func otherProject(_ template: RemoteConfigTemplate) -> [String] {
        func project(_ id: String) -> Substring? { id.split(separator: ":").dropFirst().first }
        let ids = template.conditions.flatMap(\.condition.apps)
        guard let app = self.app, let own = project(app), let other = ids.compactMap(project).first,
            !ids.contains(where: { project($0) == own })
        else { return [] }
        return [
            "the conditions refer to apps of the Firebase project \(other), but 'appId' belongs to "
                + "\(own): check 'project'"
        ]
    }
}
