package import Foundation

/// A key pair that `openssl` creates and uses to sign and verify.
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

    /// Whether `openssl` is installed.
    package static var canBeMade: Bool { ToolProcess.isInstalled("openssl") }

    /// The path of the private key, which is in PEM format.
    package let path: String
    /// Both keys in PEM format.
    package let privateKey: String
    package let publicKey: String
    private let folder: TemporaryFolder

    /// Creates the pair.
    ///
    /// `name` is the name of the pair's file in the folder.
    ///
    /// Except with `own`, all RSA pairs are the same, because generating a new one each time took a
    /// tenth of the tests' duration.
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

    /// Returns the same private key in another format, such as encrypted.
    package func privateKey(_ arguments: String...) throws -> String {
        try Self.openssl(["pkey", "-in", self.path] + arguments)
    }

    /// Returns the 32 bytes of the Ed25519 public key, in Base64.
    package func rawPublicKey() throws -> String {
        let out = self.folder.path(of: "public.der")
        try Self.openssl(["pkey", "-in", self.path, "-pubout", "-outform", "DER", "-out", out])
        return try Data(contentsOf: URL(fileURLWithPath: out)).suffix(32).base64EncodedString()
    }

    /// Returns the Ed25519 signature of a text.
    package func signature(of text: String) throws -> Data {
        let (content, out) = (self.folder.file("signed"), self.folder.file("signature"))
        try Data(text.utf8).write(to: content)
        let files = ["-inkey", self.path, "-in", content.path, "-out", out.path]
        try Self.openssl(["pkeyutl", "-sign", "-rawin"] + files)
        return try Data(contentsOf: out)
    }

    /// Returns whether an RSA signature (PKCS #1 v1.5) with SHA-256 matches a text.
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
