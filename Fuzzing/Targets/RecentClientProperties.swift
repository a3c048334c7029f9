import GateFeeds
import GatePolicy
import GateProxy
import GateRules
import GateWire

/// Properties of a recent client and another client.
///
/// If the other client matches the recent one, both get the same decision and the same texts.
///
/// As for `ClientClassProperties`, the input consists of lines with header fields by number. The other client has the
/// first line instead of the second, or both, or neither. If the number of lines is even, the rules depend on few
/// fields.
struct RecentClientProperties {
    private struct Gate {
        let rules: RuleSet
        let table: FieldNameTable

        init?(_ text: String) {
            let source = (name: "rules.yaml", text: text)
            guard
                let loaded = try? RulesFileLoader.load(
                    sources: [source],
                    feedKinds: .all,
                    now: { Self.now }
                )
            else { return nil }
            self.rules = loaded.ruleSet
            self.table = .request(identityHeaderNames: self.rules.identityHeaderNames)
        }

        static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    }

    private static let notices = """
        notices:
          n: { en: { title: t, message: "{currentVersion}" },
               ja: { title: j, message: "{currentVersion}" } }
        """
    private static let fewRules = Gate(
        """
        rules:
          - { id: floor, match: { platform: ios }, minimum: "4.0", recommended: 4.2.0, notice: n,
              storeUrl: "https://a.example" }
        """ + "\n" + notices
    )
    private static let manyRules = Gate(
        """
        rules:
          - { id: floor, match: { platform: [ios, my_os] }, minimum: "4.0", recommended: 4.2.0,
              blocked: [4.1.x, ">=4.3.1 <4.3.5"], requiresOS: ">=15.2", notice: n,
              storeUrl: { default: "https://a.example", beta: "https://b.example",
                          countries: { kr: "https://k.example" } } }
          - { id: strict, match: { app: com.example.a }, minimum: 4.3.0, prerelease: strict,
              storeUrl: "https://a.example" }
          - { id: builds, match: { channel: fdroid }, minimumBuild: 900,
              storeUrl: "https://a.example" }
        """ + "\n" + notices
    )

    private let gate: Gate?
    /// The header fields by number, with their values.
    private let lines: [(name: UInt8, value: [UInt8])]

    init(_ input: [UInt8]) {
        self.lines = input.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let name = line.first else { return nil }
            return (name, line.dropFirst().filter { $0 >= 0x20 && $0 != 0x7F })
        }
        self.gate = self.lines.count % 2 == 0 ? Self.fewRules : Self.manyRules
    }

    func check() throws(Finding) {
        guard let gate = self.gate, let classes = gate.rules.clientClasses else {
            throw Finding("the rules of this target do not load")
        }
        guard self.lines.count > 1 else { return }
        let known = Array(self.lines.dropFirst())
        // Only verdicts for classes are cached.
        guard let member = Self.member(known, gate, classes) else { return }
        var recent = RecentClients(capacity: 2)
        recent.serve(classes)
        Self.describe(known, gate, &recent)
        // A client is cached when it returns.
        for _ in 0..<2 {
            recent.keep(Verdict(decision: .preflight), in: .unrestricted)
        }
        for new in [
            [self.lines[0]] + self.lines.dropFirst(2), self.lines, Array(self.lines.dropFirst(2)),
            known + [self.lines[0]],
        ] {
            Self.describe(new, gate, &recent)
            guard recent.verdict(in: .unrestricted) != nil else { continue }
            try expect(
                Self.member(new, gate, classes),
                is: member,
                "a client in another class is found"
            )
            try expect(Self.effect(new, gate), is: Self.effect(known, gate), "another is found")
        }
    }

    private static func index(_ name: UInt8, _ rules: RuleSet) -> Int {
        Int(name &- UInt8(ascii: "0")) % rules.identityHeaderNames.count
    }

    /// Describes a client by its lines in a head.
    private static func describe(
        _ lines: [(name: UInt8, value: [UInt8])],
        _ gate: Gate,
        _ recent: inout RecentClients
    ) {
        var text = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8)
        for line in lines {
            text += gate.rules.identityHeaderNames[Self.index(line.name, gate.rules)].utf8
            text += Array(": ".utf8) + line.value + Array("\r\n".utf8)
        }
        text += Array("\r\n".utf8)
        var parser = RequestHeadParser()
        // A head that is too long is rejected.
        guard parser.parse(text.span, table: gate.table) == .complete else {
            return recent.clearKey()
        }
        recent.describe(parser.head, in: text.span, form: .document, scope: .unrestricted)
    }

    private static func trimmed(_ value: [UInt8]) -> [UInt8] {
        let text = value.drop { $0 == 0x20 }
        return Array(text[..<(text.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? text.startIndex)])
    }

    /// Returns the key of the client's class; `nil` if it has none.
    private static func member(
        _ lines: [(name: UInt8, value: [UInt8])],
        _ gate: Gate,
        _ classes: ClientClasses
    ) -> [UInt8]? {
        var key: [UInt8] = []
        var told = ClientClasses.Told()
        for line in lines {
            let value = Self.trimmed(line.value)
            let index = Self.index(line.name, gate.rules)
            guard classes.tell(header: index, value.span, to: &key, &told) else { return nil }
        }
        return classes.isComplete(told) ? key : nil
    }

    /// The decision about a client, and its response.
    private struct Effect: Equatable {
        let decision: Decision
        let answer: Answer?
    }

    private static func effect(_ lines: [(name: UInt8, value: [UInt8])], _ gate: Gate) -> Effect {
        var claims = gate.rules.noClaims
        for line in lines {
            let value = Self.trimmed(line.value)
            claims.addHeader(at: Self.index(line.name, gate.rules), value.span)
        }
        let identity = gate.rules.identify(claims)
        let decision = gate.rules.decide(
            identity,
            in: .unrestricted,
            at: Gate.now,
            address: nil
        )
        let answer = gate.rules.answer(to: decision, for: identity, as: .document, at: Gate.now)
        return Effect(decision: decision, answer: answer)
    }
}
