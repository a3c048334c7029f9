internal import GatePolicy
package import GateSystem

/// The address of a Redis or Valkey server.
///
/// The format is `redis://[[USER]:PASSWORD@]HOST[:PORT][/NUMBER]`, or `rediss://` with TLS.
package struct RedisAddress: Sendable, Equatable {
    /// The reason why a string is not a valid address.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let usualPort = 6379
    /// The supported schemes, and whether each uses TLS.
    private static let schemes = [
        "redis": false, "rediss": true, "valkey": false, "valkeys": true,
    ]

    package let isSecure: Bool
    let host: String
    let port: Int
    /// The user name; `nil` means the default user.
    private(set) var user: String?
    package var password: String?
    let database: Int

    /// Parses the URL of a server.
    package init(_ text: String) throws(Failure) {
        guard let end = text.firstRange(of: "://"),
            let isSecure = Self.schemes[text[..<end.lowerBound].lowercased()]
        else { throw Failure(description: "expected redis://HOST[:PORT][/NUMBER], or rediss://") }
        self.isSecure = isSecure
        var rest = text[end.upperBound...]
        if let at = rest.lastIndex(of: "@") {
            let claim = rest[..<at]
            guard let colon = claim.firstIndex(of: ":"),
                let user = Self.decoded(claim[..<colon]),
                let password = Self.decoded(claim[claim.index(after: colon)...])
            else {
                throw Failure(
                    description: "expected [USER]:PASSWORD before '@', with '%' written as '%25'"
                )
            }
            self.user = user.isEmpty ? nil : user
            self.password = password
            rest = rest[rest.index(after: at)...]
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let number = rest[slash...].dropFirst()
        guard let database = number.isEmpty ? 0 : Int(number), database >= 0 else {
            throw Failure(description: "'\(number)' is not a database number")
        }
        let place = rest[..<slash]
        // A bracketed IPv6 address contains colons.
        let hostEnd = place.lastIndex(of: "]").map(place.index(after:)) ?? place.startIndex
        let colon = place[hostEnd...].firstIndex(of: ":") ?? place.endIndex
        let digits = place[colon...].dropFirst()
        let host = place[..<colon].filter { $0 != "[" && $0 != "]" }
        guard !host.isEmpty, host.allSatisfy(\.isOfHost),
            let port = digits.isEmpty ? Self.usualPort : Int(digits), (1...65_535).contains(port)
        else { throw Failure(description: "expected HOST or HOST:PORT") }
        (self.host, self.port, self.database) = (host, port, database)
    }

    /// The host and the port as in a URL.
    var place: String { "\(self.host.contains(":") ? "[\(self.host)]" : self.host):\(self.port)" }

    /// Decodes percent-encoding (RFC 3986 section 2.1); returns `nil` if it is malformed.
    private static func decoded(_ text: Substring) -> String? {
        let triplets = text.split(separator: "%", omittingEmptySubsequences: false).dropFirst()
        guard triplets.allSatisfy({ PercentEncoding.octet($0.utf8) != nil }) else { return nil }
        let bytes = PercentEncoding.decodedBytes(Array(text.utf8))
        return String(validating: bytes, as: UTF8.self)
    }

    /// Reads the password from the first line of a file; returns `nil` if the file cannot be read,
    /// or if the line is empty.
    package static func password(inFile path: String) -> String? {
        guard let content = try? FileContent(path: path, atMost: 4_096) else { return nil }
        let line = content.bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}

extension Character {
    /// Whether the character may appear in a host name or an IP address.
    fileprivate var isOfHost: Bool {
        self.isLetter || self.isNumber || self == "-" || self == "." || self == "_" || self == ":"
    }
}

/// A Redis or Valkey server: its address and TLS settings.
package struct RedisServerSettings: Sendable {
    package var address: RedisAddress
    /// The CA certificates that the server's certificate is verified against.
    package var trust: TrustedAuthorities
    /// The client certificate to present if the server requests one.
    package var certificate: ClientCertificate?

    package init(
        _ address: RedisAddress,
        trust: TrustedAuthorities = .system,
        certificate: ClientCertificate? = nil
    ) {
        self.address = address
        self.trust = trust
        self.certificate = certificate
    }
}
