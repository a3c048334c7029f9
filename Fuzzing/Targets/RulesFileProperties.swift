import GateFeeds
import GatePolicy
import GateRules

/// Properties of any text as a rules file.
enum RulesFileProperties {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    static func check(_ input: [UInt8]) throws(Finding) {
        let text = String(decoding: input, as: UTF8.self)
        let rules: LoadedRules
        do throws(RulesFileErrors) {
            rules = try Self.load(text)
        } catch {
            return try self.checkErrors(error.errors, in: text)
        }
        let again = try? Self.load(text)
        try expect(again?.definition == rules.definition, "different rules the second time")
        for warning in RulesFindings(rules, at: Self.now).all {
            try expect(!"\(warning)".isEmpty, "a warning without words")
        }
        try self.checkDecisions(rules.ruleSet)
    }

    private static func load(_ text: String) throws(RulesFileErrors) -> LoadedRules {
        try RulesFileLoader.load(
            sources: [("rules.yaml", text)],
            feedKinds: .all,
            now: { Self.now }
        )
    }

    /// Checks that every error is one line, with a location that exists in the file.
    private static func checkErrors(_ errors: [RulesFileError], in text: String) throws(Finding) {
        try expect(!errors.isEmpty, "refused without a reason")
        let lines = text.split(
            separator: /\r\n|[\n\r\u{85}\u{2028}\u{2029}]/,
            omittingEmptySubsequences: false
        )
        var last = (1, 1)
        for error in errors {
            try expect(error.file, is: "rules.yaml", "the file of \(error)")
            try expect(
                (1...(lines.count + 1)).contains(error.line) && error.column >= 1,
                "there is no location \(error) in \(lines.count) lines"
            )
            try expect(
                !error.message.isEmpty
                    && error.message.unicodeScalars.allSatisfy {
                        $0.properties.generalCategory != .control
                    },
                "the words of \(error)"
            )
            try expect((error.line, error.column) >= last, "the order of the errors at \(error)")
            last = (error.line, error.column)
        }
    }

    /// Checks that loaded rules result in a decision for every client.
    private static func checkDecisions(_ rules: RuleSet) throws(Finding) {
        for version in [nil, "0", "1.0.0-rc.1", "3.4.9", "99999999999999999999"] {
            for platform in ["ios", "android", ""] {
                let target = Array("/v2/orders?\(platform)".utf8)
                var claims = rules.noClaims
                claims.addHeader("x-app-platform", platform)
                if let version { claims.addHeader("x-app-version", version) }
                let identity = rules.identify(claims)
                _ = rules.upstreamIdentity(claims, identity)
                let decision = rules.decide(
                    identity,
                    in: rules.scope(method: Array("GET".utf8).span, target: target.span),
                    at: Self.now,
                    address: "192.0.2.1"
                )
                let answer = rules.answer(to: decision, for: identity, at: Self.now)
                try expect(
                    (answer != nil),
                    is: decision.kind >= .require,
                    "an answer to \(decision.kind)"
                )
                try self.checkLines((answer?.fields ?? []) + rules.hint(for: decision))
            }
        }
    }

    /// Checks that no value from a rules file can end a header line.
    private static func checkLines(_ fields: [HeaderField]) throws(Finding) {
        for field in fields {
            let bytes = Array(field.value.utf8)
            try expect(
                bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 },
                "\(field.name) has a control character"
            )
        }
    }
}
