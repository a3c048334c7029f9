package import GatePolicy

/// The common part of all rules that a feed generates, such as `match`, a store URL and a notice.
package struct FeedRuleTemplate: Sendable, Equatable {
    /// The keys that the source provides, or that would change the kind of rule.
    private static let foreignKeys: Set<String> = [
        "id", "minimum", "minimumBuild", "minimumBuildOf", "recommended", "recommendedBuild",
        "blocked", "blockedBuilds", "maintenance", "route", "next", "accept",
    ]
    static let keys = RuleDecoder.keys.filter { !Self.foreignKeys.contains($0) }
    /// Placeholders for required keys that the source provides, so that the template can be decoded
    /// as a rule.
    private static let standIns = [
        ("id", "feed"), ("minimum", "0"), ("recommended", "0"), ("storeUrl", "https://a.example"),
    ]

    private let members: [JSONValue.Member]

    package static let empty = FeedRuleTemplate(members: [])
}

extension FeedRuleTemplate {
    /// Decodes `rule`; problems are reported at their location.
    package init(_ element: Element, _ problems: Problems) {
        guard Fields(element, Self.keys, problems) != nil,
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

    /// Returns the template restricted to platforms, unless it has platforms of its own.
    package func matching(_ platforms: [Platform]) -> FeedRuleTemplate {
        guard self.platforms == nil, !platforms.isEmpty else { return self }
        return self.narrowed(to: platforms)
    }

    /// Returns the template restricted to platforms, or unchanged if `platforms` is `nil`.
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

    /// The platforms of the rules; `nil` if the rules apply to all platforms.
    package var platforms: [Platform]? {
        guard let named = self.members.first(where: { $0.name == "match" })?.value["platform"]
        else { return nil }
        return (named.items ?? [named]).compactMap(\.text).map { Platform($0) }
    }

    /// Creates a maintenance rule for the same clients, in the same mode and without keys that depend on versions.
    package func maintenance(_ id: String, _ members: [JSONValue.Member]) -> JSONValue {
        let kept = self.members.filter { ["match", "mode"].contains($0.name) }
        return .object([.init("id", .text(id))] + kept + members)
    }

    /// The notices that the rules refer to.
    package var notices: Set<String> {
        let keys = ["notice", "recommendedNotice"]
        return Set(self.members.filter { keys.contains($0.name) }.compactMap(\.value.text))
    }

    /// Creates a rule from the template and from keys that override those in the template.
    ///
    /// Keys without effect, such as a status for a rule that only recommends, are omitted.
    package func rule(_ id: String, _ members: [JSONValue.Member]) -> JSONValue {
        let names = Set(members.map(\.name))
        let whole = self.members.filter { !names.contains($0.name) } + members
        let idle = RuleKeyCombinations.idleKeys(beside: whole.map(\.name))
        return .object([.init("id", .text(id))] + whole.filter { !idle.contains($0.name) })
    }
}
