import Foundation
import Testing

@testable import GatePolicy

/// A row of `VersionsInTheWild.tsv`.
struct WildVersion: Sendable {
    enum Reading: String {
        case asMeant = "yes"
        case unread = "no"
        case otherwise
    }

    /// The value of a version field, or a User-Agent.
    let asSent: String
    /// The intended version, build and platform.
    let version: String?
    let build: String?
    let platform: String?
    /// The name of the pattern for the User-Agent; `nil` for a version field.
    let pattern: String?
    let reading: Reading
    /// The reason why the value is not parsed as intended.
    let reason: String?
    /// The parsed value if it differs from the intended one.
    let readAs: String?

    private init(line: Substring) throws {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            .map { $0 == "-" ? nil : String($0) }
        try #require(columns.count == 10, "\(line)")
        self.asSent = try #require(columns[0])
        self.version = columns[2]
        self.build = columns[3]
        self.platform = columns[4]
        self.pattern = columns[6]
        self.reading = try #require(columns[7].flatMap(Reading.init(rawValue:)), "\(line)")
        self.reason = columns[8]
        self.readAs = columns[9]
        try #require((columns[1] == "user-agent") == (self.pattern != nil), "\(line)")
    }

    /// The intended value as one text.
    var written: String {
        let text = (self.platform.map { "\($0)/" } ?? "") + (self.version ?? "-")
        return self.build.map { "\(text) (\($0))" } ?? text
    }

    /// The format of a field, with one placeholder for all numbers and one for all words; for a User-Agent, its
    /// pattern.
    var form: String {
        if let pattern = self.pattern { return pattern }
        var form = ""
        for character in self.asSent {
            let kind: Character = character.isNumber ? "9" : character.isLetter ? "a" : character
            if kind != form.last || kind != "9" && kind != "a" { form.append(kind) }
        }
        return form
    }

    func identify() throws -> ClientIdentity {
        guard let pattern = self.pattern else {
            return IdentityReaderTests.identify([("x-app-version", self.asSent)])
        }
        var sources = IdentitySources.defaults
        let text = try #require(try Self.patterns()[pattern], "\(pattern)")
        sources.userAgents = [try UserAgentPattern(parsing: text)]
        return IdentityReaderTests.identify([("user-agent", self.asSent)], sources)
    }
}

extension WildVersion: CustomTestStringConvertible {
    var testDescription: String { self.asSent }
}

extension WildVersion {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    static let guide = Self.folder.appending(path: "../../../docs/rules.md")

    static func all() throws -> [WildVersion] {
        try Self.lines(of: "VersionsInTheWild.tsv").map(WildVersion.init(line:))
    }

    /// The User-Agent patterns by name.
    static func patterns() throws -> [String: String] {
        let pairs = try Self.lines(of: "UserAgentPatterns.tsv").map { line in
            let columns = line.split(separator: "\t")
            try #require(columns.count == 2, "\(line)")
            return (String(columns[0]), String(columns[1]))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    private static func lines(of name: String) throws -> [Substring] {
        let url = Self.folder.appending(path: name)
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
    }
}
