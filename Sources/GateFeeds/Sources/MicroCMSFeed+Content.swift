internal import GatePolicy
internal import GateRules

/// Generates rules from the content of an endpoint.
extension MicroCMSFeed {
    /// Generates the rules from the object or the list of an endpoint.
    ///
    /// `last` is the data stored with the previous response.
    func value(
        from content: JSONValue,
        id: String,
        after last: [String: String] = [:]
    ) throws(FeedFailure) -> FeedValue {
        let list = content["contents"]?.items
        let entries = list ?? [content]
        // Misspellings are checked first, because a misspelled field would be treated as empty.
        let strangers = try SourceFields(
            self.names,
            Self.fields,
            onlyIfNamed: Self.builds + Self.named
        ).check(entries, after: last)
        let switches = [FeedSwitch.name, SourceMaintenance.switchField].compactMap(self.names.given)
        let memory = try SourceFields.check(floors: [], switches: switches, after: last) { path in
            !entries.isEmpty && entries.allSatisfy { $0.isAbsent(at: path) }
        }.merging(strangers) { first, _ in first }
        var document = FeedDocument()
        var foreign: [String] = []
        for (index, entry) in entries.enumerated() {
            var name = id
            if list != nil { name += "-" + (try entry.text(at: "id") ?? "\(index)") }
            let platforms = try self.platforms(of: entry, name)
            if let platforms, platforms.isEmpty {
                foreign.append(name)
            } else {
                try self.add(entry, id: name, for: platforms, to: &document)
            }
        }
        if let first = foreign.first {
            let rule = self.rule.platforms?.names ?? ""
            guard foreign.count < entries.count else {
                throw .content(
                    "'\(first)' is for a platform other than that of the feed's 'rule' (\(rule))"
                )
            }
            let names = foreign.map { "'\($0)'" }.joined(separator: ", ")
            document.notes.append("entries for a platform other than \(rule) are ignored: \(names)")
        }
        return FeedValue(
            document: document.text,
            memory: memory,
            notes: document.notes + self.unread(in: entries)
        )
    }

    /// Returns the platforms of an entry, limited to the platforms of the rule.
    ///
    /// The result is `nil` if the entry names no platform, and empty if the entry is only for other
    /// platforms.
    private func platforms(
        of entry: JSONValue,
        _ name: String
    ) throws(FeedFailure) -> [Platform]? {
        guard case .object(let members) = entry else { return nil }
        let expected = self.rule.platforms
        guard let path = self.names.given(Self.platformField) else {
            // A platform field that `fields` does not map can exclude an entry, but not select its
            // platforms.
            let stated = members.filter { PlatformNames.mayHoldPlatform($0.name) }
                .compactMap { PlatformNames.platforms(named: $0.value) }
            guard let expected, let first = stated.first else { return nil }
            return first.contains(where: expected.contains) ? nil : []
        }
        guard let value = try entry.value(at: path), value != .list([]), value != .text("") else {
            guard expected == nil else { return nil }
            throw .content("'\(path)' of '\(name)' is empty; expected a platform")
        }
        guard let platforms = PlatformNames.platforms(named: value) else {
            throw .content(
                "'\(path)' of '\(name)': expected platforms such as 'ios' or 'android', found "
                    + value.found
            )
        }
        return expected.map { expected in platforms.filter(expected.contains) } ?? platforms
    }

    private func unread(in entries: [JSONValue]) -> [String] {
        var fields: [String: JSONValue] = [:]
        for case .object(let members) in entries {
            for member in members where fields[member.name] == nil {
                fields[member.name] = member.value
            }
        }
        let read = Set(self.names.paths + (Self.fields + Self.builds).map { self.names[$0.name] })
        let keys = UnreadFields.Keys(
            minimum: "minAppVersion",
            latest: nil,
            minimumBuild: "minAppBuild",
            latestBuild: nil
        )
        let notes = UnreadFields(
            fields.map { .init($0, $1) },
            read: read,
            keys: keys,
            platforms: self.rule.platforms
        ).notes
        let platform = fields.first { name, value in
            !read.contains(name) && PlatformNames.mayHoldPlatform(name)
                && PlatformNames.platforms(named: value) != nil
        }?.key
        guard let platform else { return notes }
        return notes + [
            "'\(platform)' names platforms, but is not read; use `fields: { platform: \(platform) }` "
                + "to limit each rule to its entry's platforms"
        ]
    }

    private func add(
        _ entry: JSONValue,
        id: String,
        for platforms: [Platform]?,
        to document: inout FeedDocument
    ) throws(FeedFailure) {
        guard case .object = entry, entry["updatedAt"] != nil else {
            var found = entry.found
            if case .object = entry { found += " without 'updatedAt'" }
            throw .content(
                "expected microCMS content, found \(found); check the URL of the endpoint"
            )
        }
        let template = self.rule.narrowed(to: platforms)
        let words = FeedTexts(
            title: try entry.words("title", self.names, in: self.language),
            message: try entry.words("message", self.names, in: self.language),
            button: try entry.words("buttonTitle", self.names, in: self.language)
        )
        let members = try self.blocks(of: entry, &document.notes)
        let asks = !members.isEmpty
        if asks {
            let all = members + (try self.times(of: entry))
            let link = try entry.text(at: self.names["url"])
            document.add(id, all, link: link, words, like: template, in: self.language)
        }
        guard var maintenance = try entry.maintenance(self.names, in: self.language) else { return }
        if !self.names.isGiven(SourceMaintenance.fromField), maintenance.isOn == true {
            maintenance.from = try entry.time(at: self.names["startDate"])
            maintenance.until = try entry.time(at: self.names["endDate"])
        }
        // The texts of an entry without versions describe the maintenance window.
        if !asks, maintenance.words == FeedTexts() { maintenance.words = words }
        try document.add(maintenance, id: id, like: template, in: self.language)
    }

    /// Returns the `blocked` and `blockedBuilds` members of an entry's rule; empty if the entry has
    /// no range, or is switched off.
    private func blocks(
        of entry: JSONValue,
        _ notes: inout [String]
    ) throws(FeedFailure) -> [JSONValue.Member] {
        let versions = try self.range("minAppVersion", "maxAppVersion") {
            (path) throws(FeedFailure) -> AppVersion? in
            let key = path == self.names["minAppVersion"] ? "minAppBuild" : "maxAppBuild"
            return try entry.version(at: path, mappedBy: key, before: nil, &notes)
        }
        let builds = try self.range("minAppBuild", "maxAppBuild", entry.build(at:))
        if let path = self.names.given(FeedSwitch.name),
            let isOn = try entry.read(path, SourceValue.isOn), !isOn
        {
            return []
        }
        return [
            versions.map { JSONValue.Member("blocked", .text($0)) },
            builds.map { JSONValue.Member("blockedBuilds", .text($0)) },
        ].compactMap(\.self)
    }

    /// Returns the range from the lower bound, if there is one, to the upper bound; `nil` if both
    /// fields are empty.
    private func range<Value: Comparable>(
        _ lower: String,
        _ upper: String,
        _ read: (String) throws(FeedFailure) -> Value?
    ) throws(FeedFailure) -> String? {
        let (lowest, highest) = (self.names[lower], self.names[upper])
        switch (try read(lowest), try read(highest)) {
        case (nil, nil): return nil
        case (nil, let maximum?): return "<=\(maximum)"
        case (let minimum?, nil):
            // Without an upper bound, the range would include the version to update to.
            let noun = lower.hasSuffix("Build") ? "build" : "version"
            throw .content(
                "'\(highest)' is empty: every \(noun) from \(minimum) on would be blocked"
            )
        case (let minimum?, let maximum?):
            guard minimum <= maximum else {
                throw .content("'\(lowest)' \(minimum) is above '\(highest)' \(maximum)")
            }
            return ">=\(minimum) <=\(maximum)"
        }
    }

    private func times(of entry: JSONValue) throws(FeedFailure) -> [JSONValue.Member] {
        let (start, end) = (self.names["startDate"], self.names["endDate"])
        let from = try entry.time(at: start)
        let until = try entry.time(at: end)
        if let from, let until, until <= from {
            throw .content("'\(end)' \(until) is not after '\(start)' \(from)")
        }
        return (from.map { [.init("enforceFrom", .text("\($0)"))] } ?? [])
            + (until.map { [.init("until", .text("\($0)"))] } ?? [])
    }
}
