import Testing

@testable import GateCrypto

struct AuthenticationKeyTests {
    /// RFC 4231 section 4.3, and values from Python's hmac for an empty key and a key longer than a block.
    @Test(arguments: [
        (
            "Jefe", "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        ("", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        (
            String(repeating: "k", count: 131), "Test Using Larger Than Block-Size Key",
            "46ac33ede86549300c0bf2805f311de06f51067bcac093c959fafa72295111ae"
        ),
    ])
    func `the code equals the test vector`(secret: String, text: String, code: String) {
        let key = AuthenticationKey(secret)
        #expect(key.code(of: Array(text.utf8)).hexadecimal == code)
    }

    @Test func `the code of another text or another secret is rejected`() {
        let key = AuthenticationKey("hunter2")
        let text = Array("body".utf8)
        let code = key.code(of: text)
        #expect(key.accepts(code, of: text))
        #expect(!key.accepts(code, of: text + [0]))
        #expect(!AuthenticationKey("hunter3").accepts(code, of: text))
        for wrong in [[], Array(code.dropLast()), code + [0], [code[0] ^ 1] + code.dropFirst()] {
            #expect(!key.accepts(wrong, of: text))
        }
    }
}
