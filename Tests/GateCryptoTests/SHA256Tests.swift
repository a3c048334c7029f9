import Testing

@testable import GateCrypto

struct SHA256Tests {
    /// The FIPS 180-4 examples from
    /// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values.
    private static let known = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]

    @Test(arguments: Self.known)
    func `the hash does not depend on how the text is split`(text: String, hash: String) {
        var whole = SHA256()
        whole.update(Array(text.utf8))
        #expect(whole.digest.hexadecimal == hash)
        var pieces = SHA256()
        for byte in text.utf8 { pieces.update([byte]) }
        #expect(pieces.digest.hexadecimal == hash)
    }

    @Test func `copies are independent of each other`() {
        var first = SHA256()
        first.update(Array("ab".utf8))
        let before = first.digest
        var second = first
        second.update(Array("c".utf8))
        #expect(second.digest.hexadecimal == Self.known[1].1)
        #expect(first.digest == before)
        first.update(Array("c".utf8))
        #expect(first.digest == second.digest)
    }
}
