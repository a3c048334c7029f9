import Testing

@testable import GatePolicy

struct RequestScopeTests {
    private static func patterns(_ numbers: Int...) -> PatternSet {
        var patterns = PatternSet()
        for number in numbers { patterns.insert(number) }
        return patterns
    }

    static let scopes: [RequestScope] = [
        .unrestricted, .exempt,
        RequestScope(isExempt: false, patterns: .everything),
        RequestScope(isExempt: true, patterns: .everything),
        RequestScope(isExempt: false, patterns: Self.patterns(0)),
        RequestScope(isExempt: true, patterns: Self.patterns(0)),
        RequestScope(isExempt: false, patterns: Self.patterns(1)),
        RequestScope(isExempt: false, patterns: Self.patterns(0, 1)),
        RequestScope(isExempt: false, patterns: Self.patterns(0, 1, 2)),
    ]

    @Test(arguments: Self.scopes.indices, Self.scopes.indices)
    func `a scope is only equal to itself`(left: Int, right: Int) {
        #expect((Self.scopes[left] == Self.scopes[right]) == (left == right))
    }

    @Test func `scopes that start with the same patterns have different hashes`() {
        let hashes = Self.scopes.suffix(2).map(\.hashValue)
        #expect(hashes[0] != hashes[1])
    }

    @Test func `only a non-exempt request that matches no pattern is unrestricted`() {
        #expect(Self.scopes.map(\.isUnrestricted) == [true] + Array(repeating: false, count: 8))
    }
}
