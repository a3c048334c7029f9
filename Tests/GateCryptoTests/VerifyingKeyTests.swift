import Testing

@testable import GateCrypto

struct VerifyingKeyTests {
    /// RFC 8032 section 7.1, test 3.
    private static let publicKey = Self.bytes(
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"
    )
    private static let signature = Self.bytes(
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            + "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    )
    private static let text: [UInt8] = [0xAF, 0x82]

    @Test func `a signature is only valid for its own text and key`() throws {
        let key = try #require(VerifyingKey(Self.publicKey))
        #expect(key.accepts(Self.signature, of: Self.text))
        #expect(!key.accepts(Self.signature, of: Self.text + [0]))
        for wrong in [[], Array(Self.signature.dropLast()), Self.signature + [0]] {
            #expect(!key.accepts(wrong, of: Self.text))
        }
        let other = try #require(VerifyingKey([Self.publicKey[0] ^ 1] + Self.publicKey.dropFirst()))
        #expect(!other.accepts(Self.signature, of: Self.text))
    }

    @Test(arguments: [0, 31, 33, 64])
    func `a key has 32 bytes`(count: Int) {
        #expect(VerifyingKey([UInt8](repeating: 1, count: count)) == nil)
    }

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
