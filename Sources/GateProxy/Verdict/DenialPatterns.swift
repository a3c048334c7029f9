import GatePolicy

/// The denials of the classes of clients, by the words that they read: all of a class get the same,
/// but for their versions.
///
/// There are as many as the rules have classes and the notices have languages; what a client makes
/// up adds none.
struct DenialPatterns {
    /// A verdict on one client, and its denial with a gap for the version of another one.
    private struct Pattern {
        let verdict: Verdict
        /// `nil` if the client states no version, and all of its class get the same.
        let answer: AnswerPattern?
    }

    private static let capacity = 256
    /// Longer fields with languages, in bytes, are looked at anew each time.
    private static let longestLanguages = 256

    private let ruleSet: RuleSet
    private let classes: ClientClasses
    private var patterns: [VerdictKey: Pattern] = [:]
    /// The key that was looked up last.
    private var key = VerdictKey()
    /// The fields that state the languages of a client, each behind a line feed, which no field holds.
    private var languages: [UInt8] = []
    /// The choices among languages that were made, by these fields: to choose costs as much as the
    /// rest of a request.
    private var answerKeys: [[UInt8]: [UInt8]] = [:]

    /// - Returns: `nil` if denials repeat more of a client than its version.
    init?(_ ruleSet: RuleSet, _ classes: ClientClasses) {
        guard !ruleSet.answersRepeatNames else { return nil }
        self.ruleSet = ruleSet
        self.classes = classes
    }

    /// The verdict on a client of a class, if that is denied and one of it was judged before.
    ///
    /// `form`: that of the answer which the client reads.
    mutating func verdict(
        on head: RequestHead,
        in bytes: Span<UInt8>,
        of classKey: VerdictKey,
        form: AnswerForm
    ) -> Verdict? {
        let version = self.read(head, in: bytes)
        self.key = classKey
        self.key.form = form
        // No part of an identity has this number.
        self.key.bytes.append(0xFF)
        self.key.bytes += self.answerKey()
        self.key.prepareForLookUp()
        guard let pattern = self.patterns[self.key] else { return nil }
        guard let answer = pattern.answer else { return pattern.verdict }
        return version.map { Verdict(pattern.verdict, denial: answer.filled(with: $0)) }
    }

    /// Keeps the verdict on the client that was asked for last, if it is denied.
    mutating func keep(_ verdict: Verdict, on identity: ClientIdentity) {
        guard verdict.denial != nil, verdict.forwardsIdentity else { return }
        var pattern = Pattern(verdict: verdict, answer: nil)
        if identity.version.value != nil {
            guard let now = verdict.decidedAt,
                let answer = self.ruleSet.answer(
                    to: verdict.decision,
                    for: identity,
                    as: self.key.form,
                    at: now,
                    versionAs: AnswerPattern.standIn
                )
            else { return }
            pattern = Pattern(verdict: verdict, answer: AnswerPattern(answer))
        }
        if self.patterns.count >= Self.capacity { self.patterns.removeAll() }
        self.patterns[self.key] = pattern
    }

    /// Takes the languages of a client from its fields.
    ///
    /// - Returns: its version.
    private mutating func read(_ head: RequestHead, in bytes: Span<UInt8>) -> String? {
        var version: String?
        self.languages.removeAll(keepingCapacity: true)
        for line in head.fields.lines {
            guard case .identity(let index) = line.role else { continue }
            let value = bytes.extracting(line.valueStart..<line.valueEnd)
            switch self.classes.part(ofHeader: Int(index)) {
            case .version: version = ClientClasses.versionText(value)
            case .languages where value.count <= IdentityLimits.lineLength:
                self.languages.append(ASCII.lineFeed)
                unsafe value.withUnsafeBufferPointer {
                    unsafe self.languages.append(contentsOf: $0)
                }
            default: break
            }
        }
        return version
    }

    private mutating func answerKey() -> [UInt8] {
        if let known = self.answerKeys[self.languages] { return known }
        let fields = self.languages.split(separator: ASCII.lineFeed)
        let key = self.ruleSet.answerKey(
            languages: fields.map { String(decoding: $0, as: UTF8.self) }
        )
        guard self.languages.count <= Self.longestLanguages else { return key }
        if self.answerKeys.count >= Self.capacity {
            self.answerKeys.removeAll(keepingCapacity: true)
        }
        self.answerKeys[self.languages] = key
        return key
    }
}
