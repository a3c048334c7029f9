internal import GatePolicy

/// Finds denials that are too large for some gateways, if the gate serves gateways.
struct LargeDenialCheck {
    /// A size limit of a gateway in bytes, and the effect of exceeding it.
    private struct Limit {
        let bytes: Int
        let effect: String
    }

    /// The limits for a denial in a header field, in ascending order.
    private static let fieldLimits = [
        Limit(
            bytes: 4 << 10,
            effect: "nginx needs a 'proxy_buffer_size' above its default of 4 KB"
        ),
        Limit(bytes: 24 << 10, effect: "through nginx, clients get the denial without texts"),
    ]
    /// The limit for the body of a denial.
    private static let bodyLimit = Limit(
        bytes: 15 << 10,
        effect: "HAProxy needs a 'tune.bufsize' above its default of 16 KB"
    )

    let rules: LoadedRules

    func report(to findings: FindingCollector) {
        guard self.rules.gate.servesGateways else { return }
        for (index, rule) in self.rules.definition.rules.enumerated() where self.denies(rule) {
            guard let place = self.rules.places.rules[rule.id] else { continue }
            let size = self.rules.ruleSet.denialSize(ofRuleAt: index)
            var effects = Self.fieldLimits.filter { size.bytesAsField > $0.bytes }.map(\.effect)
            if size.bytes > Self.bodyLimit.bytes { effects.append(Self.bodyLimit.effect) }
            guard !effects.isEmpty else { continue }
            let language = size.language.map { " in the language '\($0)'" } ?? ""
            findings.report(
                .largeDenial,
                "the denial by '\(rule.id)' takes \(size.bytes) bytes\(language), "
                    + "and \(size.bytesAsField) bytes in a header field: "
                    + effects.joined(separator: "; "),
                at: place.id,
                rule: rule.id
            )
        }
    }

    private func denies(_ rule: RuleDefinition) -> Bool {
        rule.withNext.contains(where: \.hasFloor) || rule.maintenance != nil
    }
}
