private import FoundationEssentials
private import Synchronization

/// A bearer token of an operator (RFC 6750), and the name under which changes are recorded.
struct AdminToken: Sendable, Equatable {
    private static let shortest = 16
    private static let longest = 4096
    private static let longestName = 64

    /// The name of the token; `nil` if the line contains only a token.
    let name: String?
    fileprivate let bytes: [UInt8]

    /// Parses a line: a token, or a name, a space and a token.
    ///
    /// - Throws: `AdminTokenError` if the token is invalid or too short to be secure.
    init(_ line: some StringProtocol) throws(AdminTokenError) {
        let words = line.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
        let bytes = Array((words.last ?? "").drop { $0 == " " || $0 == "\t" }.utf8)
        guard bytes.count >= Self.shortest, bytes.count <= Self.longest else {
            throw AdminTokenError(
                "expected \(Self.shortest) to \(Self.longest) characters; create a token with: openssl rand -hex 32"
            )
        }
        guard bytes.allSatisfy(Self.isVisible) else {
            throw AdminTokenError("expected one line of visible ASCII characters")
        }
        self.name = words.count == 2 ? words.first.map { String($0) } : nil
        let name = (self.name ?? "").utf8
        guard name.count <= Self.longestName, name.allSatisfy(Self.isVisible) else {
            throw AdminTokenError(
                "expected a name of at most \(Self.longestName) visible ASCII characters"
            )
        }
        self.bytes = bytes
    }

    private static func isVisible(_ byte: UInt8) -> Bool { 0x21...0x7E ~= byte }

    /// Returns whether the tokens are equal, in time that does not depend on how many bytes match.
    fileprivate func isEqual(to stated: [UInt8]) -> Bool {
        var difference = stated.count ^ self.bytes.count
        for index in self.bytes.indices {
            let byte = stated.isEmpty ? 0 : stated[index % stated.count]
            difference |= Int(byte ^ self.bytes[index])
        }
        return difference == 0
    }
}

/// The tokens in a file, one per line; there is at least one token.
struct AdminTokens: Sendable, Equatable {
    private static let limit = 100

    private let tokens: [AdminToken]

    /// Parses the content of a token file.
    ///
    /// - Throws: `AdminTokenError` if a line is invalid, or there is no token.
    init(_ text: some StringProtocol) throws(AdminTokenError) {
        let lines = text.split(whereSeparator: \.isNewline)
            .filter { !$0.allSatisfy(\.isWhitespace) }
        guard lines.count <= Self.limit else {
            throw AdminTokenError("expected at most \(Self.limit) lines")
        }
        var tokens: [AdminToken] = []
        for line in lines { tokens.append(try AdminToken(line)) }
        // An empty file is parsed as an empty token, whose error describes the expected format.
        self.tokens = tokens.isEmpty ? [try AdminToken("")] : tokens
    }

    /// The first token.
    var text: String { String(decoding: self.tokens.first?.bytes ?? [], as: UTF8.self) }

    /// Returns the token in the given values of `Authorization`; `nil` if it is not one of these tokens.
    func token(stated values: [String]) -> AdminToken? {
        guard values.count == 1, let value = values.first else { return nil }
        let scheme = value.prefix { $0 != " " }
        let credentials = value.dropFirst(scheme.count).drop { $0 == " " }
        let stated: [UInt8]
        switch scheme.lowercased() {
        case "bearer": stated = Array(credentials.utf8)
        case "basic":
            // Browsers prompt for a user name and a password (RFC 7617); the token is sent as the password.
            guard let decoded = Data(base64Encoded: String(credentials)) else { return nil }
            stated = Array(decoded.drop { $0 != UInt8(ascii: ":") }.dropFirst())
        default: return nil
        }
        // All tokens are compared, so that the time does not depend on which token matches.
        return self.tokens.filter { $0.isEqual(to: stated) }.first
    }
}

/// An error for an invalid token or token file.
package struct AdminTokenError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The file with the admin tokens.
///
/// The file is read for each request that needs a token, so that a change takes effect at once, even on open
/// connections.
package final class AdminTokenFile: Sendable {
    private let path: String
    private let last: Mutex<AdminTokens>

    /// Reads the file at `path`.
    ///
    /// - Throws: `AdminTokenError` if the file has no valid tokens.
    package init(path: String) throws(AdminTokenError) {
        self.path = path
        self.last = Mutex(try Self.read(path))
    }

    /// Returns the current tokens; if the file is missing or invalid, the last valid tokens stay in effect.
    func current() -> AdminTokens {
        let read = try? Self.read(self.path)
        return self.last.withLock { last in
            if let read { last = read }
            return last
        }
    }

    /// The first token, for commands that send requests.
    package var text: String { self.current().text }

    private static func read(_ path: String) throws(AdminTokenError) -> AdminTokens {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw AdminTokenError("cannot be read")
        }
        return try AdminTokens(text)
    }
}
