internal import GatePolicy

/// Reads `match`: whom a rule is for.
struct MatchDecoder {
    static let keys = ["app", "platform", "channel", "osVersion", "path", "method"]

    let problems: Problems

    func decode(_ element: Element) -> RuleMatch? {
        let fields = Fields(element, keys: Self.keys, problems: self.problems)
        guard let fields else { return nil }
        return RuleMatch(
            apps: self.texts(fields["app"], "an app identifier"),
            platforms: self.texts(fields["platform"], "a platform")?.map { Platform($0) },
            channels: self.texts(fields["channel"], "a channel"),
            osVersions: fields["osVersion"].map { self.ranges($0) },
            requests: RequestDecoder(problems: self.problems).decode(fields)
        )
    }

    /// One version range, or a list of which one is enough.
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

    private func texts(_ element: Element?, _ expected: String) -> [String]? {
        element?.oneOrMore(self.problems).compactMap { $0.text(expected, self.problems) }
    }
}
