import GatePolicy
import GateWire

/// The inputs of decisions, and the data rendered from decisions.
extension WorkerRules {
    /// A client and one of its requests.
    struct Subject {
        let identity: ClientIdentity
        let scope: RequestScope
        let form: AnswerForm
    }

    /// Renders everything that follows from a decision: the response, the fields, and the log fields.
    ///
    /// `preview` is the preview that a tester has requested, or `nil` if there is none.
    func render(
        _ decision: Decision,
        on subject: Subject,
        upstream: UpstreamIdentity,
        _ members: ClassMembers?,
        at now: Timestamp,
        as preview: Preview? = nil
    ) -> Verdict {
        let (ruleSet, identity) = (self.ruleSet, subject.identity)
        let terms = ruleSet.terms(of: decision, for: identity)
        var hint = ruleSet.hint(for: decision)
        var answer = ruleSet.answer(to: decision, for: identity, as: subject.form, at: now)
        if let preview {
            hint = ruleSet.marked(hint, as: preview)
            answer = answer.map { ruleSet.marked($0, as: preview) }
        }
        return Verdict(
            decision: decision,
            tallyPlace: self.tally.place(of: terms),
            outcomePlace: self.outcomePlace(of: terms, in: subject.scope),
            upstreamIdentity: upstream,
            identityHeaderNames: ruleSet.identityHeaderNames,
            hint: hint,
            answer: answer,
            logFields: self.logFormat.map { AccessLogFields.rendered(decision, as: $0) } ?? [],
            clientLogFields: self.logFormat.map {
                AccessLogFields.rendered(client: members == nil ? identity : nil, as: $0)
            } ?? [],
            now: now,
            members: members,
            backends: self.backends
        )
    }
}

/// Denials with the client's version inserted.
extension WorkerRules {
    /// Returns the denial for a client, or `nil` if the verdict is not a denial.
    func denial(
        of verdict: Verdict,
        on head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> RenderedAnswer? {
        guard let denial = verdict.denial, !denial.isWhole else { return verdict.denial }
        return self.denials?.withVersion(of: head, in: bytes) { denial.filled(with: $0) } ?? denial
    }

    /// Returns a copy of a recent client's verdict with the client's version inserted into the denial.
    ///
    /// The client's next requests can then get a plain copy of the response. Only some clients get
    /// such a verdict: see `RecentClients.entryForOwner()`.
    @inline(never)
    func own(
        _ verdict: Verdict,
        on head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> Verdict {
        guard let denial = self.denial(of: verdict, on: head, in: bytes) else { return verdict }
        return Verdict(verdict, denial: denial)
    }
}

/// The request target: its path selects rules, and its query can identify the client.
extension WorkerRules {
    /// Returns the rules that match the method and the path.
    func scope(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> RequestScope {
        guard self.distinguishesRequests else { return .unrestricted }
        let method = bytes.extracting(head.methodStart..<head.methodEnd)
        let target = bytes.extracting(head.target.start..<head.target.end)
        if head.target.isAbsolute, target.isEmpty || target[0] != ASCII.slash {
            // Such a request is forwarded with the path `/` (RFC 9112 section 3.2.1).
            let root = Self.root
            return self.ruleSet.scope(method: method, target: root.span)
        }
        return self.ruleSet.scope(method: method, target: target)
    }

    private static let root = [ASCII.slash]

    /// Returns the identity from the query.
    ///
    /// Web apps state it there because the WebSocket and EventSource APIs cannot set header fields.
    func identityQuery(
        of head: RequestHead,
        in bytes: Span<UInt8>
    ) -> QueryParameters {
        guard !self.queryNames.isEmpty else { return .none }
        return self.query(of: head, in: bytes, self.queryNames)
    }

    func query(
        of head: RequestHead,
        in bytes: Span<UInt8>,
        _ names: [String]
    ) -> QueryParameters {
        QueryParameters(
            ofTarget: bytes.extracting(head.target.start..<head.target.end),
            named: names
        )
    }
}
