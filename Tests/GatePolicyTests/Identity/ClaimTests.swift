import Testing

@testable import GatePolicy

@Suite struct ClaimTests {
    static let cases: [([Claim<String>], Claim<String>)] = [
        ([], .missing),
        ([.missing, .missing], .missing),
        ([.missing, .stated("a"), .missing], .stated("a")),
        ([.stated("a"), .stated("a")], .stated("a")),
        ([.stated("a"), .stated("b")], .unreadable("a, b")),
        ([.stated("a"), .stated("b"), .stated("a")], .unreadable("a, b")),
        ([.stated("a"), .unreadable("x")], .unreadable("x")),
        ([.unreadable("x"), .stated("a")], .unreadable("x")),
        ([.unreadable("x"), .unreadable("y")], .unreadable("x")),
    ]

    @Test(arguments: cases)
    func `equal statements are merged, and different ones are invalid`(
        statements: [Claim<String>],
        merged: Claim<String>
    ) {
        var claim = Claim<String>.missing
        for statement in statements { claim.merge(statement) }
        #expect(claim == merged)
    }
}
