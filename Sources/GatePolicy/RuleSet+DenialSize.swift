extension RuleSet {
    /// The size in bytes of the content of a denial, in the language in which the content is
    /// largest.
    package struct DenialSize: Sendable, Equatable {
        package let bytes: Int
        /// The size in bytes of the content as one line of ASCII JSON (see `/decide/nginx`).
        package let bytesAsField: Int
        /// The language in which the content is largest.
        package let language: LanguageTag?
    }

    /// Returns the size in bytes of the content of a rule's denial, excluding the parts that depend
    /// on the client.
    ///
    /// `place` is the index of the rule in the definition.
    package func denialSize(ofRuleAt place: Int) -> DenialSize {
        let rule = self.definition.rules[place]
        let texts = rule.notice.flatMap { self.definition.notices[$0]?.texts } ?? [:]
        let languages = texts.isEmpty ? [self.definition.defaultLanguage] : Array(texts.keys)
        let sizes = languages.map { self.denialSize(of: rule, at: place, in: $0) }
        return sizes.max { $0.bytesAsField < $1.bytesAsField }
            ?? DenialSize(bytes: 0, bytesAsField: 0, language: nil)
    }

    private func denialSize(
        of rule: RuleDefinition,
        at place: Int,
        in language: LanguageTag
    ) -> DenialSize {
        let identity = ClientIdentity(languages: [language.description])
        let decision = Decision(
            kind: rule.maintenance == nil ? .require : .maintenance,
            reason: .belowMinimum,
            ruleID: rule.id,
            ruleIndex: place,
            upgrade: UpgradeTerms(rule, Ruling(), for: identity)
        )
        let answer = self.responder.answer(to: decision, for: identity, as: .document)
        let body = answer?.body ?? []
        let units = String(decoding: body, as: UTF8.self).utf16
        // Each UTF-16 code unit beyond ASCII is written as `\u` and four hexadecimal digits.
        let field = units.reduce(0) { $0 + ($1 < 0x80 ? 1 : 6) }
        return DenialSize(bytes: body.count, bytesAsField: field, language: language)
    }
}
