internal import GatePolicy
internal import GateRules

/// The meaning of an object that a source has: a value of the database, or a file of JSON.
struct ValueObject: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// One app's versions and where its update is.
        case version
        /// A rules file.
        case rules
    }

    /// The fields that are read under these names, unless `fields` has others.
    static let fields: [(name: String, kind: SourceFields.Kind)] = [
        ("minVersion", .version), ("version", .version), ("storeUrl", .link), ("title", .words),
        ("message", .words), ("button", .words),
    ]
    /// Further ones of that kind, in which no slips are looked for: such objects have numbers of everything.
    private static let builds: [(name: String, kind: SourceFields.Kind)] = [
        ("minBuild", .build), ("latestBuild", .build),
    ]
    /// The fields that are read only if `fields` names them.
    private static let named: [(name: String, kind: SourceFields.Kind)] = [
        (FeedSwitch.name, .toggle), (SourceMaintenance.switchField, .toggle),
        (SourceMaintenance.fromField, .time), (SourceMaintenance.untilField, .time),
        (SourceMaintenance.titleField, .words), (SourceMaintenance.messageField, .words),
        ("blockedVersions", .version), ("blockedBuilds", .build),
    ]
    /// Those of them that ask for something by themselves.
    private static let askingAlone = [
        SourceMaintenance.switchField, SourceMaintenance.fromField, "blockedVersions",
        "blockedBuilds",
    ]
    /// Those of them that must not go away without a word.
    private static let switches = [
        FeedSwitch.name, SourceMaintenance.switchField, SourceMaintenance.fromField,
        SourceMaintenance.untilField,
    ]
    /// All that `fields` can name.
    static let known = (fields + builds + named).map(\.name)
    /// Those of them that can have a name for each language.
    static let localized = [
        "title", "message", "button", SourceMaintenance.titleField, SourceMaintenance.messageField,
    ]

    let kind: Kind
    let language: LanguageTag
    let names: FieldNames
    let rule: FeedRuleTemplate

    var subject: FeedSubject {
        switch self.kind {
        case .version: .rules(notices: self.rule.notices)
        case .rules: .anything
        }
    }

    /// The rules file that a value means.
    ///
    /// - Parameters:
    ///   - value: What the source has.
    ///   - id: The id of the feed.
    ///   - last: What was remembered of the value before.
    /// - Returns: The file, and what is to be remembered.
    /// - Throws: `FeedFailure` if there is no value, or none that means something.
    func value(
        from value: JSONValue,
        id: String,
        after last: [String: String]
    ) throws(FeedFailure) -> FeedValue {
        guard case .object(let members) = value else {
            let hint = value == .null ? " at this place" : ""
            throw .content("expected an object, found \(value.found)\(hint)")
        }
        switch self.kind {
        case .version:
            try self.checkPlatform(of: value)
            var memory = try self.checkFields(of: value, after: last)
            let document = try self.version(value, id: id, after: last, &memory)
            return FeedValue(
                document: document.text,
                memory: memory,
                notes: document.notes + self.missing(in: value) + self.unread(in: members)
            )
        case .rules:
            // Firebase's database does not keep empty lists.
            let rules = value["rules"] == nil ? [JSONValue.Member("rules", .list([]))] : []
            return FeedValue(document: JSONValue.object(rules + members).rendered + "\n")
        }
    }

    /// An object that says which platform it is for must not say another one than the rule.
    private func checkPlatform(of value: JSONValue) throws(FeedFailure) {
        guard case .object(let members) = value, let expected = self.rule.platforms else { return }
        for member in members where PlatformNames.mayHoldPlatform(member.name) {
            guard let stated = PlatformNames.platforms(named: member.value),
                !stated.contains(where: expected.contains)
            else { continue }
            throw .content(
                "'\(member.name)' says that the object is for \(stated.names), and the feed's 'rule' is "
                    + "for \(expected.names)"
            )
        }
    }

    /// Looks for what is misspelt, and for what is gone: a text may be empty, so that nobody has to remove a
    /// field to ask for nothing.
    private func checkFields(
        of value: JSONValue,
        after last: [String: String]
    ) throws(FeedFailure) -> [String: String] {
        let named = Self.builds + Self.named
        // Whoever counts builds need not have versions.
        let hasBuilds = Self.builds.contains { !value.isAbsent(at: self.names[$0.name]) }
        let expected = Self.fields.filter { !hasBuilds || $0.kind != .version }
        let strangers = try SourceFields(self.names, expected, onlyIfNamed: named)
            .check([value], after: last)
        let demands = ["minVersion", "version", "minBuild", "latestBuild"].map { self.names[$0] }
        let others = Self.askingAlone.compactMap(self.names.given)
        guard (demands + others).contains(where: { !value.isAbsent(at: $0) }) else {
            throw .content(self.nothingStated(in: value))
        }
        let floors =
            ["minVersion", "minBuild"].map { self.names[$0] }
            + ["blockedVersions", "blockedBuilds"].compactMap(self.names.given)
        let switches = Self.switches.compactMap(self.names.given)
        return try SourceFields.check(
            floors.map { .floor($0, isAbsent: value.isAbsent(at: $0)) }
                + switches.map { .toggle($0, isAbsent: value.isAbsent(at: $0)) },
            after: last
        ).merging(strangers) { first, _ in first }
    }

    /// Why an object asks nothing: often it has another one for each platform.
    private func nothingStated(in value: JSONValue) -> String {
        let names = ["minVersion", "version"].map { "'\(self.names[$0])'" }
        let message = "the object has neither \(names.joined(separator: " nor "))"
        guard case .object(let members) = value,
            let child = members.first(where: { member in
                guard case .object = member.value else { return false }
                return PlatformNames.platform(in: member.name)
                    .map { self.rule.platforms?.contains($0) ?? true } ?? false
            })
        else { return message }
        return message
            + ", but '\(child.name)' in it: write '\(child.name)' at the end of 'path', or "
            + "`fields: { minVersion: \(child.name).minVersion }`"
    }

    /// The switches that `fields` names and that are not there.
    private func missing(in value: JSONValue) -> [String] {
        Self.switches.compactMap(self.names.given).filter { value.isAbsent(at: $0) }
            .map { "'\($0)', which 'fields' names, is not there: it changes nothing" }
    }

    private func unread(in members: [JSONValue.Member]) -> [String] {
        var fields: [UnreadFields.Field] = []
        for member in members {
            fields.append(.init(path: member.name, value: member.value))
            guard case .object(let children) = member.value else { continue }
            fields += children.map { .init(path: "\(member.name).\($0.name)", value: $0.value) }
        }
        let read = Set(self.names.paths + (Self.fields + Self.builds).map { self.names[$0.name] })
        let keys = UnreadFields.Keys(latest: "version")
        return UnreadFields(fields, read: read, keys: keys, platforms: self.rule.platforms).notes
    }

    private func version(
        _ value: JSONValue,
        id: String,
        after last: [String: String],
        _ memory: inout [String: String]
    ) throws(FeedFailure) -> FeedDocument {
        var document = FeedDocument()
        var demands = FeedDemands()
        let before = last[StatedFloor.key].flatMap { try? AppVersion(parsing: $0) }
        demands.minimum = try self.version("minVersion", in: value, before, &document.notes)
        demands.recommended = try self.version("version", in: value, before, &document.notes)
        demands.minimumBuild = try value.build(at: self.names["minBuild"])
        demands.recommendedBuild = try value.build(at: self.names["latestBuild"])
        memory[StatedFloor.key] = demands.minimum.map { "\($0)" }
        if let path = self.names.given("blockedVersions") {
            demands.blocked = try value.read(path, SourceValue.versionRanges) ?? []
        }
        if let path = self.names.given("blockedBuilds") {
            let ranges = try value.read(path, SourceValue.buildRanges) ?? []
            demands.blockedBuilds = ranges.map { BlockedBuilds($0) }
        }
        if let path = self.names.given(FeedSwitch.name),
            let isOn = try value.read(path, SourceValue.isOn), !isOn
        {
            demands = demands.unenforced
        }
        try self.add(demands, of: value, id: id, to: &document)
        guard let maintenance = try value.maintenance(self.names, in: self.language) else {
            return document
        }
        do throws(SourceValue.Fault) {
            try document.add(maintenance, id: id, like: self.rule, in: self.language)
        } catch {
            throw .fault(error, at: SourceMaintenance.switchField)
        }
        return document
    }

    private func add(
        _ demands: FeedDemands,
        of value: JSONValue,
        id: String,
        to document: inout FeedDocument
    ) throws(FeedFailure) {
        var members = demands.members
        guard !members.isEmpty else { return }
        if let link = try value.text(at: self.names["storeUrl"]) {
            members.append(.init("storeUrl", .text(link)))
        }
        let words = FeedWords(
            title: try value.words("title", self.names, in: self.language),
            message: try value.words("message", self.names, in: self.language),
            button: try value.words("button", self.names, in: self.language)
        )
        document.add(words, as: id, to: &members, in: self.language)
        document.rules.append(self.rule.rule(id, members))
    }

    /// A version, with a remark on what is odd about it.
    private func version(
        _ field: String,
        in value: JSONValue,
        _ before: AppVersion?,
        _ notes: inout [String]
    ) throws(FeedFailure) -> AppVersion? {
        let path = self.names[field]
        guard let version = try value.version(at: path) else { return nil }
        guard let text = try value.text(at: path) else { return version }
        let key = field == "minVersion" ? "minBuild" : "latestBuild"
        return try VersionText(text, version).checked(
            path,
            mappedBy: key,
            before: before,
            &notes
        )
    }
}

/// The floor that a source stated, as it is remembered until its next answer.
enum StatedFloor {
    static let key = "minimum"
}

extension VersionText {
    /// The version, unless the text is probably a build; what is odd about it becomes a note.
    func checked(
        _ path: String,
        mappedBy key: String,
        before: AppVersion?,
        _ notes: inout [String]
    ) throws(FeedFailure) -> AppVersion {
        let hint = "map it by `fields: { \(key): \"\(path)\" }`"
        if let fault = self.fault(isNumber: false, before: before, hint: hint) {
            throw .content("'\(path)' \(fault)")
        }
        if let remark = self.remark(hint: hint) { notes.append("'\(path)' \(remark)") }
        return self.version
    }
}
