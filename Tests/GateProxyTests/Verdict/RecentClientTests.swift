import GateControl
import GatePolicy
import GateTestSupport
import GateWire
import Testing
import WireSamples

@testable import GateProxy

/// A client that was there a moment ago is found by all that it says, where rules ask for it.
struct RecentClientTests {
    /// Clients of rules that ask for a platform, a version and a path, and for nothing else.
    private final class Desk {
        private let ruleSet: RuleSet
        private let table: FieldNameTable
        private var clients: RecentClients

        init(capacity: Int) throws {
            let text = """
                rules:
                  - { id: floor, match: { platform: ios }, minimum: "4", storeUrl: "https://a.example" }
                  - { id: path, match: { path: /v9 }, minimum: "9", storeUrl: "https://a.example" }
                """
            self.ruleSet = try RulesFileLoader.load(sources: [("rules.yaml", text)]).ruleSet
            self.table = .request(identityHeaderNames: self.ruleSet.identityHeaderNames)
            let classes = try #require(self.ruleSet.clientClasses)
            self.clients = RecentClients(classes, capacity: capacity)
        }

        /// Takes a client down; whether it can be found.
        private func describe(_ lines: [String], path: String, form: AnswerForm) throws -> Bool {
            let bytes = Array(wire(["GET \(path) HTTP/1.1", "Host: a"] + lines).utf8)
            var parser = RequestHeadParser()
            try #require(parser.parse(bytes, table: self.table) == .complete)
            return self.clients.describe(
                parser.head,
                in: bytes.span,
                form: form,
                scope: self.scope(path)
            )
        }

        private func scope(_ path: String) -> RequestScope {
            self.ruleSet.scope(method: "GET".utf8Span.span, target: path.utf8Span.span)
        }

        @discardableResult
        func keep(
            _ verdict: Verdict,
            _ lines: [String],
            path: String = "/",
            form: AnswerForm = .document
        ) throws -> Bool {
            let isDescribed = try self.describe(lines, path: path, form: form)
            if isDescribed { self.clients.keep(verdict, in: self.scope(path)) }
            return isDescribed
        }

        func verdict(
            _ lines: [String],
            path: String = "/",
            form: AnswerForm = .document
        ) throws -> Verdict? {
            guard try self.describe(lines, path: path, form: form) else { return nil }
            return self.clients.verdict(in: self.scope(path))
        }
    }

    private static let client = [
        "X-App-Platform: ios", "X-App-Version: 3.1", "X-App-Id: a", "X-OS-Version: 17.2",
        "X-Device-Id: 0123456789", "Accept-Language: ja", "User-Agent: Shop/3.1",
    ]

    /// The client that says something else in a line, or nothing.
    private static func client(_ name: String, _ value: String?) -> [String] {
        Self.client.compactMap { line in
            guard line.hasPrefix("\(name):") else { return line }
            return value.map { "\(name): \($0)" }
        }
    }

    private static let same = [
        client, client("X-App-Id", "b"), client("X-OS-Version", "18"), client("X-Device-Id", "9"),
        client("User-Agent", "curl"), client("User-Agent", nil), client + ["Accept: text/html"],
    ]

    @Test(arguments: same)
    func `whoever says the same where rules ask is found`(_ lines: [String]) throws {
        let desk = try Desk(capacity: 8)
        let verdict = Verdict(decision: .preflight)
        try desk.keep(verdict, Self.client)
        #expect(try desk.verdict(lines) === verdict)
    }

    private static let others = [
        client("X-App-Platform", "android"), client("X-App-Platform", nil),
        client("X-App-Platform", "iOS"), client("X-App-Version", "3.10"),
        client("X-App-Version", "3"), client("X-App-Version", ""), client("X-App-Version", nil),
        client("Accept-Language", "ja,en"),
        client("X-Device-Id", nil), client("X-Device-Id", "a,b"), client("X-Device-Id", ""),
        client("X-Device-Id", String(repeating: "d", count: 1025)), client("X-OS-Version", nil),
        client("X-OS-Version", "17,18"), client + ["X-App-Version: 3.1"],
        client + ["X-Device-Id: 1"], client + ["X-App-Build: 1"], client.reversed(), [],
    ]

    @Test(arguments: others)
    func `whoever says something else where rules ask is not`(_ lines: [String]) throws {
        let desk = try Desk(capacity: 8)
        try desk.keep(Verdict(decision: .preflight), Self.client)
        #expect(try desk.verdict(lines) == nil)
    }

    @Test func `another path that rules ask for, or another form of answer, is something else`()
        throws
    {
        let desk = try Desk(capacity: 8)
        let verdict = Verdict(decision: .preflight)
        try desk.keep(verdict, Self.client)
        #expect(try desk.verdict(Self.client, path: "/v2") === verdict)
        #expect(try desk.verdict(Self.client, path: "/v9") == nil)
        #expect(try desk.verdict(Self.client, form: .page) == nil)
        let other = Verdict(decision: .preflight)
        // Twice, if both have one place.
        for _ in 0..<2 { try desk.keep(other, Self.client, path: "/v9") }
        #expect(try desk.verdict(Self.client, path: "/v9") === other)
    }

    @Test(arguments: [(236, true), (237, false), (255, false), (256, false), (1024, false)])
    func `whoever says too much cannot be found`(count: Int, canBe: Bool) throws {
        let desk = try Desk(capacity: 8)
        let lines = Self.client("Accept-Language", String(repeating: "l", count: count))
        let verdict = Verdict(decision: .preflight)
        #expect(try desk.keep(verdict, lines) == canBe)
        #expect(try (desk.verdict(lines) === verdict) == canBe)
    }

    @Test func `whoever comes back keeps the place`() throws {
        let desk = try Desk(capacity: 1)
        let verdict = Verdict(decision: .preflight)
        try desk.keep(verdict, Self.client)
        for number in 0..<10 {
            #expect(try desk.verdict(Self.client) === verdict)
            let new = Self.client("X-App-Version", "1.\(number)")
            try desk.keep(Verdict(decision: .preflight), new)
            #expect(try desk.verdict(new) == nil)
        }
        let new = Self.client("X-App-Version", "2")
        let other = Verdict(decision: .preflight)
        try desk.keep(other, new)
        #expect(try desk.verdict(new) === other)
        #expect(try desk.verdict(Self.client) == nil)
    }

    @Test func `a later verdict on the same client takes the place of the earlier one`() throws {
        let desk = try Desk(capacity: 1)
        try desk.keep(Verdict(decision: .preflight), Self.client)
        #expect(try desk.verdict(Self.client) != nil)
        let later = Verdict(decision: .preflight)
        try desk.keep(later, Self.client)
        #expect(try desk.verdict(Self.client) === later)
    }

    /// Few names and values, so that many come back, and more than there are places.
    @Test(arguments: [1, 4, 64])
    func `a crowd is never given one another's verdicts`(capacity: Int) throws {
        struct Said: Hashable {
            let lines: [String]
            let path: String
            let form: AnswerForm
        }
        let desk = try Desk(capacity: capacity)
        var chance = SeededGenerator(seed: 5)
        var known: [Said: Verdict] = [:]
        var found = 0
        for _ in 0..<4000 {
            var lines: [String] = []
            for name in ["X-App-Platform", "X-App-Version", "X-App-Build", "Accept-Language"]
            where Bool.random(using: &chance) {
                let value = ["", "1", "11", "1,1", "ios"].randomElement(using: &chance) ?? ""
                lines.append("\(name): \(value)")
            }
            let said = Said(
                lines: lines.shuffled(using: &chance),
                path: Bool.random(using: &chance) ? "/" : "/v9",
                form: Bool.random(using: &chance) ? .document : .page
            )
            if let verdict = try desk.verdict(said.lines, path: said.path, form: said.form) {
                try #require(verdict === known[said], "\(said)")
                found += 1
            } else {
                let verdict = Verdict(decision: .preflight)
                known[said] = verdict
                try desk.keep(verdict, said.lines, path: said.path, form: said.form)
            }
        }
        #expect(found > 0)
    }
}
