import GatePolicy
import Testing

@testable import GateProxy
@testable import GateWire

struct VerdictCacheTests {
    private static func key(
        _ fields: [(UInt8, String)],
        query: [(String, String)] = [],
        scope: RequestScope = .unrestricted
    ) -> VerdictKey {
        var key = VerdictKey(scope: scope)
        for (field, value) in fields {
            let bytes = Array("x: \(value)\r\n".utf8)
            let line = FieldLine(
                start: 0,
                nameEnd: 1,
                valueStart: 3,
                valueEnd: bytes.count - 2,
                end: bytes.count,
                role: .identity(field)
            )
            key.append(bytes.span, field: field, line)
        }
        let target = "/?" + query.map { "\($0)=\($1)" }.joined(separator: "&")
        key.append(
            query: QueryParameters(ofTarget: target.utf8Span.span, named: query.map(\.0))
        )
        key.prepareForLookUp()
        return key
    }

    @Test func `different identities have different keys`() {
        let values = ["", "a", "b", "ab", "\u{1}\u{1}\u{0}a", "a\u{1}\u{0}\u{0}", "\u{0}", "\u{1}"]
        var keys: [VerdictKey] = [Self.key([])]
        for first in values {
            keys.append(Self.key([(0, first)]))
            keys.append(Self.key([(1, first)]))
            keys.append(Self.key([], query: [("a", first)]))
            for second in values {
                keys.append(Self.key([(0, first), (1, second)]))
                keys.append(Self.key([(0, first), (0, second)]))
                keys.append(Self.key([(1, first), (0, second)]))
                keys.append(Self.key([(0, first)], query: [("a", second)]))
                keys.append(Self.key([], query: [("a", first), ("b", second)]))
                keys.append(Self.key([], query: [("b", first), ("a", second)]))
            }
        }
        #expect(Set(keys).count == keys.count)
    }

    @Test func `equal identities have equal keys`() {
        let first = Self.key([(0, "a"), (1, "b")], query: [("c", "d")])
        let second = Self.key([(0, "a"), (1, "b")], query: [("c", "d")])
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
    }

    @Test func `a long value differs from a short one followed by other fields`() {
        // If lengths were stored in one byte, 300 would become 44.
        let short = String(repeating: "a", count: 44)
        let other = String(repeating: "b", count: 126)
        let long = "\(short)\u{1}~\(other)\u{2}~\(other)"
        #expect(long.utf8.count == 300)
        #expect(Self.key([(0, long)]) != Self.key([(0, short), (1, other), (2, other)]))
    }

    @Test func `the scope is part of a key`() throws {
        let ruleSet = RuleSet(
            RuleSetDefinition(
                revision: "1",
                exemptions: [try RequestPattern(path: "/free", methods: nil)]
            )
        )
        let method = Array("GET".utf8)
        let target = Array("/free".utf8)
        let exempt = ruleSet.scope(method: method.span, target: target.span)
        try #require(exempt.isExempt)
        #expect(Self.key([(0, "a")], scope: exempt) != Self.key([(0, "a")]))
    }

    /// Returns the cached verdict for a key, without marking it as used.
    private static func verdict(for key: VerdictKey, in cache: VerdictCache) -> Verdict? {
        var copy = cache
        return copy.verdict(for: key)?.verdict
    }

    @Test func `an inserted verdict is found only by its key`() {
        var cache = VerdictCache(capacity: 4)
        let first = Verdict(decision: .preflight)
        let second = Verdict(decision: .preflight)
        cache.insert(first, for: Self.key([(0, "a")]))
        cache.insert(second, for: Self.key([(0, "b")]))
        #expect(cache.verdict(for: Self.key([(0, "a")]))?.verdict === first)
        #expect(cache.verdict(for: Self.key([(0, "b")]))?.verdict === second)
        #expect(cache.verdict(for: Self.key([(1, "a")])) == nil)
    }

    @Test func `a flood of identities never exceeds the capacity`() {
        var cache = VerdictCache(capacity: 10)
        let verdict = Verdict(decision: .preflight)
        // Several keys for each slot among the recent verdicts.
        let keys = (0..<8 * VerdictCache.recentCount).map { Self.key([(0, "\($0)")]) }
        for key in keys {
            cache.insert(verdict, for: key)
            #expect(Self.verdict(for: key, in: cache) != nil)
        }
        let kept = keys.count { Self.verdict(for: $0, in: cache) != nil }
        #expect(kept >= 5 && kept <= 10 + VerdictCache.recentCount)
        cache.removeAll()
        #expect(keys.allSatisfy { Self.verdict(for: $0, in: cache) == nil })
    }

    @Test func `an identity that is used survives a flood of others`() {
        var cache = VerdictCache(capacity: 10)
        let regular = Verdict(decision: .preflight)
        cache.insert(regular, for: Self.key([(0, "regular")]))
        for number in 0..<100 {
            cache.insert(Verdict(decision: .preflight), for: Self.key([(0, "\(number)")]))
            if number.isMultiple(of: 4) {
                #expect(cache.verdict(for: Self.key([(0, "regular")]))?.verdict === regular)
            }
        }
    }

    @Test func `the size of the cache in bytes is limited, and evicted verdicts are released`() {
        var given = 0
        var most = 0
        do {
            // Eight verdicts with keys of 256 bytes on average, in two halves.
            var cache = VerdictCache(capacity: 8) { given += $0.count }
            for number in 0..<100 {
                let key = Self.key([(0, "\(number)" + String(repeating: "a", count: 900))])
                cache.insert(Verdict(decision: .preflight), for: key)
                most = max(most, number + 1 - given)
            }
        }
        #expect(given > 90)
        #expect(most <= 4)
    }

    @Test(arguments: [(4, true), (5, false)])
    func `a long identity is not cached`(_ lines: Int, _ isKept: Bool) {
        // The field's number and the length of its value take three bytes.
        var cache = VerdictCache(capacity: 100)
        let key = Self.key((0..<lines).map { (UInt8($0), String(repeating: "a", count: 1021)) })
        cache.insert(Verdict(decision: .preflight), for: key)
        #expect((cache.verdict(for: key) != nil) == isKept)
    }

    @Test func `values that are not parsed are equal`() {
        let length = IdentityLimits.lineLength + 1
        let first = Self.key([(0, String(repeating: "a", count: length))])
        #expect(first == Self.key([(0, String(repeating: "b", count: 30_000))]))
        #expect(first != Self.key([(1, String(repeating: "a", count: length))]))
        #expect(first != Self.key([(0, String(repeating: "a", count: length - 1))]))
        var any = VerdictKey()
        any.append(anyValueOf: 0)
        #expect(first != any)
    }
}
