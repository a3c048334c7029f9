extension RuleSet {
    /// Runs the tests in the rules file, and returns the failures in the order of the file.
    package func runTests(now: Timestamp) -> [RuleTestFailure] {
        self.definition.tests.compactMap { self.run($0, now: now) }
    }

    /// Runs one test, and returns the failure, or `nil` if the expectation is met.
    ///
    /// A test without a time must pass at all times from `now`, because a restart at a later time must
    /// not reject rules that are accepted now. Such a test ignores maintenance windows, unless its
    /// expectation involves maintenance.
    package func run(_ test: RuleTest, now: Timestamp) -> RuleTestFailure? {
        if let time = test.at { return self.failure(of: test, at: time, from: nil) }
        if let failure = self.failure(of: test, at: now, from: nil) { return failure }
        var time = now
        for _ in 0..<Self.changeLimit {
            guard let change = self.outcome(of: test, at: time).decision.validUntil, change > time
            else { return nil }
            time = change
            if let failure = self.failure(of: test, at: time, from: time) { return failure }
        }
        return nil
    }

    /// The maximum number of times at which a test is run.
    ///
    /// In practice, no rules file contains this many dates.
    private static let changeLimit = 10_000

    private func failure(
        of test: RuleTest,
        at time: Timestamp,
        from: Timestamp?
    ) -> RuleTestFailure? {
        let outcome = self.outcome(of: test, at: time)
        let differences = outcome.unmet(test.expectation)
        guard !differences.isEmpty else { return nil }
        return RuleTestFailure(
            test: test.name,
            differences: differences,
            reason: outcome.decision.reason.description,
            from: from,
            isLaxer: test.expectation.demandsDenial && outcome.decision.kind < .require
        )
    }

    private func outcome(of test: RuleTest, at time: Timestamp) -> RuleTestOutcome {
        if test.isPreflight { return RuleTestOutcome(decision: .preflight, status: nil) }
        var claims = self.noClaims
        for field in test.headers { claims.addHeader(field.name.lowercased(), field.value) }
        if test.isHandshake {
            let target = test.path.utf8Span.span
            claims.addQuery(QueryParameters(ofTarget: target, named: self.identityQueryNames))
        }
        let identity = self.identify(claims)
        let scope = self.scope(method: Array(test.method.utf8), target: Array(test.path.utf8))
        let decision = self.judge.decide(
            identity,
            in: scope,
            at: time,
            address: test.address,
            ignoresMaintenance: test.at == nil && !self.expectsMaintenance(test.expectation)
        )
        let answer = self.answer(to: decision, for: identity, at: time)
        return RuleTestOutcome(decision: decision, status: answer?.status)
    }

    /// Whether the expectation requires or accepts the `maintenance` decision.
    private func expectsMaintenance(_ expectation: RuleExpectation) -> Bool {
        if expectation.decisions.contains(.maintenance) || expectation.status == 503 { return true }
        let named = [expectation.rule].compactMap(\.self) + (expectation.observed ?? [])
        guard expectation.status != nil || !named.isEmpty else { return false }
        return self.definition.rules.contains { rule in
            guard rule.maintenance != nil else { return false }
            if let status = expectation.status, status == rule.answer.status { return true }
            // A rule with a floor may be named because of its floor instead of its maintenance
            // window.
            return !rule.hasTerms && named.contains(rule.id)
        }
    }
}

extension RuleExpectation {
    /// Whether only a denial meets the expectation.
    fileprivate var demandsDenial: Bool {
        self.decisions.isEmpty
            ? self.status != nil : self.decisions.allSatisfy { $0 >= .require }
    }
}

extension RuleTest {
    /// Whether the request is a browser's CORS preflight (Fetch standard, "CORS protocol").
    fileprivate var isPreflight: Bool {
        self.method == "OPTIONS" && self.value(of: "origin") != nil
            && self.value(of: "access-control-request-method") != nil
            && self.value(of: "upgrade") == nil && !self.hasBody
    }

    /// Whether the request offers another protocol, as a browser's WebSocket handshake does (RFC
    /// 9110 section 7.8).
    ///
    /// The client identity is read only from the query of such a request.
    fileprivate var isHandshake: Bool {
        let options = self.values(of: "connection").flatMap { $0.split(separator: ",") }
        return self.value(of: "upgrade") != nil && !self.hasBody
            && options.contains { $0.trimmingBlanks.lowercased() == "upgrade" }
    }

    private var hasBody: Bool {
        self.value(of: "transfer-encoding") != nil
            || self.value(of: "content-length").map { $0.contains { $0 != "0" } } == true
    }

    private func value(of name: String) -> String? {
        self.values(of: name).first
    }

    private func values(of name: String) -> [String] {
        self.headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}
