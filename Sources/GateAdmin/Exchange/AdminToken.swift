private import FoundationEssentials
private import Synchronization

/// A token that an operator shows (RFC 6750), and the name that changes are recorded under.
struct AdminToken: Sendable, Equatable {
    private static let shortest = 16
    private static let longest = 4096
    private static let longestName = 64

    /// `nil` for a token that stands alone on its line.
    let name: String?
    fileprivate let bytes: [UInt8]

    /// Reads a line: a token, or a name, a blank and a token.
    ///
    /// - Throws: `AdminTokenError` for what is no token, or one that could be guessed.
    init(_ line: some StringProtocol) throws(AdminTokenError) {
        let words = line.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
        let bytes = Array((words.last ?? "").drop { $0 == " " || $0 == "\t" }.utf8)
        guard bytes.count >= Self.shortest, bytes.count <= Self.longest else {
            throw AdminTokenError(
                "expected \(Self.shortest) to \(Self.longest) characters, as of: openssl rand -hex 32"
            )
        }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw AdminTokenError("expected one line of visible ASCII characters")
        }
        self.name = words.count == 2 ? words.first.map { String($0) } : nil
        let isNameable =
            self.name?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ?? true
            && (self.name?.utf8.count ?? 0) <= Self.longestName
        guard isNameable else {
            throw AdminTokenError("expected a name of up to \(Self.longestName) ASCII characters")
        }
        self.bytes = bytes
    }

    /// Whether it is this one; how long that takes tells nothing of how much was right.
    fileprivate func isEqual(to stated: [UInt8]) -> Bool {
        var difference = stated.count ^ self.bytes.count
        for index in self.bytes.indices {
            let byte = stated.isEmpty ? 0 : stated[index % stated.count]
            difference |= Int(byte ^ self.bytes[index])
        }
        return difference == 0
    }
}

/// The tokens of a file, one a line; never none.
struct AdminTokens: Sendable, Equatable {
    private static let limit = 100

    private let tokens: [AdminToken]

    /// - Throws: `AdminTokenError` if a line is no token, or there is none.
    init(_ text: some StringProtocol) throws(AdminTokenError) {
        let lines = text.split(whereSeparator: \.isNewline)
            .filter { !$0.allSatisfy(\.isWhitespace) }
        guard lines.count <= Self.limit else {
            throw AdminTokenError("expected up to \(Self.limit) lines")
        }
        var tokens: [AdminToken] = []
        for line in lines { tokens.append(try AdminToken(line)) }
        // An empty file says what is missing.
        self.tokens = tokens.isEmpty ? [try AdminToken("")] : tokens
    }

    /// The first one.
    var text: String { String(decoding: self.tokens.first?.bytes ?? [], as: UTF8.self) }

    /// The token that a request with these values of `Authorization` shows, if it is one of these.
    func token(stated values: [String]) -> AdminToken? {
        guard values.count == 1, let value = values.first else { return nil }
        let scheme = value.prefix { $0 != " " }
        let credentials = value.dropFirst(scheme.count).drop { $0 == " " }
        let stated: [UInt8]
        switch scheme.lowercased() {
        case "bearer": stated = Array(credentials.utf8)
        case "basic":
            // A browser asks for a name and a password (RFC 7617); the password is the token.
            guard let decoded = Data(base64Encoded: String(credentials)) else { return nil }
            stated = Array(decoded.drop { $0 != UInt8(ascii: ":") }.dropFirst())
        default: return nil
        }
        // All are looked at, whichever it is.
        return self.tokens.filter { $0.isEqual(to: stated) }.first
    }
}

/// Why operators cannot be told from others.
package struct AdminTokenError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The file with the tokens; it is read again for each request that needs one, so that a change of the file
/// applies at once, also to connections that are open.
package final class AdminTokenFile: Sendable {
    private let path: String
    private let last: Mutex<AdminTokens>

    /// - Throws: `AdminTokenError` if there is no token in it.
    package init(path: String) throws(AdminTokenError) {
        self.path = path
        self.last = Mutex(try Self.read(path))
    }

    /// The tokens as they are now; a file that is gone or broken leaves the last good one in force.
    func current() -> AdminTokens {
        let read = try? Self.read(self.path)
        return self.last.withLock { last in
            if let read { last = read }
            return last
        }
    }

    /// The first token, for whoever asks with it.
    package var text: String { self.current().text }

    private static func read(_ path: String) throws(AdminTokenError) -> AdminTokens {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw AdminTokenError("cannot be read")
        }
        return try AdminTokens(text)
    }
}
