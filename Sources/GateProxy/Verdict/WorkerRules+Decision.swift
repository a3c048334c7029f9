import GatePolicy
import GateWire

/// Decisions: their inputs, and the data rendered from them.
extension WorkerRules {
    /// A client and one of its requests.
    struct Subject {
        let identity: ClientIdentity
        let scope: RequestScope
        let form: AnswerForm
    }

    /// Renders everything that a decision needs: the response, the fields, and the log fields.
    ///
    /// `preview` is the preview that a tester has requested; `nil` if there is none.
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
    /// Returns the denial for a client; `nil` if the verdict is not a denial.
    func denial(
        of verdict: Verdict,
        on head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> RenderedAnswer? {
        guard let denial = verdict.denial, !denial.isWhole else { return verdict.denial }
        return self.denials?.withVersion(of: head, in: bytes) { denial.filled(with: $0) } ?? denial
    }

    /// Returns the verdict on a recent client with the client's version in its denial, so that the client's next
    /// requests get a plain copy of the response.
    ///
    /// Only some clients get one: see `RecentClients.entryForOwner()`.
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

/// The request target, whose path selects rules and whose query may identify the client.
extension WorkerRules {
    /// The rules that match the path.
    func scope(of head: borrowing RequestHead, in bytes: Span<UInt8>) -> RequestScope {
        guard self.distinguishesRequests else { return .unrestricted }
        let method = bytes.extracting(head.methodStart..<head.methodEnd)
        let target = bytes.extracting(head.target.start..<head.target.end)
        if head.target.isAbsolute, target.isEmpty || target[0] != ASCII.slash {
            // The request is forwarded with the path `/` (RFC 9112 section 3.2.1).
            let root = Self.root
            return self.ruleSet.scope(method: method, target: root.span)
        }
        return self.ruleSet.scope(method: method, target: target)
    }

    private static let root = [ASCII.slash]

    /// The identity in the query, for the WebSocket and EventSource APIs of browsers, which cannot set header fields.
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
