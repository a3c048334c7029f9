import GatePolicy
import GateWire

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
    /// One bit for each field of a version, and of languages, by the index of its role.
    private let versionFields: UInt64
    private let languageFields: UInt64
    private var patterns: [VerdictKey: Pattern] = [:]
    /// That of the pattern of the client that is asked for.
    private var key = VerdictKey()
    /// Bytes at the beginning of a client's key that are the key of its pattern.
    private var patternLength = 0
    /// The fields that state the languages of a client, each behind a line feed, which no field holds.
    private var languages = VerdictKey()
    /// The choices among languages that were made, by these fields: to choose costs as much as the
    /// rest of a request.
    private var answerKeys: [VerdictKey: AnswerKey] = [:]
    /// Some of the last ones, by the end of the digest of their fields: to look them up in a dictionary costs
    /// several times as much.
    private var recentAnswerKeys = [AnswerKey?](repeating: nil, count: Self.recentCount)

    /// The part of a denial's key that some `Accept-Language` fields lead to.
    private final class AnswerKey: Sendable {
        let languages: VerdictKey
        let words: [UInt8]

        init(_ words: [UInt8], for languages: VerdictKey) {
            self.languages = languages
            self.words = words
        }

        func appendWords(to key: inout [UInt8]) {
            let words = self.words
            key.append(words.span)
        }

        /// Whether the field is short enough for others to find it.
        var isKept: Bool { self.languages.bytes.count <= DenialPatterns.longestLanguages }

        /// Whether it is about these languages, compared in place.
        @inline(never)
        func has(_ languages: borrowing VerdictKey) -> Bool {
            self.languages.isEqual(to: languages)
        }
    }

    /// A power of two.
    private static let recentCount = 256

    /// - Returns: `nil` where denials repeat more of a client than its version.
    init?(_ ruleSet: RuleSet, _ classes: ClientClasses) {
        guard !ruleSet.answersRepeatNames else { return nil }
        self.ruleSet = ruleSet
        func fields(of part: IdentityPart) -> UInt64 {
            classes.parts.indices.reduce(0) {
                $0 | (classes.parts[$1] == part ? 1 << UInt64($1) : 0)
            }
        }
        self.versionFields = fields(of: .version)
        self.languageFields = fields(of: .languages)
    }

    var isEmpty: Bool { self.patterns.isEmpty }

    /// Sets the key by which those clients of a class find their denial that state the same version in the same way
    /// and read the same words, whatever else they are.
    ///
    /// `verdict(on:in:by:)` and `keep(_:on:_:in:by:)` are about the same client, and take its key.
    ///
    /// - Parameters:
    ///   - lookUp: Knows the class, and gets the key.
    ///   - head: What the client sent.
    ///   - bytes: Where `head` lies.
    ///   - form: That of the answer which the client reads.
    mutating func setKey(
        in lookUp: inout VerdictLookUp,
        of head: RequestHead,
        in bytes: Span<UInt8>,
        form: AnswerForm
    ) {
        lookUp.denialKey.repeat(lookUp.classKey, as: form)
        // No part of an identity has this number.
        lookUp.denialKey.bytes.append(0xFF)
        self.appendAnswerKey(of: head, in: bytes, to: &lookUp.denialKey.bytes)
        self.patternLength = lookUp.denialKey.bytes.count
        guard let line = self.versionLine(of: head) else { return }
        lookUp.denialKey.bytes.append(bytes.extracting(line.value))
        // At the end, so that nothing in front can look like a part of it.
        lookUp.denialKey.bytes.append(UInt8(truncatingIfNeeded: line.valueEnd - line.valueStart))
    }

    /// Fills the pattern of a class with the version of a client of it.
    ///
    /// - Returns: `nil` if none of the class was refused before.
    mutating func verdict(
        on head: RequestHead,
        in bytes: Span<UInt8>,
        by denialKey: VerdictKey
    ) -> Verdict? {
        self.setPatternKey(denialKey)
        guard let pattern = self.patterns[self.key] else { return nil }
        return self.filled(pattern, head, in: bytes)
    }

    /// Keeps the verdict on the client that was asked for last, if it is refused.
    ///
    /// - Returns: whether others of its class are known by it.
    mutating func keep(
        _ verdict: Verdict,
        on identity: ClientIdentity,
        _ head: RequestHead,
        in bytes: Span<UInt8>,
        by denialKey: VerdictKey
    ) -> Bool {
        self.setPatternKey(denialKey)
        guard verdict.denial != nil, let pattern = self.pattern(of: verdict, on: identity),
            // A pattern that does not give a client its own verdict gives nobody else's.
            let filled = self.filled(pattern, head, in: bytes), filled.writesSame(as: verdict)
        else { return false }
        if self.patterns.count >= Self.capacity { self.patterns.removeAll() }
        self.patterns[self.key.copied()] = pattern
        return true
    }

    private mutating func setPatternKey(_ denialKey: VerdictKey) {
        self.key.repeat(denialKey, as: denialKey.form)
        self.key.bytes.removeLast(self.key.bytes.count - self.patternLength)
        self.key.prepareForLookUp()
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
        guard let line = self.versionLine(of: head) else { return nil }
        return ClientClasses.withVersion(in: bytes.extracting(line.value)) { version in
            Verdict(pattern.verdict, denial: answer.filled(with: version))
        }
    }

    private func versionLine(of head: borrowing RequestHead) -> FieldLine? {
        let lines = head.fields.lines.span
        for index in lines.indices {
            guard case .identity(let field) = lines[index].role,
                self.versionFields & 1 &<< UInt64(field) != 0
            else { continue }
            return lines[index]
        }
        return nil
    }

    /// Appends what tells the words that a client reads from those of others of its class.
    private mutating func appendAnswerKey(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        to key: inout [UInt8]
    ) {
        self.languages.bytes.removeAll(keepingCapacity: true)
        let lines = head.fields.lines.span
        for index in lines.indices {
            guard case .identity(let field) = lines[index].role,
                self.languageFields & 1 &<< UInt64(field) != 0
            else { continue }
            let line = lines[index]
            guard line.valueEnd - line.valueStart <= IdentityLimits.lineLength else { continue }
            self.languages.bytes.append(ASCII.lineFeed)
            self.languages.bytes.append(bytes.extracting(line.value))
        }
        self.languages.prepareForLookUp()
        let place = self.languages.digest & (Self.recentCount - 1)
        if let recent = self.recentAnswerKeys[place], recent.has(self.languages) {
            return recent.appendWords(to: &key)
        }
        let found = self.answerKeys[self.languages] ?? self.newAnswerKey()
        found.appendWords(to: &key)
        if found.isKept { self.recentAnswerKeys[place] = found }
    }

    /// Chooses the words for the languages at hand, and keeps the choice unless they are too long.
    private mutating func newAnswerKey() -> AnswerKey {
        let fields = self.languages.bytes.split(separator: ASCII.lineFeed)
        let words = self.ruleSet.answerKey(
            languages: fields.map { String(decoding: $0, as: UTF8.self) }
        )
        let languages = self.languages.copied()
        let answerKey = AnswerKey(words, for: languages)
        guard answerKey.isKept else { return answerKey }
        if self.answerKeys.count >= Self.capacity {
            self.answerKeys.removeAll(keepingCapacity: true)
        }
        self.answerKeys[languages] = answerKey
        return answerKey
    }
}
