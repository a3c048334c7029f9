extension RuleSet {
    /// Runs the tests of the rules file, and returns those that fail, in the order of the file.
    ///
    /// A test without a time must hold from now on: rules that are right today must not be refused
    /// by a restart some night.
    package func runTests(now: Timestamp) -> [RuleTestFailure] {
        self.definition.tests.compactMap { test in
            let message = test.at.map { self.unmet(test, at: $0) } ?? self.unmet(test, from: now)
            return message.map { RuleTestFailure(test: test.name, message: $0) }
        }
    }

    /// More changes than any rules file has dates.
    private static let changeLimit = 10_000

    private func unmet(_ test: RuleTest, from now: Timestamp) -> String? {
        if let message = self.unmet(test, at: now) { return message }
        var time = now
        for _ in 0..<Self.changeLimit {
            guard let change = self.outcome(of: test, at: time).decision.validUntil, change > time
            else { return nil }
            time = change
            if let message = self.unmet(test, at: time) {
                return "from \(time) on: \(message); say with 'at' which time is meant"
            }
        }
        return nil
    }

    private func unmet(_ test: RuleTest, at time: Timestamp) -> String? {
        let unmet = self.outcome(of: test, at: time).unmet(test.expectation)
        return unmet.isEmpty ? nil : unmet.joined(separator: "; ")
    }

    private func outcome(of test: RuleTest, at time: Timestamp) -> RuleTestOutcome {
        var claims = IdentityClaims()
        for field in test.headers { claims.addHeader(field.name.lowercased(), field.value) }
        let identity = self.identify(claims)
        let method = Array(test.method.utf8)
        let target = Array(test.path.utf8)
        let scope = self.scope(method: method.span, target: target.span)
        let decision = self.decide(identity, in: scope, at: time, address: test.address)
        let answer = self.answer(to: decision, for: identity, at: time)
        return RuleTestOutcome(decision: decision, status: answer?.status)
    }
}
