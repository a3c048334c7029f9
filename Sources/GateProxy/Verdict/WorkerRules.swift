import GateCensus
import GatePolicy
import GateWire
import NIOCore
import Synchronization

/// A rule set on one event loop, with the verdicts that were derived from it.
///
/// Each new rule set gets a new object, so that no request is evaluated against parts of two revisions.
final class WorkerRules {
    /// A number that is unique among the `WorkerRules` of this process.
    let number = WorkerRules.numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic(0)
    let ruleSet: RuleSet
    let table: FieldNameTable
    /// The verdict for CORS preflights.
    let preflight: Verdict
    /// The query parameters that can identify a client.
    let queryNames: [String]
    private let indifferentFields: IndifferentFields
    private var lookUp: VerdictLookUp
    private let classes: ClientClasses?
    let denials: DenialKeys?
    /// The table of recent clients.
    ///
    /// `nil` if the rules have no classes, or once the next rules have taken over the table.
    private var recentClients: RecentClients?
    private var sharedDenials = SharedDenials.none
    /// The claims of the most recently identified client; their memory is reused.
    private var claims: IdentityClaims
    /// Whether the client's address can affect a verdict.
    let dependsOnAddress: Bool
    /// Whether the method and the path can affect a verdict.
    ///
    /// This is a copy, because reading the value in the rule set would change its reference count.
    /// All threads share that count, so its cache line would move between processors.
    let distinguishesRequests: Bool
    /// The names of the backends that routes can select.
    let backends: [String]
    /// The format in which verdicts are logged, or `nil` if they are not logged.
    let logFormat: AccessLogFormat?
    let tally: RequestTally
    /// The tally of the clients, or `nil` if clients are not counted.
    let census: Census?
    let now: () -> Timestamp
    private let release: (RuleSet) -> Void
    private let disposal = BackgroundDeallocator()

    /// The tally of the clients, with the fields that identify them.
    struct Census {
        let tally: CensusTally
        let fields: CensusFields
    }

    /// Creates the rules of one event loop, without any cached verdicts.
    ///
    /// `tally` contains the request counters, keyed by the terms of verdicts. `predecessor` contains
    /// the previous rules of the event loop, whose table of clients the new rules reuse. `release`
    /// releases the rule set once no connection uses it.
    init(
        _ ruleSet: RuleSet,
        cacheCapacity: Int,
        logFormat: AccessLogFormat? = nil,
        tally: RequestTally = RequestTally(),
        census: CensusTally? = nil,
        backends: [String] = [],
        predecessor: WorkerRules? = nil,
        now: @escaping () -> Timestamp = HTTPDate.now,
        release: @escaping (RuleSet) -> Void = WorkerRules.releaseElsewhere
    ) {
        self.ruleSet = ruleSet
        self.backends = backends
        self.logFormat = logFormat
        self.tally = tally
        self.census = census.map { Census(tally: $0, fields: CensusFields(ruleSet)) }
        self.now = now
        self.release = release
        self.dependsOnAddress = ruleSet.dependsOnAddress
        self.distinguishesRequests = ruleSet.distinguishesRequests
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

    /// Empties the table of recent clients, and moves it out of this object.
    private func takeRecentClients() -> RecentClients? {
        guard var table = self.recentClients.take() else { return nil }
        self.disposal.dispose(of: table.takeVerdicts())
        return table
    }

    /// Releases a rule set on another thread, because deallocating many rules would delay requests
    /// on the event loop.
    private static func releaseElsewhere(_ ruleSet: RuleSet) {
        Task.detached(priority: .background) { withExtendedLifetime(ruleSet) {} }
    }

    /// Returns the verdict for a request, from the cache if possible.
    ///
    /// `last` is the verdict for the previous request of the connection. A connection usually
    /// belongs to one device, so a comparison with that request often saves the lookup.
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
            self.sharedDenials.count(isDenied: verdict.denial != nil)
            guard let denial = verdict.denial, !denial.isWhole,
                let entry = self.recentClients?.entryForOwner()
            else { return verdict }
            let own = self.own(verdict, on: head, in: bytes)
            self.recentClients?.replaceFound(verdict, with: own, entry: entry)
            return own
        }
        let told = self.classify(head, facts: facts, in: bytes)
        if told != nil,
            let verdict = self.classVerdict(on: head, facts: facts, in: bytes, last: &last)
        {
            self.recentClients?.keep(verdict, in: self.lookUp.key.scope)
            return verdict
        }
        let query = facts.offersUpgrade ? self.identityQuery(of: head, in: bytes) : .none
        self.describe(head, facts: facts, in: bytes, query: query, address: address)
        if let last, last.rulesNumber == self.number, self.lookUp.isSameClient(as: last.known),
            let verdict = self.validVerdict(of: last.known)
        {
            return verdict
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

    /// Sets the key for the table of recent clients, if the client can belong to a class.
    private func describeRecent(
        _ head: borrowing RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) {
        guard self.classes != nil, facts.identityFields != 0, !facts.offersUpgrade else {
            self.recentClients?.clearKey()
            return
        }
        self.recentClients?
            .describe(head, in: bytes, form: facts.answerForm, scope: self.lookUp.key.scope)
    }

    /// Returns the cached verdict for a client of a class, or `nil` if there is none.
    ///
    /// A class has either a verdict that all its clients share, or denials. A failed lookup costs
    /// as much as a successful one. Denials are looked up first while consecutive requests are
    /// being denied, for example after a floor has been raised.
    private func classVerdict(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        last: inout RememberedVerdict?
    ) -> Verdict? {
        let expectsDenial = self.sharedDenials.expectsDenial
        let verdict =
            (expectsDenial ? nil : self.sharedVerdict(last: &last))
            ?? self.denial(on: head, facts: facts, in: bytes, last: &last)
            ?? (expectsDenial ? self.sharedVerdict(last: &last) : nil)
        self.sharedDenials.count(isDenied: verdict?.denial != nil)
        return verdict
    }

    /// Returns the cached verdict that all clients of the class share, or `nil` if there is none.
    private func sharedVerdict(last: inout RememberedVerdict?) -> Verdict? {
        if let last, last.rulesNumber == self.number, self.lookUp.isSameClass(as: last.known),
            let verdict = self.validVerdict(of: last.known)
        {
            return verdict
        }
        guard let known = self.lookUp.findClass(), self.isValid(known.verdict) else { return nil }
        return self.remember(known, in: &last)
    }

    /// Returns the cached denial that clients of the class share, or `nil` if there is none.
    private func denial(
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        last: inout RememberedVerdict?
    ) -> Verdict? {
        guard self.sharedDenials.isCached else { return nil }
        self.describeDenial(head, facts: facts, in: bytes)
        if let last, last.rulesNumber == self.number, self.lookUp.isSameDenial(as: last.known),
            let verdict = self.validVerdict(of: last.known)
        {
            return verdict
        }
        guard let known = self.lookUp.findDenial(), self.isValid(known.verdict) else { return nil }
        return self.remember(known, in: &last)
    }

    /// Sets the key of the shared denial.
    private func describeDenial(_ head: RequestHead, facts: RequestFacts, in bytes: Span<UInt8>) {
        self.denials?.setKey(in: &self.lookUp, of: head, in: bytes, form: facts.answerForm)
    }

    /// Returns the verdict that all denied clients of the class share, or `nil` if they cannot share one.
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
        self.sharedDenials.add()
        return shared
    }

    /// Sets the key of the client's class.
    ///
    /// - Returns: The facts about the class, or `nil` if the client belongs to none.
    private func classify(
        _ head: borrowing RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>
    ) -> ClientClasses.Told? {
        guard let classes = self.classes, facts.identityFields != 0, !facts.offersUpgrade
        else { return nil }
        self.lookUp.beginClass()
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

    /// Returns the class of a client, or `nil` if the fields for the backend cannot be derived from the class.
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

    /// Sets the key of the individual client.
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

    /// Returns whether a verdict is still valid.
    ///
    /// A verdict is valid from the second of the decision until the second at which it can change.
    /// The start matters because the clock can be set back. For a verdict that never changes, the
    /// clock is not read; `Worker` drops such verdicts when the clock is set back.
    private func isValid(_ verdict: Verdict) -> Bool {
        guard let validUntil = verdict.validUntil else { return true }
        let now = self.now()
        return now < validUntil && verdict.decidedAt.map { $0 <= now } ?? true
    }

    private func validVerdict(of known: KnownVerdict) -> Verdict? {
        let verdict = known.verdict
        return self.isValid(verdict) ? verdict : nil
    }

    /// Evaluates the rules for the most recently identified client.
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

    /// Returns the changes to the identity fields of the most recently identified client.
    func upstreamIdentity(of identity: ClientIdentity) -> UpstreamIdentity {
        self.ruleSet.upstreamIdentity(self.claims, identity)
    }

    /// Identifies a client, whose claims are kept until the next call.
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
