import GatePolicy
import Testing

@testable import GateControl

struct PreviewSealTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    private static let secret = "0123456789abcdef"

    private static func seal(_ secrets: String = Self.secret) throws -> PreviewSeal {
        try PreviewSeal(secrets: secrets)
    }

    @Test(arguments: Preview.Kind.allCases)
    func `a field is valid until it expires`(_ kind: Preview.Kind) throws {
        let seal = try Self.seal()
        let preview = Preview(kind: kind, until: Self.now.advanced(by: 60))
        let field = seal.field(for: preview)
        #expect(field.hasPrefix("\(kind.rawValue).1800000060."))
        #expect(seal.read(field, at: Self.now) == .shows(preview))
        #expect(seal.read(field, at: Self.now.advanced(by: 59)) == .shows(preview))
        #expect(seal.read(field, at: Self.now.advanced(by: 60)) == .expired)
    }

    /// HMAC-SHA-256 according to OpenSSL:
    /// `printf 'versiongate preview 1 require.1800000060' | openssl dgst -sha256 -hmac 0123456789abcdef -binary | basenc --base64url`.
    @Test func `the signature is an HMAC-SHA-256`() throws {
        let preview = Preview(kind: .require, until: Self.now.advanced(by: 60))
        let field = try Self.seal().field(for: preview)
        #expect(field == "require.1800000060.T10IWYNJIMnrkjrrpWchuqSX2lVHXFhCUlSlaEvqdq4")
    }

    @Test func `a field that was changed or signed with a different secret counts as forged`()
        throws
    {
        let seal = try Self.seal()
        let preview = Preview(kind: .require, until: Self.now.advanced(by: 60))
        let field = seal.field(for: preview)
        let other = try Self.seal("another secret of 16").field(for: preview)
        let changed = [
            field.replacing("1800000060", with: "1900000060"),
            field.replacing("require", with: "recommend"),
            field.replacing("require", with: "allow"),
            String(field.dropLast()), field + "A", field + ".", " " + field, "require.1800000060.",
            "require.1800000060", "..", "", "require.-1." + field.suffix(43), other,
            String(repeating: "a", count: 10_000),
        ]
        for text in changed { #expect(seal.read(text, at: Self.now) == .forged, "\(text)") }
    }

    @Test func `secrets can be rotated while both are valid`() throws {
        let preview = Preview(kind: .require, until: Self.now.advanced(by: 60))
        let old = try Self.seal().field(for: preview)
        let both = try Self.seal("a newer secret of 16\n\n\(Self.secret)\n")
        #expect(both.read(old, at: Self.now) == .shows(preview))
        let new = both.field(for: preview)
        #expect(try Self.seal().read(new, at: Self.now) == .forged)
        #expect(try Self.seal("a newer secret of 16").read(new, at: Self.now) == .shows(preview))
    }

    @Test(arguments: ["", "\n \n", "short", "0123456789abcdef\nshort"])
    func `a weak secret is rejected`(_ text: String) {
        #expect(throws: PreviewSeal.Failure.self) { try PreviewSeal(secrets: text) }
    }
}
