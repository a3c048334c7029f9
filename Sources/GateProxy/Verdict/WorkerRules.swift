import GateCensus
import GatePolicy
import GateWire
import NIOCore
import Synchronization

/// One rule set on one event loop, with what that loop has worked out of it so far.
///
/// A new rule set brings a new object, so that no request can see half of two revisions.
final class WorkerRules {
    /// No other rules of this process have it.
    let number = WorkerRules.numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic(0)
    let ruleSet: RuleSet
    let table: FieldNameTable
    let preflight: Verdict
    let identityHeaderNames: [String]
    let queryNames: [String]
    private let indifferentFields: IndifferentFields
    private var lookUp: VerdictLookUp
    private let classes: ClientClasses?
    private(set) var denials: DenialKeys?
    /// Of no use without classes; `nil`: there were none yet, or other rules have it now.
    private var recentClients: RecentClients?
    /// Whether the cache has had a shared denial.
    private var knowsDenials = false
    /// The last requests that were refused, as far as they are counted.
    private var denialsInARow = 0
    /// Used again for every decision.
    private var claims: IdentityClaims
    /// Whether the client's address can make a difference.
    let dependsOnAddress: Bool
    /// Whether the method and the path can.
    ///
    /// Known here, because all threads count references to the rule set: that takes its line from one processor's
    /// cache to the next.
    let tellsRequestsApart: Bool
    /// How verdicts are logged; `nil`: they are not.
    let logFormat: AccessLogFormat?
    let tally: RequestTally
    /// The count of clients; `nil`: they are not counted.
    let census: CensusTally?
    let censusFields: CensusFields?
    let now: () -> Timestamp
    private let release: (RuleSet) -> Void
    private let disposal = Disposal()

    /// The rules of one event loop, of which nothing is worked out yet.
    ///
    /// `tally`: counts by the terms of verdicts; `predecessor`: the loop's rules until now, which lose their table of clients
    /// to these; `release`: takes the rule set when the last connection has let go of it.
    init(
        _ ruleSet: RuleSet,
        cacheCapacity: Int,
        logFormat: AccessLogFormat? = nil,
        tally: RequestTally = RequestTally(),
        census: CensusTally? = nil,
        predecessor: WorkerRules? = nil,
        now: @escaping () -> Timestamp = HTTPDate.now,
        release: @escaping (RuleSet) -> Void = WorkerRules.releaseElsewhere
    ) {
        self.ruleSet = ruleSet
        self.logFormat = logFormat
        self.tally = tally
        self.census = census
        self.censusFields = census.map { _ in CensusFields(ruleSet) }
        self.now = now
        self.release = release
        self.dependsOnAddress = ruleSet.dependsOnAddress
        self.tellsRequestsApart = ruleSet.tellsRequestsApart
        self.identityHeaderNames = ruleSet.identityHeaderNames
        self.queryNames = ruleSet.identityQueryNames
        self.claims = ruleSet.noClaims
        self.indifferentFields = IndifferentFields(of: ruleSet)
        self.classes = ruleSet.clientClasses
        self.denials = ruleSet.clientClasses.flatMap { DenialKeys(ruleSet, $0) }
        self.recentClients = predecessor?.takeRecentClients()
        if let classes = ruleSet.clientClasses {
            var table = self.recentClients.take() ?? RecentClients(capacity: cacheCapacity)
            table.serve(classes)
            self.recentClients = consume table
        }
        self.table = .request(identityHeaderNames: ruleSet.identityHeaderNames)
        self.preflight = Verdict(
            decision: .preflight,
            tallyPlace: tally.place(of: .preflight),
            logFields: logFormat.map { AccessLogFields.rendered(.preflight, as: $0) } ?? [],
            clientLogFields: logFormat.map { AccessLogFields.rendered(client: nil, as: $0) } ?? []
        )
        let disposal = self.disposal
        self.lookUp = VerdictLookUp(
            VerdictCache(capacity: cacheCapacity) { disposal.dispose(of: $0) }
        )
    }

    deinit {
        self.lookUp.removeAll()
        _ = self.takeRecentClients()
        self.release(self.ruleSet)
    }

    /// Gives the table of clients away, with nobody in it: from now on all are judged without it.
    private func takeRecentClients() -> RecentClients? {
        guard var table = self.recentClients.take() else { return nil }
        self.disposal.dispose(of: table.takeVerdicts())
        return table
    }

    /// To take many rules apart would keep the requests of an event loop waiting.
    private static func releaseElsewhere(_ ruleSet: RuleSet) {
        Task.detached(priority: .background) { withExtendedLifetime(ruleSet) {} }
    }

    /// The verdict on a request.
    ///
    /// `last`: the connection's previous one that was looked up. A connection carries one device, so that comparing
    /// with it nearly always spares the next look-up.
    /// `address` is the client's.
    func verdict(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        address: String,
        last: inout RememberedVerdict?
    ) -> Verdict {
        if facts.isPreflight { return self.preflight }
        self.lookUp.key.scope = self.scope(of: head, in: bytes)
        self.describeRecent(head, facts: facts, in: bytes)
        if let verdict = self.recentClients?.verdict(in: self.lookUp.key.scope),
            self.isValid(verdict)
        {
            self.countDenialsInARow(verdict)
            return verdict
        }
        let told = self.classify(head, facts: facts, in: bytes)
        if told != nil,
            let verdict = self.classVerdict(on: head, facts: facts, in: bytes, last: &last)
        {
            self.recentClients?
                .keep(in: self.lookUp.key.scope) { self.own(verdict, on: head, in: bytes) }
            return verdict
        }
        let query = facts.offersUpgrade ? self.identityQuery(of: head, in: bytes) : .none
        self.describe(head, facts: facts, in: bytes, query: query, address: address)
        if let last, last.rulesNumber == self.number, self.lookUp.isSameClient(as: last.known),
            self.isValid(last.known.verdict)
        {
            return last.known.verdict
        }
        if let known = self.lookUp.findClient(), self.isValid(known.verdict) {
            return self.remember(known, in: &last)
        }
        let identity = self.identify(head, in: bytes, query: query)
        let upstream = self.upstreamIdentity(of: identity)
        let members = told.flatMap { self.members($0, head, in: bytes, upstream) }
        let verdict = self.decide(on: identity, address: address, upstream: upstream, members)
        let isShared = members != nil && self.classes?.shares(verdict.decision) ?? false
        if members != nil, !isShared,
            let shared = self.shared(verdict, on: identity, head, facts: facts, in: bytes)
        {
            return self.keep(shared, for: .denial, in: &last)
        }
        return self.keep(verdict, for: isShared ? .class : .client, in: &last)
    }

    /// Takes down what a client says of itself, if it may be of a class.
    private func describeRecent(
        _ head: borrowing RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) {
        guard self.classes != nil, facts.identityFields != 0, !facts.offersUpgrade else {
            self.recentClients?.describeNobody()
            return
        }
        self.recentClients?
            .describe(head, in: bytes, form: facts.answerForm, scope: self.lookUp.key.scope)
    }

    /// The verdict on a client of which others of its class are known.
    ///
    /// A class has either a verdict that all of it share or denials. To look for what it has not costs as much as to
    /// find it, and a floor that was raised refuses one client after the other.
    private func classVerdict(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        last: inout RememberedVerdict?
    ) -> Verdict? {
        let expectsDenial = self.denialsInARow >= Self.fewDenials
        let verdict =
            (expectsDenial ? nil : self.sharedVerdict(last: &last))
            ?? self.denial(on: head, facts: facts, in: bytes, last: &last)
            ?? (expectsDenial ? self.sharedVerdict(last: &last) : nil)
        self.countDenialsInARow(verdict)
        return verdict
    }

    private func countDenialsInARow(_ verdict: Verdict?) {
        let isDenial = verdict?.denial != nil
        self.denialsInARow = isDenial ? Swift.min(self.denialsInARow + 1, Self.fewDenials) : 0
    }

    /// So many denials one after the other let another one be expected.
    private static let fewDenials = 2

    /// The verdict that all clients of the class share.
    private func sharedVerdict(last: inout RememberedVerdict?) -> Verdict? {
        if let last, last.rulesNumber == self.number, self.lookUp.isSameClass(as: last.known),
            self.isValid(last.known.verdict)
        {
            return last.known.verdict
        }
        guard let known = self.lookUp.findClass(), self.isValid(known.verdict) else { return nil }
        return self.remember(known, in: &last)
    }

    /// The denial of a client, if one of its class was refused before.
    private func denial(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        last: inout RememberedVerdict?
    ) -> Verdict? {
        guard self.knowsDenials else { return nil }
        self.describeDenial(head, facts: facts, in: bytes)
        if let last, last.rulesNumber == self.number, self.lookUp.isSameDenial(as: last.known),
            self.isValid(last.known.verdict)
        {
            return last.known.verdict
        }
        guard let known = self.lookUp.findDenial(), self.isValid(known.verdict) else { return nil }
        return self.remember(known, in: &last)
    }

    /// Sets the key of the shared denial.
    private func describeDenial(_ head: RequestHead, facts: RequestFacts, in bytes: Span<UInt8>) {
        self.denials?.setKey(in: &self.lookUp, of: head, in: bytes, form: facts.answerForm)
    }

    /// Returns the verdict that all refused clients of the class share; `nil` if they cannot share one.
    private func shared(
        _ verdict: Verdict,
        on identity: ClientIdentity,
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> Verdict? {
        let form = facts.answerForm
        guard let shared = self.denials?.shared(verdict, on: identity, as: form, head, in: bytes)
        else { return nil }
        self.describeDenial(head, facts: facts, in: bytes)
        self.knowsDenials = true
        return shared
    }

    /// Sets the key of the class of a client.
    ///
    /// - Returns: what the client has told of it; `nil` if it has none.
    private func classify(
        _ head: borrowing RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> ClientClasses.Told? {
        guard let classes = self.classes, facts.identityFields != 0, !facts.offersUpgrade
        else { return nil }
        self.lookUp.classKey.scope = self.lookUp.key.scope
        self.lookUp.classKey.beginClass()
        var told = ClientClasses.Told()
        let lines = head.fields.lines.span
        for index in lines.indices {
            guard case .identity(let field) = lines[index].role else { continue }
            let value = bytes.extracting(lines[index].value)
            guard classes.tell(header: Int(field), value, to: &self.lookUp.classKey.bytes, &told)
            else { return nil }
        }
        return classes.isComplete(told) ? told : nil
    }

    /// The class of a client that has told all this.
    ///
    /// - Returns: `nil` if the backend would be told something else of the client than it is to be.
    private func members(
        _ told: ClientClasses.Told,
        _ head: RequestHead,
        in bytes: Span<UInt8>,
        _ upstream: UpstreamIdentity
    ) -> ClassMembers? {
        guard let classes = self.classes else { return nil }
        let members = ClassMembers(classes, told)
        let added = members.fields(of: head, in: bytes)?.fields(in: bytes) ?? []
        return added == upstream.add ? members : nil
    }

    /// Sets the key of the client itself.
    private func describe(
        _ head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        query: QueryParameters,
        address: String
    ) {
        self.lookUp.key.form = facts.answerForm
        self.lookUp.key.bytes.removeAll(keepingCapacity: true)
        if facts.identityFields != 0 {
            let indifferent = self.indifferentFields.only(in: head, facts: facts)
            self.lookUp.key.append(identityOf: head, in: bytes, indifferent: indifferent)
        }
        self.lookUp.key.append(query: query)
        if self.dependsOnAddress { self.lookUp.key.append(address: address) }
    }

    private func keep(
        _ verdict: Verdict,
        for extent: VerdictLookUp.Extent,
        in last: inout RememberedVerdict?
    ) -> Verdict {
        last = self.lookUp.keep(verdict, for: extent).map {
            RememberedVerdict(rulesNumber: self.number, known: $0)
        }
        return verdict
    }

    private func remember(
        _ known: KnownVerdict,
        in last: inout RememberedVerdict?
    ) -> Verdict {
        last = RememberedVerdict(rulesNumber: self.number, known: known)
        return known.verdict
    }

    /// Whether the second has not yet come at which a verdict may become another one, and the one at
    /// which it was decided has: a clock may be set back.
    ///
    /// A verdict that holds for ever is believed without a look at the clock; `Worker` forgets it when
    /// that is set back.
    private func isValid(_ verdict: Verdict) -> Bool {
        guard let validUntil = verdict.validUntil else { return true }
        let now = self.now()
        return now < validUntil && verdict.decidedAt.map { $0 <= now } ?? true
    }

    /// Judges the client whose claims were read last.
    private func decide(
        on identity: ClientIdentity,
        address: String,
        upstream: UpstreamIdentity,
        _ members: ClassMembers?
    ) -> Verdict {
        let now = self.now()
        let decision = self.ruleSet.decide(
            identity,
            in: self.lookUp.key.scope,
            at: now,
            address: address
        )
        let subject = Subject(
            identity: identity,
            scope: self.lookUp.key.scope,
            form: self.lookUp.key.form
        )
        return self.render(decision, on: subject, upstream: upstream, members, at: now)
    }

    /// The changes to the identity fields of the client that was read last.
    func upstreamIdentity(of identity: ClientIdentity) -> UpstreamIdentity {
        self.ruleSet.upstreamIdentity(self.claims, identity)
    }

    /// Reads who the client is; its claims stay until the next one is read.
    func identify(
        _ head: RequestHead,
        in bytes: Span<UInt8>,
        query: QueryParameters
    ) -> ClientIdentity {
        self.claims.removeAll()
        for line in head.fields.lines {
            guard case .identity(let index) = line.role else { continue }
            let value = bytes.extracting(line.value)
            self.claims.addHeader(at: Int(index), value)
        }
        self.claims.addQuery(query)
        return self.ruleSet.identify(self.claims)
    }
}
