internal import GateCrypto
package import GatePolicy

/// Signs and verifies the header fields that contain passes.
///
/// A field is `ID.ISSUED.UNTIL.CLAIMS.MAC`: the text of the pass and its HMAC-SHA-256 (RFC 2104), keyed with the
/// secret, in base64url without padding (RFC 4648 section 5).
package struct PassSeal: Sendable {
    package typealias Failure = SealKeys.Failure

    /// The maximum length of a field in bytes, which is sufficient for the longest app identifier and build.
    static let longest = 768
    /// The prefixes of the signed texts, which ensure that a signature for one purpose is not valid
    /// for another.
    private static let purpose = "versiongate pass 1 "
    private static let devicePurpose = "versiongate pass device 1 "

    private let keys: SealKeys

    /// Reads the secrets in a file.
    package init(path: String) throws(Failure) {
        self.keys = try SealKeys(path: path)
    }

    package init(secrets: String) throws(Failure) {
        self.keys = try SealKeys(secrets: secrets)
    }

    /// Returns the value of the header field that contains a pass.
    package func field(for pass: Pass) -> String {
        self.signed(pass.text[...])
    }

    /// Returns the text of a pass, followed by its signature.
    package func signed(_ text: Substring) -> String {
        self.keys.signed(String(text), for: Self.purpose)
    }

    /// Returns the digest of a device ID, for the pass with the given ID.
    package func digest(ofDevice device: String, for id: Pass.ID) -> [UInt8] {
        self.keys.first.code(of: Self.signed(device: device, for: id))
    }

    /// Verifies a field from a client; the verification time reveals nothing about the expected
    /// signature.
    package func read(_ field: String, of client: ClientIdentity, at now: Timestamp) -> Pass.Reading
    {
        guard field.utf8.count <= Self.longest, let dot = field.lastIndex(of: ".") else {
            return .refused(.invalid)
        }
        let (text, signature) = (field[..<dot], field[dot...].dropFirst())
        // The last character of a signature has unused bits, so only the canonical form is
        // accepted.
        guard let code = Base64URL.bytes(signature), Base64URL.text(code) == signature,
            let key = self.keys.key(of: code, on: String(text), for: Self.purpose),
            let pass = Pass(text: text)
        else { return .refused(.invalid) }
        guard pass.issued <= now else { return .refused(.notYetValid) }
        guard now < pass.until else { return .refused(.expired) }
        return Self.isPass(pass, for: client, key) ? .valid(pass) : .refused(.otherClient)
    }

    private static func isPass(
        _ pass: Pass,
        for client: ClientIdentity,
        _ key: AuthenticationKey
    ) -> Bool {
        if let app = pass.app, client.app.value?.utf8.elementsEqual(app.utf8) != true {
            return false
        }
        if let build = pass.build, client.build.value != build { return false }
        if let digest = pass.deviceDigest {
            guard let device = client.device.value,
                key.accepts(digest, of: Self.signed(device: device, for: pass.id))
            else { return false }
        }
        return true
    }

    private static func signed(device: String, for id: Pass.ID) -> [UInt8] {
        Array("\(self.devicePurpose)\(id) \(device)".utf8)
    }
}
