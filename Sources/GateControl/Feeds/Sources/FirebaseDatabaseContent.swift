internal import GatePolicy

/// What a value of the database means.
struct FirebaseDatabaseContent: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// One app's versions and where its update is.
        case version
        /// A rules file.
        case rules
    }

    static let fields = ["minVersion", "version", "storeUrl", "title", "message", "button"]

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
    /// - Throws: `FeedFailure` if there is no value, or none that means something.
    func document(from value: JSONValue, id: String) throws(FeedFailure) -> String {
        guard case .object(let members) = value else {
            throw .content("expected an object in the database, found \(value.found)")
        }
        switch self.kind {
        case .version:
            return try self.version(value, id: id).text
        case .rules:
            // The database does not keep empty lists.
            let rules = value["rules"] == nil ? [JSONValue.Member("rules", .list([]))] : []
            return JSONValue.object(rules + members).rendered + "\n"
        }
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
