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
        // Passwords from a browser, with and without a user name.
        (["Basic bmlnaHQ6MDEyMzQ1Njc4OWFiY2RlZg=="], true),
        (["basic OjAxMjM0NTY3ODlhYmNkZWY="], true),
        (["Basic MDEyMzQ1Njc4OWFiY2RlZg=="], false), (["Basic bmlnaHQ6"], false),
        (["Basic !"], false), (["Basic"], false),
    ])
    func `only a valid token admits a request`(values: [String], isAdmitted: Bool) throws {
        let token = try AdminTokens(Self.text).token(stated: values)
        #expect((token != nil) == isAdmitted)
        #expect(token?.name == nil)
    }

    @Test func `of several tokens, the matching one determines the name`() throws {
        let tokens = try AdminTokens(
            "\nnight 0123456789abcdef\n\nmai\t  fedcba9876543210\r\n0000000000000000\n"
        )
        func name(_ token: String) -> String?? {
            tokens.token(stated: ["Bearer \(token)"]).map(\.name)
        }
        #expect(name("0123456789abcdef") == .some("night"))
        #expect(name("fedcba9876543210") == .some("mai"))
        #expect(name("0000000000000000") == .some(nil))
        #expect(name("night 0123456789abcdef") == nil)
        #expect(tokens.text == "0123456789abcdef")
    }

    @Test(arguments: [
        "", "\n \n", "0123456789abcde", "0123456789 abcdef", "0123456789abcdé0",
        "0123456789abcdef\n0", String(repeating: "x", count: 4097),
        "two words 0123456789abcdef", "né 0123456789abcdef",
        String(repeating: "n", count: 65) + " 0123456789abcdef",
        String(repeating: "0123456789abcdef\n", count: 101),
    ])
    func `a token that is weak or cannot be sent is rejected`(text: String) {
        #expect(throws: AdminTokenError.self) { try AdminTokens(text) }
    }
}
