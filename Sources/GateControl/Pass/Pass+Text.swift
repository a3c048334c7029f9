internal import GateCrypto
internal import GatePolicy

/// The text of a pass: the part that the signature covers.
///
/// The format is `ID.ISSUED.UNTIL.CLAIMS`: the ID, two Unix times in seconds, and the restrictions
/// as lines in base64url.
extension Pass {
    var text: String {
        var claims: [String] = []
        if let app = self.app { claims.append("app=\(app)") }
        if let build = self.build { claims.append("build=\(build)") }
        if let digest = self.deviceDigest { claims.append("device=\(Base64URL.text(digest))") }
        if self.isSingleUse { claims.append("once") }
        let lines = Base64URL.text(Array(claims.joined(separator: "\n").utf8))
        let (issued, until) = (self.issued.secondsSinceEpoch, self.until.secondsSinceEpoch)
        return "\(self.id).\(issued).\(until).\(lines)"
    }

    /// Parses the text of a pass; returns `nil` if it is not in canonical form, or if the lifetime
    /// is invalid.
    init?(text: Substring) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let id = ID(parsing: parts[0]), let issued = Int64(parts[1]),
            let until = Int64(parts[2]), let lines = Base64URL.bytes(parts[3])
        else { return nil }
        let claims = String(decoding: lines, as: UTF8.self).split(separator: "\n")
        func claim(_ name: String) -> Substring? {
            claims.first { $0.hasPrefix(name + "=") }?.dropFirst(name.utf8.count + 1)
        }
        self.init(
            id: id,
            issued: Timestamp(secondsSinceEpoch: issued),
            until: Timestamp(secondsSinceEpoch: until),
            app: claim("app").map(String.init),
            build: claim("build").flatMap { try? BuildNumber(parsing: String($0)) },
            deviceDigest: claim("device").flatMap { Base64URL.bytes($0) },
            isSingleUse: claims.contains("once")
        )
        guard self.text == text,
            1...Self.longestLifetime ~= self.issued.seconds(until: self.until)
        else { return nil }
    }
}
