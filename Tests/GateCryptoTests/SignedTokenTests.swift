import Foundation
import GateTestSupport
import Testing

@testable import GateCrypto

/// Tokens signed with keys from `openssl`.
///
/// The feed tests check that servers emulating Apple's and Google's APIs accept them.
@Suite(.ownThread, .enabled(if: TestKey.canBeMade, "openssl is missing"))
struct SignedTokenTests {
    private struct Claims: Codable, Equatable {
        var iss = "me"
        var aud = "https://a.example/~?>"
        var sub: String?
        var exp: Int64 = 1_800_000_000
    }

    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func `a token has its claims and is signed`() throws {
        defer { self.folder.remove() }
        let pair = try TestKey(.rsa, in: self.folder)
        let key = try #require(SigningKey(pem: pair.privateKey, for: .rs256))
        let token = try #require(SignedToken(Claims(), by: key, id: "key-1"))
        let parts = token.text.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        #expect(try Self.json(parts[0]) == ["alg": "RS256", "kid": "key-1", "typ": "JWT"])
        let claims = try JSONDecoder().decode(Claims.self, from: Self.data(parts[1]))
        #expect(claims == Claims())
        let signature = try Array(Self.data(parts[2]))
        #expect(try pair.verifies(signature, of: "\(parts[0]).\(parts[1])"))
        #expect(try !pair.verifies(signature, of: "\(parts[0]).\(parts[1])x"))
        let nameless = try #require(SignedToken(Claims(), by: key, id: nil))
        #expect(
            try Self.json(nameless.text.prefix { $0 != "." }) == ["alg": "RS256", "typ": "JWT"]
        )
    }

    @Test func `a P-256 signature always has 64 bytes`() throws {
        defer { self.folder.remove() }
        let pair = try TestKey(.p256, in: self.folder)
        let key = try #require(SigningKey(pem: pair.privateKey, for: .es256))
        // In one of 256 cases, a number starts with a zero byte, which DER omits.
        for round in 0..<1000 {
            #expect(key.signature(of: [UInt8(round & 0xFF)])?.count == 64)
        }
    }

    @Test func `a key is only accepted for its own algorithm`() throws {
        defer { self.folder.remove() }
        let rsa = try TestKey(.rsa, in: self.folder, name: "rsa.pem")
        let p256 = try TestKey(.p256, in: self.folder, name: "p256.pem")
        let p384 = try TestKey(.p384, in: self.folder, name: "p384.pem")
        func fits(_ text: String) -> [Bool] {
            [SigningKey.Algorithm.rs256, .es256].map { SigningKey(pem: text, for: $0) != nil }
        }
        #expect(fits(rsa.privateKey) == [true, false])
        #expect(fits(try rsa.privateKey("-traditional")) == [true, false])
        #expect(fits(p256.privateKey) == [false, true])
        #expect(fits(try p256.privateKey("-traditional")) == [false, true])
        #expect(fits(p384.privateKey) == [false, false])
        // An encrypted key does not cause a prompt for its password.
        let locked = try rsa.privateKey("-aes128", "-passout", "pass:hunter2")
        for text in [locked, rsa.publicKey, "", "-----BEGIN PRIVATE KEY-----\n", "hunter2"] {
            #expect(fits(text) == [false, false])
        }
    }

    private static func data(_ text: Substring) throws -> Data {
        Data(try #require(Base64URL.bytes(text)))
    }

    private static func json(_ text: Substring) throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: self.data(text))
    }
}
