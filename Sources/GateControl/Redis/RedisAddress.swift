/// The place of a Redis or Valkey: `redis://[[USER]:PASSWORD@]HOST[:PORT][/NUMBER]`.
package struct RedisAddress: Sendable, Equatable {
    /// The reason for which a text is no address.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private static let usualPort = 6379

    let host: String
    let port: Int
    /// `nil`: the user that needs no name.
    private(set) var user: String?
    package var password: String?
    /// The number of the database.
    let database: Int

    /// Reads an address.
    ///
    /// - Parameter text: The URL.
    /// - Throws: The part of it that cannot be understood.
    package init(_ text: String) throws(Failure) {
        guard !text.hasPrefix("rediss://") else {
            throw Failure(description: "TLS is not there: name a tunnel on this machine")
        }
        let scheme = "redis://"
        guard text.hasPrefix(scheme) else {
            throw Failure(description: "expected redis://HOST[:PORT][/NUMBER]")
        }
        var rest = text.dropFirst(scheme.count)
        if let at = rest.lastIndex(of: "@") {
            let claim = rest[..<at]
            guard let colon = claim.firstIndex(of: ":"), !claim.contains("%") else {
                throw Failure(description: "expected [USER]:PASSWORD before '@', without '%'")
            }
            self.user = colon == claim.startIndex ? nil : String(claim[..<colon])
            self.password = String(claim[claim.index(after: colon)...])
            rest = rest[rest.index(after: at)...]
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let number = rest[slash...].dropFirst()
        guard let database = number.isEmpty ? 0 : Int(number), database >= 0 else {
            throw Failure(description: "'\(number)' is no number of a database")
        }
        let place = rest[..<slash]
        // An address of IPv6 has colons of its own, in brackets.
        let hostEnd = place.lastIndex(of: "]").map(place.index(after:)) ?? place.startIndex
        let colon = place[hostEnd...].firstIndex(of: ":") ?? place.endIndex
        let digits = place[colon...].dropFirst()
        let host = place[..<colon].filter { $0 != "[" && $0 != "]" }
        guard !host.isEmpty, let port = digits.isEmpty ? Self.usualPort : Int(digits),
            (1...65_535).contains(port)
        else { throw Failure(description: "expected HOST or HOST:PORT") }
        (self.host, self.port, self.database) = (host, port, database)
    }

    /// The password in the first line of a file.
    ///
    /// - Parameter path: The file.
    /// - Returns: `nil` if there is none.
    package static func password(inFile path: String) -> String? {
        guard let content = try? FileContent(path: path, atMost: 4_096) else { return nil }
        let line = content.bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}
