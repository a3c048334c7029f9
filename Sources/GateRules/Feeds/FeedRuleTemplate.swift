package import GatePolicy

/// The common part of every rule of a feed, besides what its source says: `match`, a link, a
/// notice.
package struct FeedRuleTemplate: Sendable, Equatable {
    /// The keys that are for the source to say, or that would make another rule of it.
    private static let foreignKeys: Set<String> = [
        "id", "minimum", "minimumBuild", "minimumBuildOf", "recommended", "recommendedBuild",
        "blocked", "blockedBuilds", "maintenance", "next", "accept",
    ]
    static let keys = RuleDecoder.keys.filter { !Self.foreignKeys.contains($0) }
    /// Values for keys that a rule needs and the source will state, so that the rest can be read as
    /// a rule.
    private static let standIns = [
        ("id", "feed"), ("minimum", "0"), ("recommended", "0"), ("storeUrl", "https://a.example"),
    ]

    private let members: [JSONValue.Member]

    package static let empty = FeedRuleTemplate(members: [])

    private init(members: [JSONValue.Member]) {
        self.members = members
    }

    /// Reads `rule`; everything that would be wrong in a rule is reported in its place.
    package init(_ element: Element, _ problems: Problems) {
        guard Fields(element, keys: Self.keys, problems: problems) != nil,
            case .mapping(let entries) = element.content
        else {
            self.members = []
            return
        }
        let added = Self.standIns.filter { name, _ in !entries.contains { $0.key == name } }
            .map { name, text in
                let value = Element(content: .text(text), place: element.place)
                return Element.Entry(key: name, place: element.place, value: value)
            }
        let known = entries.filter { Self.keys.contains($0.key) }
        let whole = Element(content: .mapping(added + known), place: element.place)
        _ = RuleDecoder(problems: problems).decode(whole)
        self.members = known.map { JSONValue.Member($0.key, JSONValue($0.value)) }
    }

    /// The same for these platforms, unless it says for which.
    package func matching(_ platforms: [Platform]) -> FeedRuleTemplate {
        guard self.platforms == nil, !platforms.isEmpty else { return self }
        return self.narrowed(to: platforms)
    }

    /// The same for these platforms alone; `nil` changes nothing.
    package func narrowed(to platforms: [Platform]?) -> FeedRuleTemplate {
        guard let platforms else { return self }
        let match = self.members.first { $0.name == "match" }?.value
        var parts: [JSONValue.Member] = []
        if case .object(let members)? = match { parts = members.filter { $0.name != "platform" } }
        let names = platforms.map { JSONValue.text($0.name) }
        parts.append(.init("platform", names.count == 1 ? names[0] : .list(names)))
        let others = self.members.filter { $0.name != "match" }
        return FeedRuleTemplate(members: [.init("match", .object(parts))] + others)
    }

    /// The platforms that its rules are for; `nil` for every platform.
    package var platforms: [Platform]? {
        guard let named = self.members.first(where: { $0.name == "match" })?.value["platform"]
        else { return nil }
        return (named.items ?? [named]).compactMap(\.text).map { Platform($0) }
    }

    /// The rule of a maintenance: for the same clients, in the same mode, and with nothing that acts on
    /// versions.
    package func maintenance(_ id: String, _ members: [JSONValue.Member]) -> JSONValue {
        let kept = self.members.filter { ["match", "mode"].contains($0.name) }
        return .object([.init("id", .text(id))] + kept + members)
    }

    /// The notices that its rules name.
    package var notices: Set<String> {
        let keys = ["notice", "recommendedNotice"]
        return Set(self.members.filter { keys.contains($0.name) }.compactMap(\.value.text))
    }

    /// A rule with these keys, which go before those of the template.
    ///
    /// A key that has nothing to act on, such as a status beside a recommendation alone, is left
    /// out.
    package func rule(_ id: String, _ members: [JSONValue.Member]) -> JSONValue {
        let names = Set(members.map(\.name))
        let whole = self.members.filter { !names.contains($0.name) } + members
        let idle = RuleDemands.idleKeys(beside: whole.map(\.name))
        return .object([.init("id", .text(id))] + whole.filter { !idle.contains($0.name) })
    }
}
