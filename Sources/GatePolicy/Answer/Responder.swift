/// Writes what clients are told, in their language and in the form that they read.
struct Responder: Sendable {
    private let revision: String
    private let words: NoticeBook
    private let style: AnswerStyle
    /// How the denials of rules differ from the others, by the place of the rule.
    private let styles: [Int: AnswerStyle]
    /// The fields that an answer can depend on.
    let vary: String
    /// Whether answers repeat the name of the app or the platform as the client wrote it.
    let repeatsNames: Bool

    init(_ definition: RuleSetDefinition) {
        self.revision = definition.revision
        self.words = NoticeBook(definition)
        self.style = definition.answer
        var styles: [Int: AnswerStyle] = [:]
        for (index, rule) in definition.rules.enumerated() where rule.answer != .standard {
            styles[index] = rule.answer
        }
        self.styles = styles
        self.vary = AnswerInputs(definition).names.joined(separator: ", ")
        self.repeatsNames = !AnswerInputs.repeatedNames(definition).isEmpty
    }

    /// The answer to a decision, without the seconds that it counts.
    func answer(
        to decision: Decision,
        for identity: ClientIdentity,
        as form: AnswerForm
    ) -> Answer? {
        guard let denial = Denial(decision) else { return nil }
        let style = self.style(of: decision)
        let document = DenialDocument(
            denial: denial,
            decision: decision,
            identity: identity,
            status: self.status(of: denial, decision),
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
            // A gRPC client looks at its own status, and only in an answer that is a 200.
            status: form.callType == nil ? document.status : 200,
            fields: fields,
            body: content.body,
            retryAt: decision.deniedUntil,
            sendsUpgrade: document.status == 426 && form.callType == nil
                && style.sendsUpgrade == true
        )
    }

    /// The status of the answer to a decision, for every form but gRPC; `nil` if the request passes.
    func status(of decision: Decision) -> Int? {
        Denial(decision).map { self.status(of: $0, decision) }
    }

    private func status(of denial: Denial, _ decision: Decision) -> Int {
        switch denial {
        case .upgrade:
            return self.style(of: decision).status ?? denial.status
        case .maintenance:
            // The status that the whole file names for old builds does not speak of maintenance.
            return self.ownStyle(of: decision).status ?? denial.status
        }
    }

    private func style(of decision: Decision) -> AnswerStyle {
        self.ownStyle(of: decision).filled(by: self.style)
    }

    private func ownStyle(of decision: Decision) -> AnswerStyle {
        decision.ruleIndex.flatMap { self.styles[$0] } ?? .standard
    }

    /// The languages of the words of a client, whatever is decided.
    func languages(for identity: ClientIdentity) -> [LanguageTag?] {
        self.words.choices(for: identity.languages)
    }

    /// The answer to a client that asks where it stands.
    func status(_ status: ClientStatus, _ identity: ClientIdentity) -> LaunchStatus {
        LaunchStatus(status, identity, self.words.words(for: status.decision, identity))
    }

    private static func content(
        _ document: DenialDocument,
        _ style: AnswerStyle,
        _ form: AnswerForm
    ) -> (fields: [HeaderField], body: [UInt8]) {
        func field(_ type: String) -> HeaderField { HeaderField(name: "Content-Type", value: type) }
        if let type = form.callType {
            return ([field(type)] + document.callStatus.fields, [])
        }
        if let body = style.body {
            return (
                [field(style.contentType ?? body.mediaType)], body.filled(with: document.values)
            )
        }
        if form == .page, let page = document.page {
            let policy = HeaderField(
                name: "Content-Security-Policy",
                value: NoticePage.securityPolicy
            )
            return ([field("text/html; charset=utf-8"), policy], page.bytes)
        }
        return ([field("application/problem+json")], document.problemDetails)
    }
}
