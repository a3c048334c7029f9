package import Foundation

/// A pair of keys that the program `openssl` makes, signs with and checks by.
package struct TestKey: Sendable {
    package enum Kind: Sendable {
        case rsa, p256, p384, ed25519

        fileprivate var arguments: [String] {
            switch self {
            case .rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            case .p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"]
            case .ed25519: ["-algorithm", "ED25519"]
            }
        }
    }

    /// Whether one can be made here.
    package static var canBeMade: Bool { ToolProcess.isInstalled("openssl") }

    /// The file of the private key, in PEM form.
    package let path: String
    /// Both halves in PEM form.
    package let privateKey: String
    package let publicKey: String
    private let folder: TemporaryFolder

    /// Makes the pair; `name`: of its file in the folder.
    ///
    /// All pairs of RSA are the same one but those that are the `own` of somebody: to look for the primes
    /// of so many took a tenth of what the tests take.
    package init(
        _ kind: Kind,
        in folder: TemporaryFolder,
        name: String = "key.pem",
        own: Bool = false
    ) throws {
        self.folder = folder
        self.path = folder.path(of: name)
        if kind == .rsa, !own {
            try folder.writeInPlace(try Self.sharedRSA.get(), to: name)
        } else {
            try Self.openssl(["genpkey", "-out", self.path] + kind.arguments)
        }
        self.privateKey = try String(contentsOf: folder.file(name), encoding: .utf8)
        self.publicKey = try Self.openssl(["pkey", "-in", self.path, "-pubout"])
    }

    private static let sharedRSA = Result<String, any Error> {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        return try TestKey(.rsa, in: folder, own: true).privateKey
    }

    /// The same private key as others write it: of its kind alone, or encrypted.
    package func privateKey(_ arguments: String...) throws -> String {
        try Self.openssl(["pkey", "-in", self.path] + arguments)
    }

    /// The 32 bytes of the public half of Ed25519, in base 64.
    package func rawPublicKey() throws -> String {
        let out = self.folder.path(of: "public.der")
        try Self.openssl(["pkey", "-in", self.path, "-pubout", "-outform", "DER", "-out", out])
        return try Data(contentsOf: URL(fileURLWithPath: out)).suffix(32).base64EncodedString()
    }

    /// The signature of a text by Ed25519.
    package func signature(of text: String) throws -> Data {
        let (content, out) = (self.folder.file("signed"), self.folder.file("signature"))
        try Data(text.utf8).write(to: content)
        let files = ["-inkey", self.path, "-in", content.path, "-out", out.path]
        try Self.openssl(["pkeyutl", "-sign", "-rawin"] + files)
        return try Data(contentsOf: out)
    }

    /// Whether a signature by RSA (PKCS #1 1.5) and SHA-256 is that of a text.
    package func verifies(_ signature: [UInt8], of text: String) throws -> Bool {
        let (content, file) = (self.folder.file("signed"), self.folder.file("signature"))
        try Data(text.utf8).write(to: content)
        try Data(signature).write(to: file)
        let key = ["-prverify", self.path, "-signature", file.path, content.path]
        return try ToolProcess.run("openssl", ["dgst", "-sha256"] + key).status == 0
    }

    @discardableResult
    private static func openssl(_ arguments: [String]) throws -> String {
        let result = try ToolProcess.run("openssl", arguments)
        guard result.status == 0 else { throw HarnessError("openssl: \(result.errors)") }
        return result.output
    }
}
