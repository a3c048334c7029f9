internal import GatePolicy
internal import GateRules

/// The interpretation of a JSON object from a source, such as a database value or a file.
struct ValueObject: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// The versions and the store URL of one app.
        case version
        /// A rules file.
        case rules
    }

    /// The default fields, which `fields` can map to other names.
    static let fields: [SourceFields.Named] = [
        ("minVersion", .version), ("version", .version), ("storeUrl", .link), ("title", .words),
        ("message", .words), ("button", .words),
    ]
    /// Additional default fields, which are not checked for misspellings, because objects often
    /// contain other numbers.
    private static let builds: [SourceFields.Named] = [
        ("minBuild", .build), ("latestBuild", .build),
    ]
    /// The fields that are read only if `fields` maps them.
    private static let named: [SourceFields.Named] =
        [(FeedSwitch.name, .toggle)] + SourceMaintenance.fields
        + [("blockedVersions", .version), ("blockedBuilds", .build)]
    /// The mapped fields that each suffice to make an object valid.
    private static let askingAlone = [
        SourceMaintenance.switchField, SourceMaintenance.fromField, "blockedVersions",
        "blockedBuilds",
    ]
    /// All names that `fields` may contain.
    static let known = (fields + builds + named).map(\.name)
    /// The names that can be mapped to one field for each language.
    static let localized = ["title", "message", "button"] + SourceMaintenance.localized

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

    /// Generates the rules file for a value, and the data to store for the next value.
    ///
    /// `last` is the data stored with the previous value.
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
                notes: document.notes + self.names.missingSwitches(isAbsent: value.isAbsent(at:))
                    + self.unread(in: members)
            )
        case .rules:
            // Firebase's database does not store empty lists.
            let rules = value["rules"] == nil ? [JSONValue.Member("rules", .list([]))] : []
            return FeedValue(document: JSONValue.object(rules + members).rendered + "\n")
        }
    }

    /// Throws if the object is only for platforms other than the platforms of the rule.
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
    /// A source that requires nothing can set a field to an empty string instead of removing it.
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
        return try SourceFields.check(
            floors: self.names.floors,
            switches: self.names.switches,
            after: last,
            isAbsent: value.isAbsent(at:)
        ).merging(strangers) { first, _ in first }
    }

    /// Returns the message for an object without requirements.
    ///
    /// Such an object often contains one object for each platform, which the message then suggests.
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

    private func unread(in members: [JSONValue.Member]) -> [String] {
        var fields: [JSONValue.Member] = []
        for member in members {
            fields.append(member)
            guard case .object(let children) = member.value else { continue }
            fields += children.map { .init("\(member.name).\($0.name)", $0.value) }
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
        demands.minimum = try value.version(
            at: self.names["minVersion"],
            mappedBy: "minBuild",
            before: before,
            &document.notes
        )
        demands.recommended = try value.version(
            at: self.names["version"],
            mappedBy: "latestBuild",
            before: before,
            &document.notes
        )
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
        try document.add(maintenance, id: id, like: self.rule, in: self.language)
        return document
    }

    private func add(
        _ demands: FeedDemands,
        of value: JSONValue,
        id: String,
        to document: inout FeedDocument
    ) throws(FeedFailure) {
        let members = demands.members
        guard !members.isEmpty else { return }
        let link = try value.text(at: self.names["storeUrl"])
        let words = FeedTexts(
            title: try value.words("title", self.names, in: self.language),
            message: try value.words("message", self.names, in: self.language),
            button: try value.words("button", self.names, in: self.language)
        )
        document.add(id, members, link: link, words, like: self.rule, in: self.language)
    }
}

/// The last floor of a source, stored in `FeedValue.memory`.
enum StatedFloor {
    static let key = "minimum"
}

/// Decodes the keys of a feed that describe the content of its source: `holds`, and the keys for
/// the interpretation of an object.
extension ValueObject {
    static let keys = ["holds", "language", "fields", "rule"]

    /// Creates the interpretation from the keys of a feed; `usual` is the default for `holds`.
    init(_ fields: Fields, usually usual: Kind, _ problems: Problems) {
        let kind = fields.choice("holds", of: Kind.self) ?? usual
        if kind == .rules {
            let reason =
                fields["holds"] == nil ? "without 'holds: version'" : "with 'holds: rules'"
            for key in Self.keys.dropFirst() { fields.refuse(key, "has no effect \(reason)") }
        }
        self.init(
            kind: kind,
            language: fields["language"].flatMap { $0.language(problems) } ?? .english,
            names: FieldNames(
                fields["fields"],
                known: Self.known,
                localized: Self.localized,
                problems
            ),
            rule: fields["rule"].map { FeedRuleTemplate($0, problems) } ?? .empty
        )
    }
}
