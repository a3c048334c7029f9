import GatePolicy

/// The answers for the refused clients of a class, but for the version of each.
///
/// There are as many as the rules have classes and the notices have languages; what a client makes
/// up adds none.
struct DenialPatterns {
    private struct Pattern {
        let verdict: Verdict
        /// `nil` for a client that states no version: all of its class get the same.
        let answer: AnswerPattern?
    }

    private static let capacity = 256
    /// Longer fields with languages, in bytes, are looked at anew each time.
    private static let longestLanguages = 256

    private let ruleSet: RuleSet
    private let classes: ClientClasses
    private var patterns: [VerdictKey: Pattern] = [:]
    /// That of the pattern that was looked up last.
    private var key = VerdictKey()
    /// The fields that state the languages of a client, each behind a line feed, which no field holds.
    private var languages: [UInt8] = []
    /// The choices among languages that were made, by these fields: to choose costs as much as the
    /// rest of a request.
    private var answerKeys: [[UInt8]: [UInt8]] = [:]

    /// - Returns: `nil` where denials repeat more of a client than its version.
    init?(_ ruleSet: RuleSet, _ classes: ClientClasses) {
        guard !ruleSet.answersRepeatNames else { return nil }
        self.ruleSet = ruleSet
        self.classes = classes
    }

    /// Looks up the verdict on a client of a class.
    ///
    /// - Parameters:
    ///   - head: What the client sent.
    ///   - bytes: Where `head` lies.
    ///   - classKey: That of the class.
    ///   - form: That of the answer which the client reads.
    /// - Returns: `nil` if none of the class was refused before.
    mutating func verdict(
        on head: RequestHead,
        in bytes: Span<UInt8>,
        of classKey: VerdictKey,
        form: AnswerForm
    ) -> Verdict? {
        self.key.repeat(classKey, as: form)
        // No part of an identity has this number.
        self.key.bytes.append(0xFF)
        self.key.bytes += self.answerKey(of: head, in: bytes)
        self.key.prepareForLookUp()
        guard let pattern = self.patterns[self.key] else { return nil }
        return self.filled(pattern, head, in: bytes)
    }

    /// Keeps the verdict on the client that was asked for last, if it is refused.
    mutating func keep(
        _ verdict: Verdict,
        on identity: ClientIdentity,
        _ head: RequestHead,
        in bytes: Span<UInt8>
    ) {
        guard verdict.denial != nil, let pattern = self.pattern(of: verdict, on: identity),
            // A pattern that does not give a client its own verdict gives nobody else's.
            let filled = self.filled(pattern, head, in: bytes), filled.writesSame(as: verdict)
        else { return }
        if self.patterns.count >= Self.capacity { self.patterns.removeAll() }
        self.patterns[self.key] = pattern
    }

    private func pattern(of verdict: Verdict, on identity: ClientIdentity) -> Pattern? {
        guard identity.version.value != nil else { return Pattern(verdict: verdict, answer: nil) }
        guard let now = verdict.decidedAt,
            let answer = self.ruleSet.answer(
                to: verdict.decision,
                for: identity,
                as: self.key.form,
                at: now,
                versionAs: AnswerPattern.standIn
            )
        else { return nil }
        return Pattern(verdict: verdict, answer: AnswerPattern(answer))
    }

    /// The verdict on a client of the class of a pattern; `nil` if it cannot be filled.
    private func filled(
        _ pattern: Pattern,
        _ head: RequestHead,
        in bytes: Span<UInt8>
    ) -> Verdict? {
        guard let answer = pattern.answer else { return pattern.verdict }
        for line in head.fields.lines {
            guard case .identity(let index) = line.role,
                self.classes.parts[Int(index)] == .version
            else { continue }
            let value = bytes.extracting(line.value)
            return ClientClasses.withVersion(in: value) { version in
                Verdict(pattern.verdict, denial: answer.filled(with: version))
            }
        }
        return nil
    }

    /// The key that tells the words that a client reads from those of others of its class.
    private mutating func answerKey(of head: RequestHead, in bytes: Span<UInt8>) -> [UInt8] {
        self.languages.removeAll(keepingCapacity: true)
        for line in head.fields.lines {
            guard case .identity(let index) = line.role,
                self.classes.parts[Int(index)] == .languages,
                line.valueEnd - line.valueStart <= IdentityLimits.lineLength
            else { continue }
            self.languages.append(ASCII.lineFeed)
            self.languages.append(bytes.extracting(line.value))
        }
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
