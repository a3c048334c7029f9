import GatePolicy
import GateWire

/// Queries from clients and operators.
extension WorkerRules {
    /// Returns the status of the client that sent the request, or `nil` if the query describes no valid request.
    ///
    /// The status depends on the rules without a path, and on those for `path` and `method` in the
    /// query. `pass` returns the pass of the client if it is valid, and is called only if the rules
    /// deny the client.
    func launchStatus(
        on head: RequestHead,
        in bytes: Span<UInt8>,
        address: String,
        preview: Preview? = nil,
        pass: (ClientIdentity) -> Pass? = { _ in nil }
    ) -> LaunchStatus? {
        let names = self.queryNames + ["path", "method"]
        let parameters = self.query(of: head, in: bytes, names)
        let identity = self.identify(head, in: bytes, query: parameters)
        let path = parameters.firstValue(of: "path")
        if let path {
            guard parameters.count(of: "path") == 1, path.first == ASCII.slash else { return nil }
        }
        let scope =
            path.map { path in
                let method = parameters.firstValue(of: "method") ?? Array("GET".utf8)
                return self.ruleSet.scope(method: method.span, target: path.span)
            } ?? .unrestricted
        return self.ruleSet.launchStatus(
            previewing: preview,
            passing: { pass(identity) },
            for: identity,
            in: scope,
            at: self.now(),
            address: address
        )
    }

    /// Returns the known TestFlight builds, for the client or for the app in the query.
    func testFlight(
        _ question: TestFlightQuery,
        on head: RequestHead,
        in bytes: Span<UInt8>,
        confirmed: [String: Timestamp]
    ) -> [UInt8] {
        let names = self.queryNames + ["app", "version", "build"]
        let parameters = self.query(of: head, in: bytes, names)
        func parameter(_ name: String) -> String? {
            parameters.firstValue(of: name).map { String(decoding: $0, as: UTF8.self) }
        }
        let subject = TestFlightSubject(
            identity: self.identify(head, in: bytes, query: parameters),
            app: parameter("app"),
            version: parameter("version"),
            build: parameter("build")
        )
        return self.ruleSet.testFlight(
            question,
            of: subject,
            confirmed: confirmed,
            at: self.now()
        )
    }

    /// Returns the rules that would deny a request if their dates and rollouts did not exempt the client.
    func deferrals(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        address: String
    ) -> [Deferral] {
        let query = facts.offersUpgrade ? self.identityQuery(of: head, in: bytes) : .none
        return self.ruleSet.deferrals(
            for: self.identify(head, in: bytes, query: query),
            in: self.scope(of: head, in: bytes),
            at: self.now(),
            address: address
        )
    }
}

/// Verdicts for previews.
extension WorkerRules {
    /// Returns the verdict for a preview, which replaces the verdict of the rules.
    func preview(
        _ preview: Preview,
        inPlaceOf verdict: Verdict,
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        address: String
    ) -> Verdict {
        let query = facts.offersUpgrade ? self.identityQuery(of: head, in: bytes) : .none
        let subject = Subject(
            identity: self.identify(head, in: bytes, query: query),
            scope: self.scope(of: head, in: bytes),
            form: facts.answerForm
        )
        let now = self.now()
        let decision = self.ruleSet.decision(
            verdict.decision,
            previewing: preview,
            for: subject.identity,
            in: subject.scope,
            at: now,
            address: address
        )
        guard decision != verdict.decision else { return verdict }
        return self.render(
            decision,
            on: subject,
            upstream: self.upstreamIdentity(of: subject.identity),
            nil,
            at: now,
            as: preview
        )
    }
}
