import Testing

@testable import GateAdmin

struct AdminTokenTests {
    private static let text = "0123456789abcdef"

    @Test(arguments: [
        (["Bearer 0123456789abcdef"], true), (["bearer 0123456789abcdef"], true),
        (["BEARER   0123456789abcdef"], true), ([], false), ([""], false), (["Bearer"], false),
        (["Bearer "], false), (["Bearer 0123456789abcdeF"], false),
        (["Bearer 0123456789abcde"], false), (["Bearer 0123456789abcdef0"], false),
        (["Bearer 0123456789abcdef0123456789abcdef"], false), (["0123456789abcdef"], false),
        (["Basic 0123456789abcdef"], false), (["Bearer 0123456789abcdef "], false),
        (["Bearer 0123456789abcdef", "Bearer 0123456789abcdef"], false),
        (["Bearer0123456789abcdef"], false),
    ])
    func `a request is admitted by the token alone`(values: [String], isAdmitted: Bool) throws {
        #expect(try AdminToken(Self.text).admits(values) == isAdmitted)
    }

    @Test(arguments: [
        "", "0123456789abcde", "0123456789 abcdef", "0123456789abcdé0", "0123456789abcdef\n0",
        String(repeating: "x", count: 4097),
    ])
    func `what could be guessed, or not be sent, is no token`(text: String) {
        #expect(throws: AdminTokenError.self) { try AdminToken(text) }
    }
}
