internal import GatePolicy
internal import GateRules

/// The interpretation of an object from a source: a database value or a JSON file.
struct ValueObject: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// The versions and the store URL of one app.
        case version
        /// A rules file.
        case rules
    }

    /// The default fields, which `fields` can map to other names.
    static let fields: [(name: String, kind: SourceFields.Kind)] = [
        ("minVersion", .version), ("version", .version), ("storeUrl", .link), ("title", .words),
        ("message", .words), ("button", .words),
    ]
    /// Additional default fields, which are not checked for misspellings, because objects often
    /// contain other numbers.
    private static let builds: [(name: String, kind: SourceFields.Kind)] = [
        ("minBuild", .build), ("latestBuild", .build),
    ]
    /// The fields that are only read if `fields` maps them.
    private static let named: [(name: String, kind: SourceFields.Kind)] = [
        (FeedSwitch.name, .toggle), (SourceMaintenance.switchField, .toggle),
        (SourceMaintenance.fromField, .time), (SourceMaintenance.untilField, .time),
        (SourceMaintenance.titleField, .words), (SourceMaintenance.messageField, .words),
        ("blockedVersions", .version), ("blockedBuilds", .build),
    ]
    /// The mapped fields that are sufficient on their own for an object to be valid.
    private static let askingAlone = [
        SourceMaintenance.switchField, SourceMaintenance.fromField, "blockedVersions",
        "blockedBuilds",
    ]
    /// The mapped fields that must not disappear.
    private static let switches = [
        FeedSwitch.name, SourceMaintenance.switchField, SourceMaintenance.fromField,
        SourceMaintenance.untilField,
    ]
    /// All names that `fields` may contain.
    static let known = (fields + builds + named).map(\.name)
    /// The names that support a field per language.
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

    /// Generates the rules file for a value.
    ///
    /// - Parameters:
    ///   - value: The value of the source.
    ///   - id: The ID of the feed.
    ///   - last: The feed's memory from the previous value.
    /// - Returns: The file, and the memory from this value.
    /// - Throws: `FeedFailure` if the value is missing or invalid.
    func value(
        from value: JSONValue,
        id: String,
        after last: [String: String]
    ) throws(FeedFailure) -> FeedValue {
        guard case .object(let members) = value else {
            let hint = value == .null ? " at this location" : ""
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
            // Firebase's database does not store empty lists.
            let rules = value["rules"] == nil ? [JSONValue.Member("rules", .list([]))] : []
            return FeedValue(document: JSONValue.object(rules + members).rendered + "\n")
        }
    }

    /// Throws if the object is only for platforms other than those of the rule.
    private func checkPlatform(of value: JSONValue) throws(FeedFailure) {
        guard case .object(let members) = value, let expected = self.rule.platforms else { return }
        for member in members where PlatformNames.mayHoldPlatform(member.name) {
            guard let stated = PlatformNames.platforms(named: member.value),
                !stated.contains(where: expected.contains)
            else { continue }
            throw .content(
                "'\(member.name)' states that the object is for \(stated.names), but the feed's 'rule' is "
                    + "for \(expected.names)"
            )
        }
    }

    /// Checks for misspelled and missing fields.
    ///
    /// To require nothing, a field can be an empty string, so it need not be removed.
    private func checkFields(
        of value: JSONValue,
        after last: [String: String]
    ) throws(FeedFailure) -> [String: String] {
        let named = Self.builds + Self.named
        // An object with builds does not need versions.
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

    /// Returns the message for an object without requirements, which often contains an object per
    /// platform.
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
            + ", but contains '\(child.name)': use "
            + "`fields: { minVersion: \(child.name).minVersion }`, or append '\(child.name)' to "
            + "'path' if the feed has one"
    }

    /// Returns notes about mapped switches that are missing.
    private func missing(in value: JSONValue) -> [String] {
        Self.switches.compactMap(self.names.given).filter { value.isAbsent(at: $0) }
            .map { "'\($0)', mapped by 'fields', is missing: the mapping has no effect" }
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
        let words = FeedTexts(
            title: try value.words("title", self.names, in: self.language),
            message: try value.words("message", self.names, in: self.language),
            button: try value.words("button", self.names, in: self.language)
        )
        document.add(words, as: id, to: &members, in: self.language)
        document.rules.append(self.rule.rule(id, members))
    }

    /// Returns a version, and adds a note if it is unusual.
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

/// The last floor of a source, in the feed's memory.
enum StatedFloor {
    static let key = "minimum"
}

extension VersionText {
    /// Returns the version, unless the text is probably a build; adds a note if it is unusual.
    func checked(
        _ path: String,
        mappedBy key: String,
        before: AppVersion?,
        _ notes: inout [String]
    ) throws(FeedFailure) -> AppVersion {
        let hint = "map it with `fields: { \(key): \"\(path)\" }`"
        if let fault = self.fault(isNumber: false, before: before, hint: hint) {
            throw .content("'\(path)' \(fault)")
        }
        if let remark = self.remark(hint: hint) { notes.append("'\(path)' \(remark)") }
        return self.version
    }
}
