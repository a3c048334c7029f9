/// Creates the denials and launch statuses for clients, in their language and form.
struct Responder: Sendable {
    private let revision: String
    private let words: NoticeCatalog
    private let style: AnswerStyle
    /// The styles that differ from the default style, by rule index.
    private let styles: [Int: AnswerStyle]
    /// The value of `Vary`: the request header fields that a response can depend on.
    let vary: String
    /// Whether responses contain the app or the platform exactly as the client sent it.
    let repeatsNames: Bool

    init(_ definition: RuleSetDefinition) {
        self.revision = definition.revision
        self.words = NoticeCatalog(definition)
        self.style = definition.answer
        var styles: [Int: AnswerStyle] = [:]
        for (index, rule) in definition.rules.enumerated() where rule.answer != .standard {
            styles[index] = rule.answer
        }
        self.styles = styles
        self.vary = AnswerInputs(definition).names.joined(separator: ", ")
        self.repeatsNames = !AnswerInputs.repeatedNames(definition).isEmpty
    }

    /// Returns the denial for a decision, without `Retry-After`; `nil` if the request is forwarded.
    func answer(
        to decision: Decision,
        for identity: ClientIdentity,
        as form: AnswerForm
    ) -> Answer? {
        guard let denial = Denial(decision) else { return nil }
        let style = self.style(of: decision)
        var status = self.status(of: denial, decision)
        // A Connect client would parse the content of a response with status 200 as the response
        // message.
        if form == .connect, status == 200 { status = denial.status }
        let document = DenialDocument(
            denial: denial,
            decision: decision,
            identity: identity,
            status: status,
            revision: self.revision,
            words: self.words.words(for: decision, identity)
        )
        let content = Self.content(document, style, form)
        var fields = content.fields
        fields.append(HeaderField(name: "Cache-Control", value: "no-store"))
        if let language = document.words?.language {
            fields.append(HeaderField(name: "Content-Language", value: language.description))
        }
        fields.append(HeaderField(name: "Vary", value: self.vary))
        fields += Hint.dates(decision)
        fields.append(HeaderField(name: Answer.markerName, value: decision.kind.rawValue))
        return Answer(
            status: form.hasOwnStatus ? 200 : status,
            fields: fields,
            body: content.body,
            retryAt: decision.deniedUntil,
            sendsUpgrade: status == 426 && !form.hasOwnStatus && style.sendsUpgrade == true
        )
    }

    /// Returns the HTTP status of the denial for a decision; `nil` if the request is forwarded.
    ///
    /// Forms with a protocol status use HTTP status 200 instead.
    func status(of decision: Decision) -> Int? {
        Denial(decision).map { self.status(of: $0, decision) }
    }

    private func status(of denial: Denial, _ decision: Decision) -> Int {
        switch denial {
        case .upgrade:
            return self.style(of: decision).status ?? denial.status
        case .maintenance:
            // The default status applies only to denied builds. For a maintenance window, only the
            // rule's own status applies.
            return self.ownStyle(of: decision).status ?? denial.status
        }
    }

    private func style(of decision: Decision) -> AnswerStyle {
        self.ownStyle(of: decision).filled(by: self.style)
    }

    private func ownStyle(of decision: Decision) -> AnswerStyle {
        decision.ruleIndex.flatMap { self.styles[$0] } ?? .standard
    }

    /// Returns the languages of a client's notices, regardless of the decision.
    func languages(for identity: ClientIdentity) -> [LanguageTag?] {
        self.words.choices(for: identity.languages)
    }

    func status(_ status: ClientStatus, _ identity: ClientIdentity) -> LaunchStatus {
        LaunchStatus(status, identity, self.words.words(for: status.decision, identity))
    }

    private static func content(
        _ document: DenialDocument,
        _ style: AnswerStyle,
        _ form: AnswerForm
    ) -> (fields: [HeaderField], body: [UInt8]) {
        func field(_ type: String) -> HeaderField { HeaderField(name: "Content-Type", value: type) }
        func own() -> (fields: [HeaderField], body: [UInt8])? {
            style.body.map {
                ([field(style.contentType ?? $0.mediaType)], $0.filled(with: document.values))
            }
        }
        let type = field(form.mediaType)
        switch form {
        case .document:
            return own() ?? ([type], document.problemDetails)
        case .page:
            if let own = own() { return own }
            guard let page = document.page else {
                return ([field(AnswerForm.document.mediaType)], document.problemDetails)
            }
            let policy = HeaderField(
                name: "Content-Security-Policy",
                value: NoticePage.securityPolicy
            )
            return ([type, policy], page.bytes)
        case .grpc:
            return ([type] + document.callStatus.fields, [])
        case .grpcWeb:
            return ([type], document.callStatus.trailerFrame)
        case .grpcWebText:
            return ([type], Array(Base64.padded(document.callStatus.trailerFrame).utf8))
        case .connect:
            return ([type], document.connectError)
        case .connectStreamJSON, .connectStreamProto:
            return ([type], document.connectEnd)
        case .graphQL, .graphQLResponse:
            return own() ?? ([type], document.graphQLResponse)
        }
    }
}
