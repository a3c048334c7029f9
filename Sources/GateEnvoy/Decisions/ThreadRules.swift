import GatePolicy
import Glibc

/// One rule set on one thread, with the verdicts that were derived from it.
///
/// New rules get a new object, so that no request is evaluated against parts of two revisions.
final class ThreadRules {
    /// The facts about a head that are needed apart from its verdict.
    struct Facts {
        fileprivate var method: Int?
        fileprivate var target: Int?
        fileprivate(set) var origin: Int?
        fileprivate var hasRequestMethod = false
        fileprivate var offersUpgrade = false
        fileprivate var announcesBody = false
        /// Whether there is a field that only the gate may send to the backend.
        fileprivate(set) var hasOwned = false
        fileprivate var evidence = FormEvidence()
        /// The first line whose value affects no verdict.
        fileprivate var indifferent: Int?
    }

    private let ruleSet: RuleSet
    private let fields: RequestFieldTable
    private let queryNames: [String]
    private let dependsOnAddress: Bool
    private let distinguishesRequests: Bool
    /// The bit set of the identity fields whose values do not affect any verdict.
    private let indifferent: UInt64
    private let preflight: EnvoyVerdict
    private let now: () -> Timestamp
    private var claims: IdentityClaims
    private var key: [UInt8] = []
    private var verdicts = VerdictTable()

    init(_ ruleSet: RuleSet, now: @escaping () -> Timestamp = ThreadRules.wallClock) {
        self.ruleSet = ruleSet
        self.fields = RequestFieldTable(identityHeaderNames: ruleSet.identityHeaderNames)
        self.queryNames = ruleSet.identityQueryNames
        self.dependsOnAddress = ruleSet.dependsOnAddress
        self.distinguishesRequests = ruleSet.distinguishesRequests
        let names = ruleSet.indifferentHeaderNames
        self.indifferent = ruleSet.identityHeaderNames.prefix(64).enumerated()
            .reduce(0) { $0 | (names.contains($1.element) ? 1 << UInt64($1.offset) : 0) }
        self.preflight = EnvoyVerdict(.preflight, at: now())
        self.now = now
        self.claims = ruleSet.noClaims
    }

    static func wallClock() -> Timestamp {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Timestamp(secondsSinceEpoch: Int64(time.tv_sec))
    }

    /// Returns the verdict on a request.
    ///
    /// - Parameters:
    ///   - lines: The lines of the head.
    ///   - endsWithHead: Whether the request has no body.
    ///   - address: Returns the address of the client.
    /// - Returns: The verdict, from the table if possible, and the facts about the head.
    func verdict(
        on lines: UnsafeBufferPointer<EnvoyLine>,
        endsWithHead: Bool,
        address: () -> String
    ) -> (EnvoyVerdict, Facts) {
        var facts = Facts()
        self.key.removeAll(keepingCapacity: true)
        self.key.append(0)
        unsafe self.read(lines, into: &facts)
        let method = unsafe facts.method.map { unsafe lines[$0].value } ?? Self.nothing
        let target = unsafe facts.target.map { unsafe lines[$0].value } ?? Self.nothing
        let (methodBytes, targetBytes) = unsafe (method.span, target.span)
        if facts.hasRequestMethod, facts.origin != nil, !facts.offersUpgrade, !facts.announcesBody,
            endsWithHead, unsafe Self.isOptions(method)
        {
            return (self.preflight, facts)
        }
        let form = facts.evidence.form(method: methodBytes, target: targetBytes)
        self.key[0] = form.rawValue
        let scope =
            self.distinguishesRequests
            ? self.ruleSet.scope(method: methodBytes, target: targetBytes) : .unrestricted
        // Browsers cannot set header fields for WebSockets.
        let readsQuery = facts.offersUpgrade && !facts.announcesBody && !self.queryNames.isEmpty
        let query =
            readsQuery ? QueryParameters(ofTarget: targetBytes, named: self.queryNames) : .none
        if readsQuery { query.append(to: &self.key) }
        let client = self.dependsOnAddress ? address() : ""
        if self.dependsOnAddress {
            self.key.append(0xFE)
            self.key += client.utf8
        }
        let (known, slot) = self.verdicts.find(self.key, scope)
        if let known, known.isValid(self.now) { return (known, facts) }
        let verdict = unsafe self.decide(on: lines, query, scope, form, address: client)
        self.verdicts.keep(verdict, self.key, scope, slot: slot)
        return (verdict, facts)
    }

    /// Returns the names of the lines that only the gate may send to the backend.
    func ownedNames(in lines: UnsafeBufferPointer<EnvoyLine>) -> [[UInt8]] {
        unsafe lines.filter { unsafe self.fields.meaning(of: $0.key) == .owned }
            .map { unsafe Array($0.key) }
    }

    private static var nothing: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: nil, count: 0)
    }

    private static func isOptions(_ method: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe method.elementsEqual("OPTIONS".utf8)
    }

    /// Reads the facts about a head, and adds the identity to the key.
    private func read(_ lines: UnsafeBufferPointer<EnvoyLine>, into facts: inout Facts) {
        for index in lines.indices {
            let line = unsafe lines[index]
            switch unsafe self.fields.meaning(of: line.key) {
            case .none: continue
            case .method: facts.method = index
            case .target: facts.target = index
            case .identity(let field):
                unsafe self.append(field, at: index, of: lines, &facts)
            case .owned: facts.hasOwned = true
            case .contentType: facts.evidence.add(contentType: unsafe line.value.span)
            case .accept: facts.evidence.add(accept: unsafe line.value.span)
            case .connectVersion: facts.evidence.add(connectVersion: unsafe line.value.span)
            case .graphQL: facts.evidence.addGraphQLField()
            case .origin: facts.origin = facts.origin ?? index
            case .requestMethod: facts.hasRequestMethod = true
            case .upgrade: facts.offersUpgrade = true
            case .framing:
                let isEmpty = unsafe line.value.elementsEqual("0".utf8)
                if !isEmpty { facts.announcesBody = true }
            }
        }
    }

    /// Adds an identity line to the key.
    ///
    /// A device makes no difference to most rules, so the key contains only that there is one. Several such lines are
    /// added with their values, because the backend must get a single one.
    private func append(
        _ field: UInt8,
        at index: Int,
        of lines: UnsafeBufferPointer<EnvoyLine>,
        _ facts: inout Facts
    ) {
        let value = unsafe lines[index].value
        guard self.indifferent & (1 << UInt64(field)) != 0 else {
            return unsafe self.append(field, value)
        }
        guard let first = facts.indifferent else {
            facts.indifferent = index
            guard unsafe Self.isPlain(value) else { return unsafe self.append(field, value) }
            // No value that is part of a key has this length.
            self.key += [field, 0xFF, 0xFF]
            return
        }
        let line = unsafe lines[first]
        if case .identity(let field) = unsafe self.fields.meaning(of: line.key) {
            unsafe self.append(field, line.value)
        }
        unsafe self.append(field, value)
    }

    /// Whether a value is a single token that is unambiguous and needs no cleaning.
    private static func isPlain(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        guard 1...256 ~= value.count else { return false }
        for index in value.indices {
            let byte = unsafe value[index]
            guard (0x21...0x7E).contains(byte), byte != UInt8(ascii: ",") else { return false }
        }
        return true
    }

    /// Adds an identity line to the key; the length precedes the value, so that no value can imitate another field.
    private func append(_ field: UInt8, _ value: UnsafeBufferPointer<UInt8>) {
        self.key.append(field)
        guard value.count <= IdentityLimits.lineLength else {
            // Values of this length are never parsed. They differ only in whether they may be lists.
            let isList = unsafe value.contains(UInt8(ascii: ","))
            self.key += [isList ? 0xFE : 0xFD, 0xFF]
            return
        }
        self.key.append(UInt8(truncatingIfNeeded: value.count))
        self.key.append(UInt8(truncatingIfNeeded: value.count >> 8))
        unsafe self.key.append(value.span)
    }

    private func decide(
        on lines: UnsafeBufferPointer<EnvoyLine>,
        _ query: QueryParameters,
        _ scope: RequestScope,
        _ form: AnswerForm,
        address: String
    ) -> EnvoyVerdict {
        let now = self.now()
        self.claims.removeAll()
        for index in lines.indices {
            let line = unsafe lines[index]
            guard case .identity(let field) = unsafe self.fields.meaning(of: line.key) else {
                continue
            }
            self.claims.addHeader(at: Int(field), unsafe line.value.span)
        }
        self.claims.addQuery(query)
        let identity = self.ruleSet.identify(self.claims)
        let decision = self.ruleSet.decide(identity, in: scope, at: now, address: address)
        return EnvoyVerdict(
            decision,
            upstream: self.ruleSet.upstreamIdentity(self.claims, identity),
            hint: self.ruleSet.hint(for: decision),
            answer: self.ruleSet.answer(to: decision, for: identity, as: form, at: now),
            at: now
        )
    }
}
