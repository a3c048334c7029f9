/// One revision of all rules and notices, compiled and immutable.
///
/// No function of a rule set can fail, regardless of the content of a request. All errors are
/// reported when the rules are loaded.
package final class RuleSet: Sendable {
    package let definition: RuleSetDefinition
    let reader: IdentityReader
    let classifier: RequestClassifier
    let judge: RuleEvaluator
    let responder: Responder
    /// The classes of clients that the rules distinguish; `nil` if clients have to be evaluated
    /// individually.
    package let clientClasses: ClientClasses?
    private let namedClients: NamedClients
    /// The segments that path shapes may omit, for each pattern that has such segments.
    private let omitted: [PathShape.Omitted]

    package init(_ definition: RuleSetDefinition) {
        let platforms = definition.rulesWithNext.flatMap { $0.match.platforms ?? [] }
        let reader = IdentityReader(definition.identity, platforms: PlatformNames(platforms))
        let classifier = RequestClassifier(definition)
        self.definition = definition
        self.reader = reader
        self.classifier = classifier
        self.judge = RuleEvaluator(definition, classifier)
        self.responder = Responder(definition)
        self.clientClasses = ClientClasses(definition, reader)
        self.namedClients = NamedClients(definition)
        self.omitted = (classifier.patterns + definition.exemptions).map(\.omitted)
            .filter { !$0.nameless.isEmpty || !$0.capitals.isEmpty }
    }

    package var revision: String { self.definition.revision }

    /// Whether the rules revoke a pass.
    package func revokes(_ pass: Pass) -> Bool { self.definition.revokedPasses.contains(pass.id) }

    /// The header fields that `identify(_:)` reads, in lower case.
    package var identityHeaderNames: [String] { self.reader.headerNames }

    /// The query parameters that `identify(_:)` reads, in lower case.
    package var identityQueryNames: [String] { self.reader.queryNames }

    /// The claims of a client that sends no identity.
    ///
    /// Further claims can be added to a copy.
    package var noClaims: IdentityClaims { self.reader.noClaims }

    package func identify(_ claims: IdentityClaims) -> ClientIdentity {
        self.reader.identify(claims)
    }

    /// Returns the changes to the identity headers of a forwarded request.
    package func upstreamIdentity(
        _ claims: IdentityClaims,
        _ identity: ClientIdentity
    ) -> UpstreamIdentity {
        self.reader.upstreamIdentity(claims, identity)
    }

    /// Whether decisions depend on requests, and not only on clients.
    package var distinguishesRequests: Bool { self.classifier.distinguishesRequests }

    /// Returns the scope of a request: the properties that rules depend on, apart from the client.
    ///
    /// This function is called once for every request. It reads the bytes in place, and allocates
    /// memory only for a target that has several spellings or matches more than eight patterns.
    package func scope(
        method: borrowing Span<UInt8>,
        target: borrowing Span<UInt8>
    ) -> RequestScope {
        self.classifier.scope(method: method, target: target)
    }

    func scope(method: [UInt8], target: [UInt8]) -> RequestScope {
        self.classifier.scope(method: method.span, target: target.span)
    }

    /// Whether a decision can depend on the client address, which then has to be part of cache
    /// keys.
    package var dependsOnAddress: Bool {
        self.definition.rulesWithNext.contains { !$0.rollout.isEmpty }
    }

    /// The lower-case names of the header fields that have no effect if they contain a single
    /// parsable value.
    ///
    /// These are the fields for the device, unless a rule has a rollout.
    package var indifferentHeaderNames: Set<String> {
        guard !self.dependsOnAddress else { return [] }
        let others = IdentityPart.allCases.filter { $0 != .device }
        return Set(self.reader.names(of: .device)).subtracting(
            others.flatMap { self.reader.names(of: $0) } + [IdentityReader.userAgent]
        )
    }

    /// Evaluates a client for requests in a scope at a given time.
    ///
    /// `address` is the address that the client connects from. In rollouts, it distinguishes
    /// clients without a device ID.
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

    /// Returns the labels under which a request with this decision is counted.
    package func terms(of decision: Decision, for identity: ClientIdentity) -> RequestTerms {
        self.namedClients.terms(of: decision, for: identity)
    }

    /// Returns the denial for a client that has to upgrade, or for a request during a maintenance
    /// window.
    ///
    /// Returns `nil` if the request passes. `Retry-After` counts from `now` (see
    /// `Answer.counted(to:)`).
    package func answer(
        to decision: Decision,
        for identity: ClientIdentity,
        as form: AnswerForm = .document,
        at now: Timestamp
    ) -> Answer? {
        self.responder.answer(to: decision, for: identity, as: form)?.counted(to: now)
    }

    /// Returns the denial with a given string in place of the client's version.
    ///
    /// Returns `nil` if the request passes, or if the form does not contain the version verbatim.
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

    /// Whether responses contain the app or the platform exactly as the client sent it.
    package var answersRepeatNames: Bool { self.responder.repeatsNames }

    /// Returns a key for the values in which denials for clients of a class can differ.
    ///
    /// These values are the texts and the store URL. `languages` contains the values of the
    /// client's language fields.
    package func answerKey(languages: [String]) -> [UInt8] {
        let identity = ClientIdentity(languages: languages)
        let chosen = self.responder.languages(for: identity).map { $0?.description ?? "" }
        // If the country affects the response, a client that sends its country has no class.
        let country = self.clientClasses?.linksByCountry == true ? identity.likelyCountry : nil
        return Array((chosen + [country ?? ""]).joined(separator: "\0").utf8)
    }

    /// The request header fields that the gate's responses can depend on, for `Vary`.
    package var answerInputs: String { self.responder.vary }

    /// Returns the header fields that are added to the backend's response.
    ///
    /// There are fields for a client that should update, and for an announced maintenance window.
    package func hint(for decision: Decision) -> [HeaderField] {
        Hint(decision).fields
    }

    /// Returns the reasons why rules do not yet deny a client, because of their dates or rollouts.
    ///
    /// The reasons are in the order of the rules file.
    package func deferrals(
        for identity: ClientIdentity,
        in scope: RequestScope,
        at now: Timestamp,
        address: String?
    ) -> [Deferral] {
        guard !scope.isExempt else { return [] }
        let subject = CompiledRule.Subject(identity, address: address)
        return self.judge.rules.compactMap { $0.deferral(of: subject, in: scope, at: now) }
    }
}

/// Facts about the rules for the census.
extension RuleSet {
    /// Returns the patterns of rules that a request matched, as written in the rules file.
    ///
    /// Returns all patterns if the request's path has too many readings.
    package func patterns(in scope: RequestScope) -> [String] {
        guard let numbers = scope.patterns.numbers else { return self.classifier.texts }
        return numbers.map { self.classifier.texts[$0] }
    }

    /// The patterns of all rules, as written in the rules file.
    package var patterns: [String] { self.classifier.texts }

    /// The patterns of all exemptions, as written in the rules file.
    package var exemptPatterns: [String] { self.definition.exemptions.map(\.text) }

    /// Returns the scope of a request that matches the patterns for which `matches` returns true.
    package func scope(matching matches: (String) -> Bool) -> RequestScope {
        var patterns = PatternSet()
        for (number, text) in self.classifier.texts.enumerated() where matches(text) {
            patterns.insert(number)
        }
        return RequestScope(isExempt: false, patterns: patterns)
    }

    /// Returns the scope of all requests with a shape.
    ///
    /// Returns `nil` if the rules may distinguish between these requests, because the rules contain
    /// segments that the shape omits.
    package func scope(of shape: PathShape) -> RequestScope? {
        let method = Array(shape.method.utf8)
        func scope(of path: String) -> RequestScope {
            self.scope(method: method, target: Array(path.utf8))
        }
        let path = shape.path()
        let whole = scope(of: path)
        let isOne = self.omitted.allSatisfy { choice in
            let other = shape.path(choice)
            return other == path || scope(of: other) == whole
        }
        return isOne ? whole : nil
    }

    /// Returns the indices in `identityHeaderNames` of the fields for a part.
    package func headerIndices(of part: IdentityPart) -> [Int] { self.reader.indices(of: part) }

    /// The index of `User-Agent` in `identityHeaderNames`; `nil` if `User-Agent` is not read.
    package var userAgentIndex: Int? { self.reader.userAgentIndex }
}
