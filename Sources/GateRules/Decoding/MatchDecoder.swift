internal import GatePolicy

/// Decodes `match`: the clients and requests that a rule applies to.
struct MatchDecoder {
    static let keys = ["app", "platform", "channel", "osVersion", "path", "method"]

    let problems: Problems

    func decode(_ element: Element) -> RuleMatch? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        return RuleMatch(
            apps: fields["app"]?.oneOrMore(self.problems)
                .compactMap { $0.appPattern(self.problems) },
            platforms: self.names(fields["platform"], .platform)?.map { Platform($0) },
            channels: self.names(fields["channel"], .channel),
            osVersions: fields["osVersion"].map { self.ranges($0) },
            requests: RequestDecoder(problems: self.problems).decode(fields)
        )
    }

    /// Decodes one version range, or a list of alternative ranges.
    func ranges(_ element: Element) -> [VersionRange] {
        element.oneOrMore(self.problems).compactMap { item in
            item.parsed(
                as: "a version range",
                self.problems,
                hint: RangeSpelling.hint(for:),
                by: VersionRange.init(parsing:)
            )
        }
    }

    private func names(_ element: Element?, _ kind: ClientName.Kind) -> [String]? {
        element?.oneOrMore(self.problems).compactMap { $0.clientName(kind, self.problems) }
    }
}
