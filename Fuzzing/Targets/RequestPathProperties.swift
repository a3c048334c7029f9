import GatePolicy

/// Properties that must hold of any request target among any path patterns.
///
/// The first line is the target, every other one a pattern: `/a/**`, or `POST /a/**`.
struct RequestPathProperties {
    private let target: [UInt8]
    private let patterns: [ReferencePattern]

    init(_ input: [UInt8]) {
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
        self.target = Array(lines[0])
        self.patterns = lines.dropFirst().prefix(8).compactMap { ReferencePattern($0) }
    }

    func check() throws(Finding) {
        try self.checkRules()
        try self.checkExemptions()
    }

    private static let methods = ["GET", "post"]

    /// A rule speaks if a backend could read the target as its path, and not otherwise.
    private func checkRules() throws(Finding) {
        let rules = self.patterns.enumerated().map { index, pattern in
            RuleDefinition(
                id: String(index),
                match: RuleMatch(requests: [pattern.pattern]),
                minimum: try? AppVersion(parsing: "2"),
                mode: .observe
            )
        }
        let set = RuleSet(RuleSetDefinition(revision: "1", rules: rules))
        let readings = ReferencePath.readings(of: self.target)
        let choices = ReferencePath.choices(of: self.target)
        let isTooMuch = choices > 128 || choices * self.target.count > 32 * 1024
        for method in Self.methods {
            let found = self.observed(by: set, method)
            let expected = self.patterns.indices.filter { index in
                readings.contains { self.patterns[index].matchesLeniently($0, method) }
            }
            // A target with so many ambiguities is everything that it could be.
            if isTooMuch, found.count == self.patterns.count { continue }
            try expect(found, is: expected, "rules for \(method) \(self.text)")
        }
    }

    private func observed(by rules: RuleSet, _ method: String) -> [Int] {
        let old = ClientIdentity(
            version: (try? AppVersion(parsing: "1")).map { .stated($0) } ?? .missing
        )
        let decision = rules.decide(
            old,
            in: rules.scope(method: Array(method.utf8).span, target: self.target.span),
            at: Timestamp(secondsSinceEpoch: 0),
            address: nil
        )
        return decision.observed.compactMap { $0.ruleID.flatMap { Int($0) } }
    }

    /// An exemption is its path, and nothing that could be read as another.
    private func checkExemptions() throws(Finding) {
        let exact = ReferencePath.exact(self.target)
        // Beyond ASCII, more is refused than the reference knows: what some take for another character.
        let mayBeRefused =
            exact?.joined().contains { unit in
                if case .encoded(0x80...) = unit { true } else { false }
            } ?? false
        for pattern in self.patterns {
            let set = RuleSet(RuleSetDefinition(revision: "1", exemptions: [pattern.pattern]))
            for method in Self.methods {
                let scope = set.scope(method: Array(method.utf8).span, target: self.target.span)
                let expected = exact.map { pattern.matchesExactly($0, method) } ?? false
                if mayBeRefused, !scope.isExempt { continue }
                try expect(
                    scope.isExempt,
                    is: expected,
                    "\(pattern.text) for \(method) \(self.text)"
                )
            }
        }
    }

    private var text: String { String(reflecting: String(decoding: self.target, as: UTF8.self)) }
}
