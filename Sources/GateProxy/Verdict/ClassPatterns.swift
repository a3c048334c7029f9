import GatePolicy

/// What the clients of a class get, but for what each of them says: its version in a denial, what its
/// version line says of it for the backend, and all that in the log.
///
/// There are as many as the rules have classes and the notices have languages; what a client makes
/// up adds none.
struct ClassPatterns {
    /// A verdict on one client, with gaps for what others of its class say.
    private struct Pattern {
        let verdict: Verdict
        /// `nil` for a client that passes, and for one that states no version: all of its class get
        /// the same.
        let answer: AnswerPattern?
        /// The field from which the backend learns of the decision.
        let decisionField: [UInt8]
        /// The access log's fields for the decision.
        let logFields: [UInt8]

        init(_ verdict: Verdict, answer: AnswerPattern?, as format: AccessLogFormat?) {
            self.verdict = verdict
            self.answer = answer
            self.decisionField = Verdict.upstreamFields([], verdict.decision)
            self.logFields =
                format.map { AccessLogFields.rendered(verdict.decision, as: $0) } ?? []
        }
    }

    /// Where a client states what goes into the gaps.
    private struct Places {
        var app: Range<Int>?
        var platform: Range<Int>?
        var version: Range<Int>?
        var build: Range<Int>?
    }

    private static let passingCapacity = 1024
    private static let denialCapacity = 256
    /// Longer fields with languages, in bytes, are looked at anew each time.
    private static let longestLanguages = 256

    private let ruleSet: RuleSet
    private let classes: ClientClasses
    private let logFormat: AccessLogFormat?
    /// Not where they repeat more of a client than its version.
    private let keepsDenials: Bool
    private var passing: [VerdictKey: Pattern] = [:]
    private var denials: [VerdictKey: Pattern] = [:]
    /// That of the denial that was looked up last.
    private var key = VerdictKey()
    /// The fields that state the languages of a client, each behind a line feed, which no field holds.
    private var languages: [UInt8] = []
    /// The choices among languages that were made, by these fields: to choose costs as much as the
    /// rest of a request.
    private var answerKeys: [[UInt8]: [UInt8]] = [:]

    init(_ ruleSet: RuleSet, _ classes: ClientClasses, logFormat: AccessLogFormat?) {
        self.ruleSet = ruleSet
        self.classes = classes
        self.logFormat = logFormat
        self.keepsDenials = !ruleSet.answersRepeatNames
    }

    /// Looks up the verdict on a client of a class.
    ///
    /// - Parameters:
    ///   - head: What the client sent.
    ///   - bytes: Where `head` lies.
    ///   - classKey: That of the class, prepared for looking it up.
    ///   - told: What the client has told of its class.
    ///   - form: That of the answer which the client reads.
    /// - Returns: `nil` if none of the class was judged before.
    mutating func verdict(
        on head: RequestHead,
        in bytes: Span<UInt8>,
        of classKey: VerdictKey,
        _ told: ClientClasses.Told,
        form: AnswerForm
    ) -> Verdict? {
        // What says nothing of a client is shared by its class, and needs no pattern.
        if self.logFormat != nil || told.isAdded, let pattern = self.passing[classKey] {
            return self.filled(pattern, self.places(in: head), in: bytes, told)
        }
        guard self.keepsDenials else { return nil }
        self.key = classKey
        self.key.form = form
        // No part of an identity has this number.
        self.key.bytes.append(0xFF)
        self.key.bytes += self.answerKey(of: head, in: bytes)
        self.key.prepareForLookUp()
        guard let pattern = self.denials[self.key] else { return nil }
        return self.filled(pattern, self.places(in: head), in: bytes, told)
    }

    /// Keeps the verdict on the client that was asked for last, if others of its class are to have
    /// it with gaps.
    mutating func keep(
        _ verdict: Verdict,
        on identity: ClientIdentity,
        _ head: RequestHead,
        in bytes: Span<UInt8>,
        of classKey: VerdictKey,
        _ told: ClientClasses.Told
    ) {
        guard verdict.denial == nil ? self.classes.shares(verdict.decision) : self.keepsDenials,
            let pattern = self.pattern(of: verdict, on: identity),
            // What does not give a client its own verdict gives nobody else's.
            let filled = self.filled(pattern, self.places(in: head), in: bytes, told),
            filled.writesSame(as: verdict)
        else { return }
        if verdict.denial == nil {
            if self.passing.count >= Self.passingCapacity { self.passing.removeAll() }
            self.passing[classKey] = pattern
        } else {
            if self.denials.count >= Self.denialCapacity { self.denials.removeAll() }
            self.denials[self.key] = pattern
        }
    }

    private func pattern(of verdict: Verdict, on identity: ClientIdentity) -> Pattern? {
        guard verdict.denial != nil, identity.version.value != nil else {
            return Pattern(verdict, answer: nil, as: self.logFormat)
        }
        guard let now = verdict.decidedAt,
            let answer = self.ruleSet.answer(
                to: verdict.decision,
                for: identity,
                as: self.key.form,
                at: now,
                versionAs: AnswerPattern.standIn
            )
        else { return nil }
        return Pattern(verdict, answer: AnswerPattern(answer), as: self.logFormat)
    }

    /// The verdict on a client of the class of a pattern; `nil` if its denial cannot be filled.
    private func filled(
        _ pattern: Pattern,
        _ places: Places,
        in bytes: Span<UInt8>,
        _ told: ClientClasses.Told
    ) -> Verdict? {
        var denial = pattern.verdict.denial
        if let answer = pattern.answer {
            guard let place = places.version,
                let version = ClientClasses.versionText(bytes.extracting(place))
            else { return nil }
            denial = answer.filled(with: version)
        }
        var upstreamFields = pattern.verdict.upstreamFields
        if told.isAdded, let place = places.version {
            let added = self.classes.added(for: told, inVersion: bytes.extracting(place))
            upstreamFields = RenderedAnswer.lines(added) + pattern.decisionField
        }
        let logFields = self.logFormat.map { format in
            let identity = Self.identity(of: places, in: bytes)
            return AccessLogFields.rendered(identity, before: pattern.logFields, as: format)
        }
        return Verdict(
            pattern.verdict,
            upstreamFields: upstreamFields,
            denial: denial,
            logFields: logFields ?? []
        )
    }

    private func places(in head: RequestHead) -> Places {
        var places = Places()
        for line in head.fields.lines {
            guard case .identity(let index) = line.role else { continue }
            let place = line.valueStart..<line.valueEnd
            switch self.classes.part(ofHeader: Int(index)) {
            case .app: places.app = place
            case .platform: places.platform = place
            case .version: places.version = place
            case .build: places.build = place
            default: break
            }
        }
        return places
    }

    /// The client as far as log lines show it.
    private static func identity(of places: Places, in bytes: Span<UInt8>) -> ClientIdentity {
        var identity = ClientIdentity()
        func read(_ part: IdentityPart, _ place: Range<Int>?) {
            guard let place else { return }
            ClientClasses.read(part, bytes.extracting(place), into: &identity)
        }
        read(.app, places.app)
        read(.platform, places.platform)
        read(.version, places.version)
        read(.build, places.build)
        return identity
    }

    /// What tells the words that a client reads from those of others of its class.
    private mutating func answerKey(of head: RequestHead, in bytes: Span<UInt8>) -> [UInt8] {
        self.languages.removeAll(keepingCapacity: true)
        for line in head.fields.lines {
            guard case .identity(let index) = line.role,
                self.classes.part(ofHeader: Int(index)) == .languages,
                line.valueEnd - line.valueStart <= IdentityLimits.lineLength
            else { continue }
            self.languages.append(ASCII.lineFeed)
            let value = bytes.extracting(line.valueStart..<line.valueEnd)
            unsafe value.withUnsafeBufferPointer {
                unsafe self.languages.append(contentsOf: $0)
            }
        }
        if let known = self.answerKeys[self.languages] { return known }
        let fields = self.languages.split(separator: ASCII.lineFeed)
        let key = self.ruleSet.answerKey(
            languages: fields.map { String(decoding: $0, as: UTF8.self) }
        )
        guard self.languages.count <= Self.longestLanguages else { return key }
        if self.answerKeys.count >= Self.denialCapacity {
            self.answerKeys.removeAll(keepingCapacity: true)
        }
        self.answerKeys[self.languages] = key
        return key
    }
}
