import GateFeeds
import GatePolicy
import GateRules

/// Properties of any two texts as rules files, of which the second replaces the first: every weakened decision is
/// reported.
enum RulesChangeProperties {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    /// The line between the two files.
    private static let separator = "\n=====\n"
    /// Findings that report that previously denied clients now pass.
    private static let loud: Set<FindingName> = [
        .laxer, .identityChanged, .observing, .openGate, .planOpens,
    ]

    static func check(_ input: [UInt8]) throws(Finding) {
        let texts = String(decoding: input, as: UTF8.self).split(
            separator: Self.separator,
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard texts.count == 2, let old = Self.load(texts[0]), let new = Self.load(texts[1]) else {
            return
        }
        let itself = RulesFindings(old, against: old, at: Self.now)
        try expect(
            !itself.all.contains { $0.name == .laxer || $0.name == .planOpens },
            "rules that replace themselves open: \(itself.all)"
        )
        let names = Set(RulesFindings(new, against: old, at: Self.now).all.map(\.name))
        guard Self.loud.isDisjoint(with: names) else { return }
        for client in Self.clients(of: old) + Self.clients(of: new) {
            let before = Self.decision(on: client, by: old.ruleSet)
            // Only brownouts and maintenance windows end without a change to the file.
            guard before.kind == .require, before.brownout == nil else { continue }
            let after = Self.decision(on: client, by: new.ruleSet)
            try expect(after.kind >= .require, "\(client.version) passes in silence")
        }
    }

    private static func load(_ text: Substring) -> LoadedRules? {
        try? RulesFileLoader.load(
            sources: [("rules.yaml", String(text))],
            feedKinds: .all,
            now: { Self.now }
        )
    }

    /// Returns clients at the floors of every rule, on the paths in the seeds of this target.
    private static func clients(of rules: LoadedRules) -> [ClientIdentity] {
        rules.ruleSet.definition.rulesWithNext.prefix(16).flatMap { rule in
            let floors = [rule.minimum, rule.recommended, try? AppVersion(parsing: "1.0")]
            return floors.compactMap(\.self).map { version in
                ClientIdentity(
                    app: rule.match.apps?.first.map { .stated($0.example) } ?? .missing,
                    platform: rule.match.platforms?.first.map { .stated($0) } ?? .missing,
                    version: .stated(version),
                    build: rule.minimumBuild.map { .stated($0) } ?? .missing,
                    channel: rule.match.channels?.first.map { .stated($0.lowercased()) } ?? .missing
                )
            }
        }
    }

    private static func decision(on client: ClientIdentity, by rules: RuleSet) -> Decision {
        let (method, target) = (Array("GET".utf8), Array("/v2/orders/1".utf8))
        let scope = rules.scope(method: method.span, target: target.span)
        return rules.decide(client, in: scope, at: Self.now, address: "192.0.2.1")
    }
}
