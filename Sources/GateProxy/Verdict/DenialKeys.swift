import GatePolicy
import GateWire
import Glibc

/// A generator of keys for shared denials.
///
/// Denied clients of a class that get the same texts share a denial in which only the version
/// differs. Whatever clients send, the number of keys is limited by the classes of the rules and
/// the languages of the notices.
///
/// This is a class, because a call through an optional property would copy a struct.
final class DenialKeys {
    private static let capacity = 256
    /// The maximum total size, in bytes, of language fields for which the chosen texts are cached.
    private static let longestLanguages = 256

    private let ruleSet: RuleSet
    /// The bit set of the fields that contain versions.
    ///
    /// Bit n represents the field whose role has index n.
    private let versionFields: UInt64
    /// The bit set of the fields that contain languages.
    private let languageFields: UInt64
    /// The language fields of the current client, each preceded by a line feed, which no field can contain.
    private var languages = VerdictKey()
    /// A cache of chosen texts, by language fields.
    ///
    /// Choosing texts costs as much as the rest of a request.
    private var answerKeys: [VerdictKey: AnswerKey] = [:]
    /// A small cache of recently chosen texts, because a dictionary lookup costs several times as much.
    ///
    /// The indices are the low-order bits of the digests of the language fields.
    private var recentAnswerKeys = [AnswerKey?](repeating: nil, count: DenialKeys.recentCount)
    /// The most recently chosen texts, if the request had a single language field.
    ///
    /// Consecutive clients often send the same field.
    private var lastAnswerKey: AnswerKey?

    /// The part of a denial key that results from particular language fields.
    private final class AnswerKey: Sendable {
        let languages: VerdictKey
        let words: [UInt8]

        init(_ words: [UInt8], for languages: VerdictKey) {
            self.languages = languages
            self.words = words
        }

        /// Returns whether the language fields are a single field with this value, which is
        /// compared in place.
        func isAbout(_ value: Span<UInt8>) -> Bool {
            let languages = self.languages.bytes
            guard languages.count == value.count + 1 else { return false }
            return unsafe languages.withUnsafeBytes { languages in
                unsafe value.withUnsafeBytes { value in
                    guard let start = languages.baseAddress, let other = value.baseAddress else {
                        return true
                    }
                    return unsafe memcmp(start + 1, other, value.count) == 0
                }
            }
        }

        func appendWords(to key: inout [UInt8]) {
            let words = self.words
            key.append(words.span)
        }

        /// Whether the language fields are short enough to cache this part of the key.
        var isKept: Bool { self.languages.bytes.count <= DenialKeys.longestLanguages }

        /// Returns whether this part of the key results from these language fields, which are
        /// compared in place.
        @inline(never)
        func has(_ languages: borrowing VerdictKey) -> Bool {
            self.languages.isEqual(to: languages)
        }
    }

    /// The number of entries in `recentAnswerKeys`, a power of two.
    private static let recentCount = 256

    /// Creates a generator.
    ///
    /// - Returns: The generator, or `nil` if denials contain client data other than the version.
    init?(_ ruleSet: RuleSet, _ classes: ClientClasses) {
        guard !ruleSet.answersRepeatNames else { return nil }
        self.ruleSet = ruleSet
        func fields(of part: IdentityPart) -> UInt64 {
            UInt64(bits: classes.parts.indices.filter { classes.parts[$0] == part })
        }
        self.versionFields = fields(of: .version)
        self.languageFields = fields(of: .languages)
    }

    /// Sets the key of the shared denial in a lookup that already contains the key of the client's class.
    func setKey(
        in lookUp: inout VerdictLookUp,
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        form: AnswerForm
    ) {
        lookUp.denialKey.repeat(lookUp.classKey, as: form)
        // This byte is a separator: no part of the identity has this index.
        lookUp.denialKey.bytes.append(0xFF)
        self.appendAnswerKey(of: head, in: bytes, to: &lookUp.denialKey.bytes)
    }

    /// Returns the verdict without the client's version, which all clients with the same denial key share.
    ///
    /// - Returns: The verdict, or `nil` if inserting this client's version would not result in the
    ///   client's own denial.
    func shared(
        _ verdict: Verdict,
        on identity: ClientIdentity,
        as form: AnswerForm,
        _ head: borrowing RequestHead,
        in bytes: Span<UInt8>
    ) -> Verdict? {
        guard let denial = verdict.denial else { return nil }
        guard identity.version.value != nil else { return verdict }
        guard let now = verdict.decidedAt,
            let answer = self.ruleSet.answer(
                to: verdict.decision,
                for: identity,
                as: form,
                at: now,
                versionAs: VersionGaps.standIn
            ),
            let pattern = RenderedAnswer(pattern: answer),
            let filled = self.withVersion(of: head, in: bytes, { pattern.filled(with: $0) }),
            filled == denial
        else { return nil }
        return Verdict(verdict, denial: pattern)
    }

    /// Calls `use` with the client's version as it appears in the denial, and returns the result.
    ///
    /// If there is no version, returns `nil` without calling `use`.
    func withVersion<Result>(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        _ use: (Span<UInt8>) -> Result
    ) -> Result? {
        guard let line = self.versionLine(of: head) else { return nil }
        return ClientClasses.withVersion(in: bytes.extracting(line.value), use)
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

    /// Appends the part of the key that distinguishes the texts for clients of the same class.
    private func appendAnswerKey(
        of head: borrowing RequestHead,
        in bytes: Span<UInt8>,
        to key: inout [UInt8]
    ) {
        let lines = head.fields.lines.span
        let only = self.onlyLanguages(in: lines)
        if let last = self.lastAnswerKey, let only, last.isAbout(bytes.extracting(only.value)) {
            return last.appendWords(to: &key)
        }
        self.languages.bytes.removeAll(keepingCapacity: true)
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
            self.lastAnswerKey = only == nil ? nil : recent
            return recent.appendWords(to: &key)
        }
        let found = self.answerKeys[self.languages] ?? self.newAnswerKey()
        found.appendWords(to: &key)
        self.lastAnswerKey = only == nil ? nil : found
        if found.isKept { self.recentAnswerKeys[place] = found }
    }

    /// Returns the only field line with languages, or `nil` if there is none or more than one.
    private func onlyLanguages(in lines: Span<FieldLine>) -> FieldLine? {
        var only: Int?
        for index in lines.indices {
            guard case .identity(let field) = lines[index].role,
                self.languageFields & 1 &<< UInt64(field) != 0
            else { continue }
            guard only == nil else { return nil }
            only = index
        }
        return only.map { lines[$0] }
    }

    /// Chooses the texts for the current languages, and caches the result unless the fields are too long.
    private func newAnswerKey() -> AnswerKey {
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
