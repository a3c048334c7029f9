internal import GatePolicy

/// The meaning of a value of the database.
struct FirebaseDatabaseContent: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// One app's versions and where its update is.
        case version
        /// A rules file.
        case rules
    }

    static let fields: [(name: String, kind: SourceFields.Kind)] = [
        ("minVersion", .version), ("version", .version), ("storeUrl", .link), ("title", .words),
        ("message", .words), ("button", .words),
    ]
    /// Those of them that ask for something.
    private static let demands = ["minVersion", "version"]

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
    ///   - value: What is in the database.
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
            let hint = value == .null ? " at this 'path'" : ""
            throw .content("expected an object in the database, found \(value.found)\(hint)")
        }
        switch self.kind {
        case .version:
            let memory = try self.checkFields(of: value, after: last)
            return FeedValue(document: try self.version(value, id: id).text, memory: memory)
        case .rules:
            // The database does not keep empty lists.
            let rules = value["rules"] == nil ? [JSONValue.Member("rules", .list([]))] : []
            return FeedValue(document: JSONValue.object(rules + members).rendered + "\n")
        }
    }

    /// Looks for what is misspelt, and for what is gone: a text in the database may be empty, so that
    /// nobody has to remove a field to ask for nothing.
    private func checkFields(
        of value: JSONValue,
        after last: [String: String]
    ) throws(FeedFailure) -> [String: String] {
        let strangers = try SourceFields(self.names, Self.fields).check([value], after: last)
        let demands = Self.demands.map { self.names[$0] }
        guard demands.contains(where: { !value.isAbsent(at: $0) }) else {
            let names = demands.map { "'\($0)'" }.joined(separator: " nor ")
            throw .content("the object has neither \(names)")
        }
        let floor = self.names["minVersion"]
        return try SourceFields.checkFloor(
            floor,
            isAbsent: value.isAbsent(at: floor),
            after: last
        ).merging(strangers) { first, _ in first }
    }

    private func version(_ value: JSONValue, id: String) throws(FeedFailure) -> FeedDocument {
        var document = FeedDocument()
        var members: [JSONValue.Member] = []
        if let minimum = try value.version(at: self.names["minVersion"]) {
            members.append(.init("minimum", .text("\(minimum)")))
        }
        if let latest = try value.version(at: self.names["version"]) {
            members.append(.init("recommended", .text("\(latest)")))
        }
        guard !members.isEmpty else { return document }
        if let link = try value.text(at: self.names["storeUrl"]) {
            members.append(.init("storeUrl", .text(link)))
        }
        let words = FeedWords(
            title: try value.text(at: self.names["title"]),
            message: try value.text(at: self.names["message"]),
            button: try value.text(at: self.names["button"])
        )
        if let notice = words.notice(in: self.language) {
            document.notices.append(.init(id, notice))
            members.append(.init("notice", .text(id)))
        }
        document.rules.append(self.rule.rule(id, members))
        return document
    }
}
