import GateFeeds
import GatePolicy
import GateRules

/// Properties of two clients that differ in one header line.
///
/// If they are in the same class, they get the same decision with the same effects.
///
/// Each line of the input is a header field, with the field's number in the first byte and then its value. For the
/// other client, the first line replaces the second one.
struct ClientClassProperties {
    private static let rules = """
        rules:
          - { id: floor, match: { platform: [ios, my_os] }, minimum: "4.0", recommended: 4.2.0,
              blocked: [4.1.x, ">=4.3.1 <4.3.5", 5.0.0-rc.1], requiresOS: ">=15.2",
              storeUrl: { default: "https://a.example", beta: "https://b.example" } }
          - { id: strict, match: { app: com.example.a }, minimum: 4.3.0, prerelease: strict,
              storeUrl: "https://a.example" }
          - { id: builds, match: { channel: fdroid }, minimumBuild: 900,
              storeUrl: "https://a.example" }
          - { id: build-of, match: { app: b }, minimumBuild: 17, minimumBuildOf: 4.2.0,
              storeUrl: "https://a.example" }
          - { id: bad-builds, blockedBuilds: [41, ">=1000 <1010", { version: 4.2.x, build: ">=70" }],
              storeUrl: "https://a.example" }
          - { id: systems, match: { osVersion: "<12.1" }, minimum: "4.1",
              storeUrl: "https://a.example" }
          - { id: watched, mode: observe, minimum: "6", storeUrl: "https://a.example" }
        """
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    private static let ruleSet = try? RulesFileLoader.load(
        sources: [(name: "rules.yaml", text: Self.rules)],
        feedKinds: .all,
        now: { Self.now }
    ).ruleSet

    /// A header field, with its value as in the head.
    private struct Line {
        let name: UInt8
        let value: [UInt8]
    }

    private let lines: [Line]

    init(_ input: [UInt8]) {
        self.lines = input.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let name = line.first else { return nil }
            // A valid head does not contain other bytes.
            let value = line.dropFirst().filter { $0 >= 0x20 && $0 != 0x7F }
            let text = value.drop { $0 == 0x20 }
            let end = text.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? text.startIndex
            return Line(name: name, value: Array(text[..<end]))
        }
    }

    func check() throws(Finding) {
        guard let rules = Self.ruleSet, let classes = rules.clientClasses else {
            throw Finding("the rules of this target do not load")
        }
        guard self.lines.count > 1 else { return }
        let clients = [
            Array(self.lines.dropFirst()), [self.lines[0]] + self.lines.dropFirst(2),
        ]
        let members = clients.map { Self.member($0, rules, classes) }
        guard let key = members[0]?.key, key == members[1]?.key else { return }
        let all = clients.map { Self.claims($0, rules) }
        let identities = all.map(rules.identify)
        let decisions = identities.map {
            rules.decide($0, in: .unrestricted, at: Self.now, address: nil)
        }
        try expect(
            decisions[0],
            is: decisions[1],
            "two clients in one class get different decisions"
        )
        for (index, identity) in identities.enumerated() {
            let upstream = rules.upstreamIdentity(all[index], identity)
            let own = Self.words(clients[index], members[index]?.told, rules, classes)
            try expect(upstream.add, is: own.added, "the class adds other fields for the backend")
            let others = rules.upstreamIdentity(all[1 - index], identities[1 - index])
            try expect(
                upstream.drop,
                is: others.drop,
                "other fields are dropped for the second client"
            )
            let shown = ClientIdentity(
                app: identity.app,
                platform: identity.platform,
                version: identity.version,
                build: identity.build
            )
            try expect(own.identity, is: shown, "the log would show another client")
            let text = identity.version.value?.description
            try expect(own.version, is: text, "the denial contains another version")
        }
        // The languages determine the texts.
        guard
            rules.answerKey(languages: Self.languages(clients[0], rules, classes))
                == rules.answerKey(languages: Self.languages(clients[1], rules, classes))
        else { return }
        let answers = zip(decisions, identities).map { decision, identity in
            rules.answer(to: decision, for: identity, as: .document, at: Self.now, versionAs: "X")
        }
        try expect(answers[0], is: answers[1], "two clients in one class get different denials")
    }

    private static func index(_ line: Line, _ rules: RuleSet) -> Int {
        Int(line.name &- UInt8(ascii: "0")) % rules.identityHeaderNames.count
    }

    /// Returns the key and the collected values of the client's class; `nil` if it has none.
    private static func member(
        _ lines: [Line],
        _ rules: RuleSet,
        _ classes: ClientClasses
    ) -> (key: [UInt8], told: ClientClasses.Told)? {
        var key: [UInt8] = []
        var told = ClientClasses.Told()
        for line in lines {
            let value = line.value
            guard classes.tell(header: Self.index(line, rules), value.span, to: &key, &told)
            else { return nil }
        }
        return classes.isComplete(told) ? (key, told) : nil
    }

    /// Returns the client-specific texts of a client with a class.
    private static func words(
        _ lines: [Line],
        _ told: ClientClasses.Told?,
        _ rules: RuleSet,
        _ classes: ClientClasses
    ) -> (added: [HeaderField], version: String?, identity: ClientIdentity) {
        var added: [HeaderField] = []
        var version: String?
        var identity = ClientIdentity()
        for line in lines {
            guard let part = classes.parts[Self.index(line, rules)] else { continue }
            let value = line.value
            classes.read(part, value.span, into: &identity)
            guard part == .version, let told else { continue }
            added =
                classes.fields(added: told, inVersion: 0..<value.count, of: value.span)?.fields(
                    in: value.span
                ) ?? []
            version = ClientClasses.withVersion(in: value.span) { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
        }
        return (added, version, identity)
    }

    private static func claims(_ lines: [Line], _ rules: RuleSet) -> IdentityClaims {
        var claims = rules.noClaims
        for line in lines {
            let value = line.value
            claims.addHeader(at: Self.index(line, rules), value.span)
        }
        return claims
    }

    private static func languages(
        _ lines: [Line],
        _ rules: RuleSet,
        _ classes: ClientClasses
    ) -> [String] {
        lines.filter { classes.parts[Self.index($0, rules)] == .languages }
            .map { String(decoding: $0.value, as: UTF8.self) }
    }
}
