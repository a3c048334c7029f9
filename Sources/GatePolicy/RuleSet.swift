/// One revision of all rules and notices, compiled and immutable.
///
/// Every function has an answer, whatever a request holds: all that can fail has failed when the
/// rules were loaded.
package final class RuleSet: Sendable {
    package let definition: RuleSetDefinition
    let reader: IdentityReader
    let classifier: RequestClassifier
    let judge: Judge
    let responder: Responder
    /// The classes of clients that the rules tell apart; `nil` if each client may be one of its own.
    package let clientClasses: ClientClasses?
    private let namedClients: NamedClients
    /// Segments of each pattern, by their places, that a shape of a path may leave out.
    private let omitted: [PathShape.Omitted]

    /// Compiles a definition.
    package init(_ definition: RuleSetDefinition) {
        let platforms = definition.rulesWithNext.flatMap { $0.match.platforms ?? [] }
        let reader = IdentityReader(definition.identity, platforms: PlatformNames(platforms))
        let classifier = RequestClassifier(definition)
        self.definition = definition
        self.reader = reader
        self.classifier = classifier
        self.judge = Judge(definition, classifier)
        self.responder = Responder(definition)
        self.clientClasses = ClientClasses(definition, reader)
        self.namedClients = NamedClients(definition)
        self.omitted = (classifier.patterns + definition.exemptions).map(\.omitted)
            .filter { !$0.nameless.isEmpty || !$0.capitals.isEmpty }
    }

    package var revision: String { self.definition.revision }

    /// Every header field that `identify(_:)` looks at, in lower case.
    package var identityHeaderNames: [String] { self.reader.headerNames }

    /// Every query parameter that `identify(_:)` looks at, in lower case.
    package var identityQueryNames: [String] { self.reader.queryNames }

    /// The claims of a client that says nothing, for others to be added.
    package var noClaims: IdentityClaims { self.reader.noClaims }

    /// Reads who the client is.
    package func identify(_ claims: IdentityClaims) -> ClientIdentity {
        self.reader.identify(claims)
    }

    /// The changes to the identity headers before a request goes on.
    package func upstreamIdentity(
        _ claims: IdentityClaims,
        _ identity: ClientIdentity
    ) -> UpstreamIdentity {
        self.reader.upstreamIdentity(claims, identity)
    }

    /// Whether the rules need to know anything of a request beside its client.
    package var tellsRequestsApart: Bool { self.classifier.tellsRequestsApart }

    /// Finds out what the rules need to know of a request beside its client.
    ///
    /// Called once for every request: it looks at the bytes in place, and allocates only for a
    /// target that has several spellings, or that matches more than eight patterns.
    package func scope(
        method: borrowing Span<UInt8>,
        target: borrowing Span<UInt8>
    ) -> RequestScope {
        self.classifier.scope(method: method, target: target)
    }

    /// Whether the address of a client can make a difference to a decision, so that a cache of
    /// decisions has to know it.
    package var dependsOnAddress: Bool {
        self.definition.rulesWithNext.contains { !$0.rollout.isEmpty }
    }

    /// Header fields, in lower case, whose value makes no difference as long as it is one readable
    /// value: those of the device, unless a rule is rolled out device by device.
    package var indifferentHeaderNames: Set<String> {
        guard !self.dependsOnAddress else { return [] }
        let others = IdentityPart.allCases.filter { $0 != .device }
        return Set(self.reader.names(of: .device)).subtracting(
            others.flatMap { self.reader.names(of: $0) } + [IdentityReader.userAgent]
        )
    }

    /// Judges a client that sends a request of this scope, at this second.
    ///
    /// The address is the one that the client connects from; it tells clients without a device id
    /// from each other while a rule is rolled out.
    package func decide(
        _ identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?,
        ignoresMaintenance: Bool = false
    ) -> Decision {
        self.judge.decide(
            identity,
            in: scope,
            at: now,
            address: address,
            ignoresMaintenance: ignoresMaintenance
        )
    }

    /// The terms in which a request is counted on which this was decided.
    package func terms(of decision: Decision, for identity: ClientIdentity) -> RequestTerms {
        self.namedClients.terms(of: decision, for: identity)
    }

    /// The answer for a client that must upgrade, or that meets maintenance; `nil` for one that
    /// passes.
    ///
    /// Its `Retry-After` counts from this second: see `Answer.counted(to:)`.
    package func answer(
        to decision: Decision,
        for identity: ClientIdentity,
        as form: AnswerForm = .document,
        at now: Timestamp
    ) -> Answer? {
        self.responder.answer(to: decision, for: identity, as: form)?.counted(to: now)
    }

    /// The same answer with a text in the place of the client's version, wherever that stands in it;
    /// `nil` also for a form in which it does not stand as it is.
    package func answer(
        to decision: Decision,
        for identity: ClientIdentity,
        as form: AnswerForm,
        at now: Timestamp,
        versionAs standIn: String
    ) -> Answer? {
        guard form.isVerbatim else { return nil }
        var identity = identity
        identity.version = .stated(AppVersion(standIn: standIn))
        return self.answer(to: decision, for: identity, as: form, at: now)
    }

    /// Whether answers repeat the name of the app or the platform as a client wrote it.
    package var answersRepeatNames: Bool { self.responder.repeatsNames }

    /// The choices of words and link that tell the denial of one client of a class from that of
    /// another one.
    ///
    /// `languages`: the fields that state the languages of the client.
    package func answerKey(languages: [String]) -> [UInt8] {
        let identity = ClientIdentity(languages: languages)
        let chosen = self.responder.languages(for: identity).map { $0?.description ?? "" }
        // A client that states its country has no class where that makes a difference.
        let country = self.clientClasses?.linksByCountry == true ? identity.likelyCountry : nil
        return Array((chosen + [country ?? ""]).joined(separator: "\0").utf8)
    }

    /// The header fields that answers of the gate can depend on, for `Vary`.
    package var answerInputs: String { self.responder.vary }

    /// The fields that go with the backend's answer: to a client that should upgrade, and before
    /// a maintenance.
    package func hint(for decision: Decision) -> [HeaderField] {
        Hint(decision).fields
    }

    /// The status of a client that sends a request of this scope, at this second.
    ///
    /// It holds as long as its decision does.
    package func clientStatus(
        of identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> ClientStatus {
        self.judge.clientStatus(of: identity, in: scope, at: now, address: address)
    }

    /// The rules that would refuse a client but for their dates and roll-outs, in the order of the
    /// file.
    package func deferrals(
        for identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> [Deferral] {
        self.judge.deferrals(for: identity, in: scope, at: now, address: address)
    }

    /// The answer to a client that asks for its status.
    package func launchStatus(
        for identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> LaunchStatus {
        let status = self.clientStatus(of: identity, in: scope, at: now, address: address)
        return self.responder.status(status, identity)
    }
}

/// The facts about rules that a census of clients needs.
extension RuleSet {
    /// The patterns of rules that a request matched, as they are written; every one there is for a
    /// request that nobody can read.
    package func patterns(in scope: RequestScope) -> [String] {
        guard let numbers = scope.patterns.numbers else { return self.classifier.texts }
        return numbers.map { self.classifier.texts[$0] }
    }

    /// The patterns of all rules, as they are written.
    package var patterns: [String] { self.classifier.texts }

    /// The patterns of exemptions, likewise.
    package var exemptPatterns: [String] { self.definition.exemptions.map(\.text) }

    /// The scope of a request that is never judged.
    package static var exemptScope: RequestScope { .exempt }

    /// The scope of a request that matches those patterns of these rules for which `matches` says so.
    package func scope(matching matches: (String) -> Bool) -> RequestScope {
        var patterns = PatternSet()
        for (number, text) in self.classifier.texts.enumerated() where matches(text) {
            patterns.insert(number)
        }
        return RequestScope(isExempt: false, patterns: patterns)
    }

    /// The scope of all requests of a shape.
    ///
    /// - Returns: `nil` if the rules may tell one of them from another one: they name what the shape
    ///   leaves out.
    package func scope(of shape: PathShape) -> RequestScope? {
        let method = Array(shape.method.utf8)
        func scope(of path: String) -> RequestScope {
            let target = Array(path.utf8)
            return self.scope(method: method.span, target: target.span)
        }
        let path = shape.path()
        let whole = scope(of: path)
        let isOne = self.omitted.allSatisfy { choice in
            let other = shape.path(choice)
            return other == path || scope(of: other) == whole
        }
        return isOne ? whole : nil
    }

    /// The indices in `identityHeaderNames` of the fields that speak for a part.
    package func headerIndices(of part: IdentityPart) -> [Int] { self.reader.indices(of: part) }

    /// The index of `User-Agent` there, if clients are known by it.
    package var userAgentIndex: Int? { self.reader.userAgentIndex }
}
