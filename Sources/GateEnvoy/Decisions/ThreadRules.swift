import GatePolicy
import Glibc

/// A rule set on one thread, with the verdicts derived from it.
///
/// Each revision has its own object, so that no request is evaluated against parts of two revisions.
final class ThreadRules {
    /// The properties of a request head that the filter needs in addition to the verdict.
    struct Facts {
        fileprivate var method: Int?
        fileprivate var target: Int?
        fileprivate(set) var origin: Int?
        fileprivate var hasRequestMethod = false
        fileprivate(set) var offersUpgrade = false
        fileprivate(set) var acceptsEvents = false
        /// The form of a denial.
        fileprivate(set) var form = AnswerForm.document
        fileprivate var announcesBody = false
        /// The value of `Content-Length`.
        fileprivate(set) var bodyLength: Int?
        /// Whether the client may wait for a response before it sends the body.
        fileprivate(set) var hasExpectation = false
        /// Whether the head has a field that only the gate may send to the backend.
        fileprivate(set) var hasOwned = false
        fileprivate var evidence = FormEvidence()
        fileprivate var hasIdentity = false
        /// The index of the first identity line whose value does not affect any verdict.
        fileprivate var indifferent: Int?
        /// The index of the version line; `nil` for a client that belongs to no class.
        fileprivate(set) var version: Int?
    }

    /// The `RulesFollower.generation` of this rule set.
    let generation: Int
    private let ruleSet: RuleSet
    let fields: RequestFieldTable
    private let queryNames: [String]
    private let dependsOnAddress: Bool
    private let distinguishesRequests: Bool
    /// The bit set of the identity fields whose values do not affect any verdict.
    private let indifferent: UInt64
    /// The classes of clients that the rules distinguish; `nil` if each client is evaluated separately.
    private let classes: ClientClasses?
    private let preflight: EnvoyVerdict
    private let now: () -> Timestamp
    private var claims: IdentityClaims
    /// The key of the current client.
    private var key: [UInt8] = []
    /// The key of the clients that share a verdict: class, languages and form of the denial.
    private var classKey: [UInt8] = []
    private var languages: [UInt8] = []
    private var verdicts = VerdictTable()
    private var tally: RequestTally

    init(
        _ ruleSet: RuleSet,
        generation: Int = 0,
        now: @escaping () -> Timestamp = ThreadRules.wallClock
    ) {
        self.generation = generation
        self.ruleSet = ruleSet
        self.fields = RequestFieldTable(identityHeaderNames: ruleSet.identityHeaderNames)
        self.queryNames = ruleSet.identityQueryNames
        self.dependsOnAddress = ruleSet.dependsOnAddress
        self.distinguishesRequests = ruleSet.distinguishesRequests
        let names = ruleSet.indifferentHeaderNames
        self.indifferent = ruleSet.identityHeaderNames.prefix(64).enumerated()
            .reduce(0) { $0 | (names.contains($1.element) ? 1 << UInt64($1.offset) : 0) }
        // Denials that contain any client data other than the version cannot be shared.
        self.classes = ruleSet.answersRepeatNames ? nil : ruleSet.clientClasses
        var tally = RequestTally()
        self.preflight = EnvoyVerdict(
            .preflight,
            of: ruleSet.revision,
            tallyPlace: tally.place(of: .preflight),
            at: now()
        )
        self.tally = tally
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
    ///   - path: The path for which to evaluate the rules; `nil` means the path of the request.
    ///   - address: Returns the address of the client.
    /// - Returns: The verdict, from the table if possible, and the properties of the head.
    func verdict(
        on lines: UnsafeBufferPointer<EnvoyLine>,
        endsWithHead: Bool,
        path: [UInt8]? = nil,
        address: () -> String
    ) -> (EnvoyVerdict, Facts) {
        var facts = Facts()
        let isClass = unsafe self.read(lines, into: &facts)
        let method = unsafe facts.method.map { unsafe lines[$0].value } ?? Self.nothing
        let target = unsafe facts.target.map { unsafe lines[$0].value } ?? Self.nothing
        let (methodBytes, targetBytes) = unsafe (method.span, target.span)
        if facts.hasRequestMethod, facts.origin != nil, !facts.offersUpgrade, !facts.announcesBody,
            endsWithHead, unsafe Self.isOptions(method)
        {
            return (self.preflight, facts)
        }
        let form = facts.evidence.form(method: methodBytes, target: targetBytes)
        facts.form = form
        let scope =
            if !self.distinguishesRequests {
                RequestScope.unrestricted
            } else if let path {
                self.ruleSet.scope(method: methodBytes, target: path.span)
            } else {
                self.ruleSet.scope(method: methodBytes, target: targetBytes)
            }
        var classSlot: Int?
        if isClass, !facts.offersUpgrade {
            self.classKey[1] = form.rawValue
            let (known, slot) = self.verdicts.find(self.classKey, scope)
            if let known, known.isValid(self.now) { return (known, facts) }
            classSlot = slot
        } else {
            facts.version = nil
        }
        // The query can contain the identity, because browsers cannot set header fields for WebSockets.
        let readsQuery = facts.offersUpgrade && !facts.announcesBody && !self.queryNames.isEmpty
        let query =
            readsQuery ? QueryParameters(ofTarget: targetBytes, named: self.queryNames) : .none
        let client = self.dependsOnAddress ? address() : ""
        unsafe self.describe(lines, query, form, address: client, &facts)
        let (known, slot) = self.verdicts.find(self.key, scope)
        if let known, known.isValid(self.now) { return (known, facts) }
        let subject = Subject(query: query, scope: scope, form: form, address: client)
        if let classSlot {
            let version = unsafe facts.version.map { unsafe lines[$0].value } ?? Self.nothing
            let (verdict, isShared) = unsafe self.decide(on: lines, subject, version: version)
            if isShared {
                self.verdicts.keep(verdict, self.classKey, scope, slot: classSlot)
            } else {
                self.verdicts.keep(verdict, self.key, scope, slot: slot)
            }
            return (verdict, facts)
        }
        let (verdict, _) = unsafe self.decide(on: lines, subject, version: nil)
        self.verdicts.keep(verdict, self.key, scope, slot: slot)
        return (verdict, facts)
    }

    /// Counts a request, and reports the counted requests once a second.
    func count(_ verdict: EnvoyVerdict, _ add: (UInt64, TextBlock) -> Void) {
        self.tally.count(verdict.tallyPlace)
        self.tally.report(at: self.now(), add)
    }

    /// Reports all counted requests before the rules are replaced.
    func reportAll(_ add: (UInt64, TextBlock) -> Void) {
        self.tally.reportAll(add)
    }

    /// Returns the content of a denial for the client of a request.
    func body(
        of denial: EnvoyVerdict.Denial,
        _ facts: Facts,
        in lines: UnsafeBufferPointer<EnvoyLine>
    ) -> [UInt8] {
        guard !denial.gaps.isEmpty, let version = facts.version else { return denial.answer.body }
        return denial.body(with: unsafe lines[version].value.span)
    }

    private static var nothing: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: nil, count: 0)
    }

    private static func isOptions(_ method: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe method.elementsEqual("OPTIONS".utf8)
    }

    /// Reads the properties of a head, and the class of the client.
    ///
    /// - Returns: Whether the client belongs to a class.
    private func read(_ lines: UnsafeBufferPointer<EnvoyLine>, into facts: inout Facts) -> Bool {
        self.classKey.removeAll(keepingCapacity: true)
        // The first byte distinguishes the keys of classes from the keys of clients. The second byte is the form.
        self.classKey += [0xC0, 0]
        self.languages.removeAll(keepingCapacity: true)
        var told = ClientClasses.Told()
        var isClass = self.classes != nil
        for index in lines.indices {
            let line = unsafe lines[index]
            switch unsafe self.fields.meaning(of: line.key) {
            case .none: continue
            case .method: facts.method = index
            case .target: facts.target = index
            case .identity(let field):
                facts.hasIdentity = true
                guard isClass, let classes else { continue }
                let value = unsafe line.value.span
                isClass = classes.tell(header: Int(field), value, to: &self.classKey, &told)
                switch classes.parts[Int(field)] {
                case .version?: facts.version = index
                case .languages?:
                    self.languages.append(UInt8(ascii: "\n"))
                    self.languages.append(value)
                default: break
                }
            case .owned: facts.hasOwned = true
            case .contentType: facts.evidence.add(contentType: unsafe line.value.span)
            case .accept:
                let value = unsafe line.value.span
                facts.evidence.add(accept: value)
                if value.accepts(EventStream.mediaType) { facts.acceptsEvents = true }
            case .connectVersion: facts.evidence.add(connectVersion: unsafe line.value.span)
            case .graphQL: facts.evidence.addGraphQLField()
            case .origin: facts.origin = facts.origin ?? index
            case .requestMethod: facts.hasRequestMethod = true
            case .upgrade: facts.offersUpgrade = true
            case .contentLength:
                let length = unsafe Int(String(decoding: line.value, as: UTF8.self)) ?? .max
                facts.bodyLength = length
                if length > 0 { facts.announcesBody = true }
            case .transferEncoding: facts.announcesBody = true
            case .expect: facts.hasExpectation = true
            }
        }
        self.classKey.append(0xFF)
        self.classKey += self.languages
        // Fields added because of the version line differ between the clients of a class.
        return isClass && facts.hasIdentity && !told.isAdded
            && self.classes?.isComplete(told) == true
    }

    /// Builds the key of the current client.
    private func describe(
        _ lines: UnsafeBufferPointer<EnvoyLine>,
        _ query: QueryParameters,
        _ form: AnswerForm,
        address: String,
        _ facts: inout Facts
    ) {
        self.key.removeAll(keepingCapacity: true)
        self.key.append(form.rawValue)
        if facts.hasIdentity {
            for index in lines.indices {
                let key = unsafe lines[index].key
                guard case .identity(let field) = unsafe self.fields.meaning(of: key) else {
                    continue
                }
                unsafe self.append(field, at: index, of: lines, &facts)
            }
        }
        query.append(to: &self.key)
        if self.dependsOnAddress {
            self.key.append(0xFE)
            self.key += address.utf8
        }
    }

    /// Adds an identity line to the key.
    ///
    /// Most rules do not depend on the device, so the key only records that the line exists. If there are several such
    /// lines, the key contains their values, because the backend must receive a single value.
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
            // No value in a key has this length.
            self.key += [field, 0xFF, 0xFF]
            return
        }
        let line = unsafe lines[first]
        if case .identity(let field) = unsafe self.fields.meaning(of: line.key) {
            unsafe self.append(field, line.value)
        }
        unsafe self.append(field, value)
    }

    /// Returns whether a value is a single unambiguous token that can be forwarded unchanged.
    private static func isPlain(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        guard 1...256 ~= value.count else { return false }
        for index in value.indices {
            let byte = unsafe value[index]
            guard (0x21...0x7E).contains(byte), byte != UInt8(ascii: ",") else { return false }
        }
        return true
    }

    /// Adds an identity line to the key, with a length prefix so that no value can imitate another field.
    private func append(_ field: UInt8, _ value: UnsafeBufferPointer<UInt8>) {
        self.key.append(field)
        guard value.count <= IdentityLimits.lineLength else {
            // Longer values are never parsed, so the key only records whether they might be lists.
            let isList = unsafe value.contains(UInt8(ascii: ","))
            self.key += [isList ? 0xFE : 0xFD, 0xFF]
            return
        }
        self.key.append(UInt8(truncatingIfNeeded: value.count))
        self.key.append(UInt8(truncatingIfNeeded: value.count >> 8))
        unsafe self.key.append(value.span)
    }

    /// The properties of a request other than the client identity in its header fields.
    private struct Subject {
        let query: QueryParameters
        let scope: RequestScope
        let form: AnswerForm
        let address: String
    }

    /// Evaluates the rules.
    ///
    /// - Parameters:
    ///   - lines: The lines of the head.
    ///   - subject: The request.
    ///   - version: The value of the version line of a client that belongs to a class.
    /// - Returns: The verdict, and whether all clients with the same class key share it.
    private func decide(
        on lines: UnsafeBufferPointer<EnvoyLine>,
        _ subject: Subject,
        version: UnsafeBufferPointer<UInt8>?
    ) -> (EnvoyVerdict, isShared: Bool) {
        let now = self.now()
        self.claims.removeAll()
        for index in lines.indices {
            let line = unsafe lines[index]
            guard case .identity(let field) = unsafe self.fields.meaning(of: line.key) else {
                continue
            }
            self.claims.addHeader(at: Int(field), unsafe line.value.span)
        }
        self.claims.addQuery(subject.query)
        let identity = self.ruleSet.identify(self.claims)
        let decision = self.ruleSet.decide(
            identity,
            in: subject.scope,
            at: now,
            address: subject.address
        )
        let upstream = self.ruleSet.upstreamIdentity(self.claims, identity)
        let terms = self.ruleSet.terms(of: decision, for: identity)
        func verdict(_ denial: EnvoyVerdict.Denial?) -> EnvoyVerdict {
            EnvoyVerdict(
                decision,
                of: self.ruleSet.revision,
                tallyPlace: self.tally.place(of: terms),
                upstream: upstream,
                hint: self.ruleSet.hint(for: decision),
                denial: denial,
                at: now
            )
        }
        let own = self.ruleSet.answer(to: decision, for: identity, as: subject.form, at: now)
        guard let version = unsafe version, upstream.add.isEmpty else {
            return (verdict(own.map { EnvoyVerdict.Denial($0) }), false)
        }
        guard let own else {
            return (verdict(nil), self.classes?.shares(decision) == true)
        }
        // Without a version, there is nothing to insert into the denial.
        guard identity.version.value != nil else { return (verdict(.init(own)), true) }
        let pattern = self.ruleSet.answer(
            to: decision,
            for: identity,
            as: subject.form,
            at: now,
            versionAs: VersionGaps.standIn
        )
        guard let pattern, let shared = EnvoyVerdict.Denial(pattern: pattern),
            shared.isSame(as: own, with: unsafe version.span)
        else { return (verdict(.init(own)), false) }
        return (verdict(shared), true)
    }
}
