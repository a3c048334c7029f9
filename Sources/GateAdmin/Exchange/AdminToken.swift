private import FoundationEssentials
private import Synchronization

/// The token that an operator on another machine shows (RFC 6750).
struct AdminToken: Sendable, Equatable {
    private static let shortest = 16
    private static let longest = 4096

    private let bytes: [UInt8]

    /// - Throws: `AdminTokenError` for what is no token, or one that could be guessed.
    init(_ text: some StringProtocol) throws(AdminTokenError) {
        let bytes = Array(text.utf8)
        guard bytes.count >= Self.shortest, bytes.count <= Self.longest else {
            throw AdminTokenError(
                "expected \(Self.shortest) to \(Self.longest) characters, as of: openssl rand -hex 32"
            )
        }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw AdminTokenError("expected one line of visible ASCII characters")
        }
        self.bytes = bytes
    }

    var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// Whether a request with these values of `Authorization` may be answered.
    ///
    /// How long it takes tells nothing of how much of the token was right.
    func admits(_ values: [String]) -> Bool {
        guard values.count == 1, let value = values.first else { return false }
        let scheme = value.prefix { $0 != " " }
        guard scheme.lowercased() == "bearer" else { return false }
        let stated = Array(value.dropFirst(scheme.count).drop { $0 == " " }.utf8)
        var difference = stated.count ^ self.bytes.count
        for index in self.bytes.indices {
            let byte = stated.isEmpty ? 0 : stated[index % stated.count]
            difference |= Int(byte ^ self.bytes[index])
        }
        return difference == 0
    }
}

/// Why operators cannot be told from others.
package struct AdminTokenError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The file with the token; it is read again for each connection, so that another token holds at once.
package final class AdminTokenFile: Sendable {
    private let path: String
    private let last: Mutex<AdminToken>

    /// - Throws: `AdminTokenError` if there is no token in it.
    package init(path: String) throws(AdminTokenError) {
        self.path = path
        self.last = Mutex(try Self.read(path))
    }

    /// The token as it is now; a file that is gone or broken leaves the last good one in force.
    func current() -> AdminToken {
        let read = try? Self.read(self.path)
        return self.last.withLock { last in
            if let read { last = read }
            return last
        }
    }

    /// The token for whoever asks with it.
    package var text: String { self.current().text }

    private static func read(_ path: String) throws(AdminTokenError) -> AdminToken {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw AdminTokenError("cannot be read")
        }
        let start = text.drop { $0.isWhitespace }
        let end = start.lastIndex { !$0.isWhitespace }
        return try AdminToken(end.map { start[...$0] } ?? "")
    }
}
