package import GatePolicy

/// The differences between two rule sets, as text for people and as JSON for programs.
package struct DifferenceReport: Sendable {
    private let difference: RuleSetDifference

    package init(_ difference: RuleSetDifference) {
        self.difference = difference
    }
}

extension DifferenceReport: CustomStringConvertible {
    /// A summary, followed by a line for each group of clients, by period.
    package var description: String {
        var lines = [Self.summary(of: self.difference)]
        var known: [ComparedChange] = []
        for (index, period) in self.difference.periods.enumerated() {
            let begun = period.changes.filter { !known.contains($0) }
            let ended = known.filter { !period.changes.contains($0) }
            known = period.changes
            guard !begun.isEmpty || !ended.isEmpty else { continue }
            lines.append(index == 0 ? "now:" : "from \(period.from) on:")
            lines += begun.map { "  \(Self.line($0))" }
            lines += ended.map { "  no longer: \(Self.line($0))" }
        }
        return (lines + Self.remarks(on: self.difference)).joined(separator: "\n")
    }

    /// Returns remarks on the limits of the comparison.
    static func remarks(on difference: RuleSetDifference) -> [String] {
        [
            difference.readsOtherFields
                ? "'identity' has changed: clients may be identified differently" : nil,
            difference.notationsDiffer
                ? "'versionMatches' or 'buildMatches' has changed: differences in the format of "
                    + "versions and builds were not compared" : nil,
            difference.isSampled
                ? "the rules have too many conditions to try all combinations: only a sample was "
                    + "compared"
                : nil,
        ].compactMap(\.self)
    }

    /// Returns one line with the kinds of changes in all periods.
    static func summary(of difference: RuleSetDifference) -> String {
        let kinds = Set(difference.periods.flatMap(\.changes).map(\.kind))
        guard !kinds.isEmpty else {
            // An incomplete comparison cannot rule out other differences.
            return difference.isSampled || difference.notationsDiffer
                ? "no client that was compared gets a different decision"
                : "no client gets a different decision"
        }
        let words = ComparedChange.Kind.allCases.filter(kinds.contains).map(\.rawValue)
        return "clients are " + words.joined(separator: "; others are ")
    }

    /// The maximum number of names in a line of text; the JSON report contains all names.
    private static let nameLimit = 8

    /// Returns a share with up to two decimal places, rounded so that it is never 0 and never 100
    /// percent.
    static func percent(_ share: Double) -> String {
        let hundredths = min(max(Int((share * 10_000).rounded()), 1), 9_999)
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        if rest == 0 { return "\(whole)%" }
        return rest % 10 == 0
            ? "\(whole).\(rest / 10)%" : "\(whole).\(rest < 10 ? "0" : "")\(rest)%"
    }

    private static func who(_ change: ComparedChange) -> String {
        let parts = self.choices(of: change).compactMap { self.words($0.choice, $0.noun) }
        return parts.isEmpty ? "all clients" : parts.joined(separator: ", ")
    }

    /// Returns the attributes of the clients, each with its name in text and its key in JSON.
    private static func choices(
        of change: ComparedChange
    ) -> [(noun: String, key: Key, choice: ComparedChoice?)] {
        [
            ("platform", .platforms, change.platforms), ("app", .apps, change.apps),
            ("channel", .channels, change.channels), ("OS version", .osVersions, change.osVersions),
            ("build", .builds, change.builds), ("country", .countries, change.countries),
            ("storefront", .storefronts, change.storefronts),
            ("request", .requests, change.requests),
        ]
    }

    private static func words(_ choice: ComparedChoice?, _ noun: String) -> String? {
        switch choice {
        case nil: nil
        case .only(let values): self.words(values, noun)
        case .allBut(let values): "any \(noun) but \(self.words(values, noun))"
        }
    }

    private static func words(_ values: [String], _ noun: String) -> String {
        let names = values.filter { !["", "?", "*"].contains($0) }
        let rest = [
            values.contains("*") ? "any other \(noun)" : nil,
            values.contains("") ? "no \(noun)" : nil,
            values.contains("?") ? "an unreadable \(noun)" : nil,
        ].compactMap(\.self)
        let more = names.count - Self.nameLimit
        let shown = more > 0 ? names.prefix(Self.nameLimit) + ["\(more) more"] : names[...]
        let named = names.isEmpty ? [] : ["\(noun) \(shown.joined(separator: " or "))"]
        return (named + rest).joined(separator: " or ")
    }

    private static func versions(_ text: String) -> String {
        switch text {
        case "missing": "no version"
        case "unreadable": "an unreadable version"
        case "any version": text
        default: "version \(text)"
        }
    }

    private static func line(_ change: ComparedChange) -> String {
        let share = change.share < 1 ? ", \(self.percent(change.share)) of them" : ""
        return
            "\(self.who(change)), \(self.versions(change.versions))\(share): \(change.outcomeWords)"
    }
}

extension DifferenceReport: Encodable {
    private enum Key: String, CodingKey {
        case isDifferent, isSampled, periods, from, changes
        case apps, platforms, channels, osVersions, builds, countries, storefronts, requests,
            versions, share, kind
        case before, after, decision, rule, status, storeUrl, isBrownout, only, allBut
        case route, backend, otherwise
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(!self.difference.isEmpty, forKey: .isDifferent)
        try container.encode(self.difference.isSampled, forKey: .isSampled)
        var periods = container.nestedUnkeyedContainer(forKey: .periods)
        for period in self.difference.periods {
            var item = periods.nestedContainer(keyedBy: Key.self)
            try item.encode("\(period.from)", forKey: .from)
            var changes = item.nestedUnkeyedContainer(forKey: .changes)
            for change in period.changes {
                var item = changes.nestedContainer(keyedBy: Key.self)
                try Self.encode(change, to: &item)
            }
        }
    }

    private static func encode(
        _ change: ComparedChange,
        to item: inout KeyedEncodingContainer<Key>
    ) throws {
        try item.encode(change.kind, forKey: .kind)
        for (_, key, choice) in self.choices(of: change) {
            guard let choice else { continue }
            var part = item.nestedContainer(keyedBy: Key.self, forKey: key)
            switch choice {
            case .only(let values): try part.encode(values, forKey: .only)
            case .allBut(let values): try part.encode(values, forKey: .allBut)
            }
        }
        try item.encode(change.versions, forKey: .versions)
        try item.encode(change.share, forKey: .share)
        for (key, outcome) in [(Key.before, change.before), (.after, change.after)] {
            var part = item.nestedContainer(keyedBy: Key.self, forKey: key)
            try part.encode(outcome.kind.rawValue, forKey: .decision)
            try part.encodeIfPresent(outcome.rule, forKey: .rule)
            try part.encodeIfPresent(outcome.status, forKey: .status)
            try part.encodeIfPresent(outcome.storeURL, forKey: .storeUrl)
            if outcome.isBrownout { try part.encode(true, forKey: .isBrownout) }
            guard let route = outcome.route else { continue }
            var item = part.nestedContainer(keyedBy: Key.self, forKey: .route)
            try item.encode(route.ruleID, forKey: .rule)
            try item.encode(route.backend, forKey: .backend)
            try item.encode(route.fallback.rawValue, forKey: .otherwise)
        }
    }
}
