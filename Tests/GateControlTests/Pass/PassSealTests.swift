import GateCrypto
import GatePolicy
import Testing

@testable import GateControl

struct PassSealTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    private static let secret = "0123456789abcdef"
    private static let id = Pass.ID(parsing: "b0a7c3d2e1f40596") ?? .random()
    private static let device = "8C5B7A1E"

    private static func seal(_ secrets: String = Self.secret) throws -> PassSeal {
        try PassSeal(secrets: secrets)
    }

    /// Returns a pass with every restriction.
    private static func pass(issued: Int64 = 0, until: Int64 = 60) throws -> Pass {
        Pass(
            id: Self.id,
            issued: Self.now.advanced(by: issued),
            until: Self.now.advanced(by: until),
            app: "com.example.shop",
            build: try BuildNumber(parsing: "93.1"),
            deviceDigest: try Self.seal().digest(ofDevice: Self.device, for: Self.id),
            isSingleUse: true
        )
    }

    private static func client(
        app: Claim<String> = .stated("com.example.shop"),
        build: Claim<BuildNumber> = .missing,
        device: Claim<String> = .stated(Self.device)
    ) throws -> ClientIdentity {
        let own = Claim.stated(try BuildNumber(parsing: "93.1"))
        return ClientIdentity(app: app, build: build == .missing ? own : build, device: device)
    }

    @Test func `a field has one value for each pass, and is valid until it expires`() throws {
        let seal = try Self.seal()
        let pass = try Self.pass()
        let field = seal.field(for: pass)
        #expect(field.hasPrefix("b0a7c3d2e1f40596.1800000000.1800000060."))
        #expect(!field.contains(Self.device))
        let client = try Self.client()
        #expect(seal.read(field, of: client, at: Self.now) == .valid(pass))
        #expect(seal.read(field, of: client, at: Self.now.advanced(by: 59)) == .valid(pass))
        let end = Self.now.advanced(by: 60)
        #expect(seal.read(field, of: client, at: end) == .refused(.expired))
        let early = Self.now.advanced(by: -1)
        #expect(seal.read(field, of: client, at: early) == .refused(.notYetValid))
    }

    /// HMAC-SHA-256 according to OpenSSL:
    /// `printf 'versiongate pass 1 b0a7c3d2e1f40596.1800000000.1800000060.' | openssl dgst -sha256 -hmac 0123456789abcdef -binary | basenc --base64url`.
    @Test func `the signature is an HMAC-SHA-256`() throws {
        let pass = Pass(id: Self.id, issued: Self.now, until: Self.now.advanced(by: 60))
        let field = try Self.seal().field(for: pass)
        #expect(
            field
                == "b0a7c3d2e1f40596.1800000000.1800000060..JdIbJ-R48HFed2p9iR2tttoNsIx5ci61Pz_4CR49UBc"
        )
        #expect(try Self.seal().read(field, of: ClientIdentity(), at: Self.now) == .valid(pass))
    }

    /// An altered field, and the reason for which it is refused.
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let field: String
        var refusal = Pass.Refusal.invalid
    }

    private static func attacks() throws -> [Attack] {
        let seal = try Self.seal()
        let field = seal.field(for: try Self.pass())
        let parts = field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        func changed(_ index: Int, _ change: (String) -> String) -> String {
            var parts = parts
            parts[index] = change(parts[index])
            return parts.joined(separator: ".")
        }
        func flipped(_ text: String) -> String {
            String(text.dropLast()) + (text.hasSuffix("A") ? "B" : "A")
        }
        /// Signs any text with the right key and purpose.
        func signed(_ text: String, _ purpose: String = "versiongate pass 1 ") -> String {
            let key = AuthenticationKey(Self.secret)
            return "\(text).\(Base64URL.text(key.code(of: Array((purpose + text).utf8))))"
        }
        let text = parts.dropLast().joined(separator: ".")
        let preview = Preview(kind: .require, until: Self.now.advanced(by: 60))
        let shown = try PreviewSeal(secrets: Self.secret).field(for: preview)
        let last = Self.now.secondsSinceEpoch + Pass.longestLifetime
        let plain = "\(Self.id).1800000000.1800000060."
        return [
            Attack(testDescription: "other ID", field: changed(0) { flipped($0) }),
            Attack(testDescription: "issued earlier", field: changed(1) { _ in "1700000000" }),
            Attack(testDescription: "expires later", field: changed(2) { _ in "1800000061" }),
            Attack(testDescription: "no restrictions", field: changed(3) { _ in "" }),
            Attack(testDescription: "other restrictions", field: changed(3) { flipped($0) }),
            Attack(testDescription: "other signature", field: changed(4) { "A" + $0.dropFirst() }),
            Attack(testDescription: "no signature", field: changed(4) { _ in "" }),
            Attack(testDescription: "cut", field: String(field.dropLast())),
            Attack(testDescription: "lengthened", field: field + "A"),
            Attack(testDescription: "another part", field: field + "."),
            Attack(testDescription: "padding", field: field + "="),
            Attack(testDescription: "blank", field: " " + field),
            Attack(testDescription: "the last bits of the signature", field: Self.respelled(field)),
            Attack(
                testDescription: "standard base64",
                field: changed(4) { Self.standard($0) }
            ),
            Attack(
                testDescription: "another secret",
                field: try Self.seal("another secret of 16").field(for: try Self.pass())
            ),
            Attack(testDescription: "a preview", field: shown),
            Attack(
                testDescription: "signed for a preview",
                field: signed(text, "versiongate preview 1 ")
            ),
            Attack(
                testDescription: "signed for a device",
                field: signed(text, "versiongate pass device 1 ")
            ),
            Attack(testDescription: "signed: capitals", field: signed(plain.uppercased())),
            Attack(
                testDescription: "signed: leading zero",
                field: signed("\(Self.id).01800000000.1800000060.")
            ),
            Attack(
                testDescription: "signed: plus sign",
                field: signed("\(Self.id).1800000000.+1800000060.")
            ),
            Attack(
                testDescription: "signed: negative time",
                field: signed("\(Self.id).-1.1800000060.")
            ),
            Attack(
                testDescription: "signed: ends before it starts",
                field: signed("\(Self.id).1800000000.1799999999.")
            ),
            Attack(
                testDescription: "signed: more than 30 days",
                field: signed("\(Self.id).1800000000.\(last + 1).")
            ),
            Attack(
                testDescription: "signed: unknown claim",
                field: signed(plain + Base64URL.text(Array("admin".utf8)))
            ),
            Attack(
                testDescription: "signed: claims in another order",
                field: signed(plain + Base64URL.text(Array("once\napp=a".utf8)))
            ),
            Attack(
                testDescription: "signed: a build that is no number",
                field: signed(plain + Base64URL.text(Array("build=093".utf8)))
            ),
            Attack(
                testDescription: "signed: an ID that starts with a digit",
                field: signed("10a7c3d2e1f40596.1800000000.1800000060.")
            ),
            Attack(testDescription: "empty", field: ""),
            Attack(testDescription: "dots", field: "...."),
            Attack(testDescription: "not ASCII", field: "é.é.é.é.é"),
            Attack(testDescription: "long", field: String(repeating: "a.", count: 10_000)),
            Attack(
                testDescription: "expired",
                field: seal.field(for: try Self.pass(issued: -60, until: 0)),
                refusal: .expired
            ),
            Attack(
                testDescription: "issued in the future",
                field: seal.field(for: try Self.pass(issued: 1)),
                refusal: .notYetValid
            ),
        ]
    }

    /// Returns the field with another spelling of the same signature: 256 bits take 43 digits of six bits, so that
    /// two bits of the last digit have no meaning.
    private static func respelled(_ field: String) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = digits.firstIndex(of: field.last ?? "A") ?? 0
        return field.dropLast() + String(digits[last ^ 1])
    }

    /// Returns a signature in base64 with padding (RFC 4648 section 4).
    private static func standard(_ signature: String) -> String {
        signature.replacing("-", with: "+").replacing("_", with: "/") + "="
    }

    @Test func `an altered field is refused with the right reason`() throws {
        let seal = try Self.seal()
        let client = try Self.client()
        for attack in try Self.attacks() {
            let reading = seal.read(attack.field, of: client, at: Self.now)
            #expect(reading == .refused(attack.refusal), "\(attack.testDescription)")
        }
    }

    @Test func `a pass is no preview`() throws {
        let previews = try PreviewSeal(secrets: Self.secret)
        let field = try Self.seal().field(for: try Self.pass())
        #expect(previews.read(field, at: Self.now) == .forged)
    }

    @Test func `another app, build or device is refused, and so is an unreadable one`() throws {
        let seal = try Self.seal()
        let field = seal.field(for: try Self.pass())
        let others = [
            try Self.client(app: .stated("com.example.shop2")), try Self.client(app: .missing),
            try Self.client(app: .unreadable("com.example.shop, com.example.shop")),
            try Self.client(app: .stated("COM.EXAMPLE.SHOP")),
            try Self.client(build: .stated(93)), try Self.client(build: .unreadable("93.1x")),
            try Self.client(device: .stated("8C5B7A1F")), try Self.client(device: .missing),
            try Self.client(device: .stated("8c5b7a1e")), ClientIdentity(),
        ]
        for client in others {
            let reading = seal.read(field, of: client, at: Self.now)
            #expect(reading == .refused(.otherClient), "\(client)")
        }
        // The same build in another spelling.
        let same = try Self.client(build: .stated(try BuildNumber(parsing: "93.1.0")))
        #expect(seal.read(field, of: same, at: Self.now) == .valid(try Self.pass()))
        // Without restrictions, every client has the pass.
        let plain = Pass(id: Self.id, issued: Self.now, until: Self.now.advanced(by: 1))
        let anyone = seal.field(for: plain)
        for client in others {
            #expect(seal.read(anyone, of: client, at: Self.now) == .valid(plain))
        }
    }

    @Test func `two passes for one device have different digests`() throws {
        let seal = try Self.seal()
        let one = seal.digest(ofDevice: Self.device, for: Self.id)
        #expect(one != seal.digest(ofDevice: Self.device, for: Pass.ID(0xB0A7_C3D2_E1F4_0597)))
        #expect(
            one
                != (try Self.seal("another secret of 16").digest(
                    ofDevice: Self.device,
                    for: Self.id
                ))
        )
    }

    @Test func `secrets can be rotated while both are valid`() throws {
        let pass = try Self.pass()
        let old = try Self.seal().field(for: pass)
        let both = try Self.seal("a newer secret of 16\n\n\(Self.secret)\n")
        let client = try Self.client()
        #expect(both.read(old, of: client, at: Self.now) == .valid(pass))
        let new = both.field(
            for: Pass(id: Self.id, issued: Self.now, until: Self.now.advanced(by: 9))
        )
        #expect(try Self.seal().read(new, of: client, at: Self.now) == .refused(.invalid))
    }

    @Test func `the longest pass is within the limit`() throws {
        let name = String(repeating: "x", count: 256)
        #expect(Pass.canState(name) && !Pass.canState(name + "x"))
        let build = String(repeating: "9", count: 19)
        let pass = Pass(
            id: Self.id,
            issued: Timestamp(secondsSinceEpoch: .max).advanced(by: -60),
            until: Timestamp(secondsSinceEpoch: .max),
            app: name,
            build: try BuildNumber(
                parsing: Array(repeating: build, count: 3).joined(separator: ".")
            ),
            deviceDigest: try Self.seal().digest(ofDevice: name, for: Self.id),
            isSingleUse: true
        )
        #expect(try Self.seal().field(for: pass).utf8.count <= PassSeal.longest)
    }
}
