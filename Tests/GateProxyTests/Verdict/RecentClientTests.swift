import GatePolicy
import GateRules
import GateTestSupport
import GateWire
import RulesTestSupport
import Testing
import WireSamples

@testable import GateProxy

/// Recent clients, which are found by all fields on which the rules depend.
struct RecentClientTests {
    /// The recent clients of rules that depend only on a platform, a version and a path.
    private final class RecentClientsHarness {
        private let ruleSet: RuleSet
        private let table: FieldNameTable
        private var clients: RecentClients

        init(capacity: Int, mostOwners: Int = 256, digestMask: UInt64 = .max) throws {
            let text = """
                identity:
                  userAgent: ["^Shop/(?<version>[0-9.]+)"]
                rules:
                  - { id: floor, match: { platform: ios }, minimum: "4", storeUrl: "https://a.example" }
                  - { id: v8, match: { path: /v8 }, minimum: "8", storeUrl: "https://a.example" }
                  - { id: v9, match: { path: /v9 }, minimum: "9", storeUrl: "https://a.example" }
                """
            self.ruleSet = try RulesFileLoader.load(sources: [("rules.yaml", text)]).ruleSet
            self.table = .request(identityHeaderNames: self.ruleSet.identityHeaderNames)
            let classes = try #require(self.ruleSet.clientClasses)
            self.clients = RecentClients(
                capacity: capacity,
                mostOwners: mostOwners,
                digestMask: digestMask
            )
            self.clients.serve(classes)
        }

        var firstName: String { self.ruleSet.identityHeaderNames[0] }

        private func describe(_ lines: [String], path: String, form: AnswerForm) throws {
            let bytes = Array(wire(["GET \(path) HTTP/1.1", "Host: a"] + lines).utf8)
            var parser = RequestHeadParser()
            try #require(parser.parse(bytes, table: self.table) == .complete)
            let scope = self.scope(path)
            self.clients.describe(parser.head, in: bytes.span, form: form, scope: scope)
        }

        private func scope(_ path: String) -> RequestScope {
            self.ruleSet.scope(method: "GET".utf8Span.span, target: path.utf8Span.span)
        }

        /// `times`: the number of requests of a client that is not cached yet.
        func keep(
            _ verdict: Verdict,
            _ lines: [String],
            path: String = "/",
            form: AnswerForm = .document,
            times: Int = 2
        ) throws {
            for _ in 0..<times {
                try self.describe(lines, path: path, form: form)
                self.clients.keep(verdict, in: self.scope(path))
            }
        }

        var looksForClient: Bool { self.clients.looksForClient }

        /// Caches a verdict for the last described client.
        func keepDescribed(_ verdict: Verdict) {
            self.clients.keep(verdict, in: .unrestricted)
        }

        /// Replaces the shared verdict that was found, if the client may have its own.
        func replaceFound(_ shared: Verdict) -> Verdict? {
            guard let entry = self.clients.entryForOwner() else { return nil }
            let own = Verdict(decision: .preflight)
            self.clients.replaceFound(shared, with: own, entry: entry)
            return own
        }

        func verdict(
            _ lines: [String],
            path: String = "/",
            form: AnswerForm = .document
        ) throws -> Verdict? {
            try self.describe(lines, path: path, form: form)
            return self.clients.verdict(in: self.scope(path))
        }

        /// Returns the verdict for an undescribed client, after a described one.
        func verdictWithoutDescription(after lines: [String]) throws -> Verdict? {
            try self.describe(lines, path: "/", form: .document)
            self.clients.clearKey()
            self.clients.keep(Verdict(decision: .preflight), in: .unrestricted)
            return self.clients.verdict(in: .unrestricted)
        }
    }

    private static let client = [
        "X-App-Platform: ios", "X-App-Version: 3.1", "X-App-Id: a", "X-OS-Version: 17.2",
        "X-Device-Id: 0123456789", "Accept-Language: ja", "User-Agent: Shop/3.1",
    ]

    /// Returns the client with another value in a line, or without the line.
    private static func client(_ name: String, _ value: String?) -> [String] {
        Self.client.compactMap { line in
            guard line.hasPrefix("\(name):") else { return line }
            return value.map { "\(name): \($0)" }
        }
    }

    private static let same = [
        client, client("X-App-Id", "b"), client("X-OS-Version", "18"), client("X-Device-Id", "9"),
        client("User-Agent", "Shop/9"), client("User-Agent", nil), client + ["Accept: text/html"],
    ]

    @Test(arguments: same)
    func `a client with the same relevant fields is found`(_ lines: [String]) throws {
        let desk = try RecentClientsHarness(capacity: 8)
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
    func `a client with a different relevant field is not found`(_ lines: [String]) throws {
        let desk = try RecentClientsHarness(capacity: 8)
        try desk.keep(Verdict(decision: .preflight), Self.client)
        #expect(try desk.verdict(lines) == nil)
    }

    /// An empty value must differ from the padding of the last word of a key, and from an absent
    /// first field.
    @Test func `an empty field differs from an absent one`() throws {
        let verdict = Verdict(decision: .preflight)
        for count in 0..<8 {
            let desk = try RecentClientsHarness(capacity: 8)
            let lines = ["X-App-Version: \(String(repeating: "1", count: count))"]
            try desk.keep(verdict, lines)
            #expect(try desk.verdict(lines) != nil)
            #expect(try desk.verdict(lines + ["\(desk.firstName):"]) == nil)
            #expect(try desk.verdict(lines + ["\(desk.firstName): a"]) == nil)
        }
    }

    @Test func `a client with a different path of the rules or response format is not found`()
        throws
    {
        let desk = try RecentClientsHarness(capacity: 8)
        let verdict = Verdict(decision: .preflight)
        try desk.keep(verdict, Self.client)
        #expect(try desk.verdict(Self.client, path: "/v2") === verdict)
        #expect(try desk.verdict(Self.client, path: "/v9") == nil)
        #expect(try desk.verdict(Self.client, form: .page) == nil)
        let other = Verdict(decision: .preflight)
        try desk.keep(other, Self.client, path: "/v9")
        #expect(try desk.verdict(Self.client, path: "/v9") === other)
        #expect(try desk.verdict(Self.client, path: "/v8") == nil)
    }

    @Test(arguments: [(236, true), (237, false), (255, false), (256, false), (1024, false)])
    func `a client with long fields is not found`(count: Int, isFound: Bool) throws {
        let desk = try RecentClientsHarness(capacity: 8)
        let lines = Self.client("Accept-Language", String(repeating: "l", count: count))
        let verdict = Verdict(decision: .preflight)
        try desk.keep(verdict, lines)
        #expect(try (desk.verdict(lines) === verdict) == isFound)
        #expect(try desk.verdictWithoutDescription(after: lines) == nil)
    }

    @Test func `an undescribed client is never found`() throws {
        let desk = try RecentClientsHarness(capacity: 8)
        try desk.keep(Verdict(decision: .preflight), Self.client)
        #expect(try desk.verdict(Self.client) != nil)
        #expect(try desk.verdictWithoutDescription(after: Self.client) == nil)
    }

    @Test func `a client with a single request is not cached`() throws {
        let desk = try RecentClientsHarness(capacity: 8)
        try desk.keep(Verdict(decision: .preflight), Self.client, times: 1)
        #expect(try desk.verdict(Self.client) == nil)
    }

    @Test func `two clients have two slots`() throws {
        let desk = try RecentClientsHarness(capacity: 2)
        let verdicts = (0..<2).map { _ in Verdict(decision: .preflight) }
        let clients = ["1", "2"].map { Self.client("X-App-Version", $0) }
        try desk.keep(verdicts[0], clients[0])
        #expect(try desk.verdict(clients[0]) === verdicts[0])
        // If both have the same first slot, it is occupied by now.
        try desk.keep(verdicts[1], clients[1])
        for (client, verdict) in zip(clients, verdicts) {
            #expect(try desk.verdict(client) === verdict)
        }
    }

    @Test func `a flood of single requests displaces no client`() throws {
        let desk = try RecentClientsHarness(capacity: 2)
        let verdict = Verdict(decision: .preflight)
        try desk.keep(verdict, Self.client)
        for number in 0..<1000 {
            let new = Self.client("X-App-Version", "1.\(number)")
            try desk.keep(Verdict(decision: .preflight), new, times: 1)
        }
        #expect(try desk.verdict(Self.client) === verdict)
    }

    /// During a flood of single requests, only a sample of the clients is looked up.
    @Test(arguments: [0, 1, 63, 64, 65, 71, 79, 1000])
    func `a client that returns after a flood is soon found, and then always`(
        strangers: Int
    ) throws {
        let desk = try RecentClientsHarness(capacity: 64)
        func findOrKeep(_ lines: [String]) throws -> Bool {
            if try desk.verdict(lines) != nil { return true }
            desk.keepDescribed(Verdict(decision: .preflight))
            return false
        }
        for number in 0..<strangers {
            let isFound = try findOrKeep(Self.client("X-App-Version", "1.\(number)"))
            try #require(!isFound)
        }
        let isFound = try (0..<200).map { _ in try findOrKeep(Self.client) }
        let first = try #require(isFound.firstIndex(of: true))
        #expect(first <= 80)
        #expect(isFound[first...].allSatisfy { $0 })
    }

    @Test func `few clients are looked up while none is found, and all after a hit`() throws {
        let desk = try RecentClientsHarness(capacity: 64)
        func lookupCount(_ numbers: Range<Int>) throws -> Int {
            try numbers.count { number in
                let verdict = try desk.verdict(Self.client("X-App-Version", "1.\(number)"))
                try #require(verdict == nil)
                return desk.looksForClient
            }
        }
        try desk.keep(Verdict(decision: .preflight), Self.client)
        #expect(try lookupCount(0..<64) == 64)
        #expect(try lookupCount(100..<164) == 4)
        let isFound = try (0..<16).map { _ in try desk.verdict(Self.client) != nil }
        #expect(isFound.contains(true))
        #expect(try lookupCount(200..<264) == 64)
    }

    @Test func `a client that returns keeps its slot when others send two requests each`() throws {
        let desk = try RecentClientsHarness(capacity: 2)
        let verdict = Verdict(decision: .preflight)
        try desk.keep(verdict, Self.client)
        func newcomer(_ version: String) throws {
            let lines = Self.client("X-App-Version", version)
            try desk.keep(Verdict(decision: .preflight), lines)
        }
        for number in 0..<20 {
            try #require(desk.verdict(Self.client) === verdict)
            try newcomer("1.\(number)")
        }
        // The first client does not return, so both slots are taken.
        for number in 0..<64 { try newcomer("2.\(number)") }
        #expect(try desk.verdict(Self.client) == nil)
    }

    @Test func `all verdicts can be removed`() throws {
        let ruleSet = RuleSet(RuleSetDefinition(revision: "1"))
        var clients = RecentClients(capacity: 8)
        clients.serve(try #require(ruleSet.clientClasses))
        let verdict = Verdict(decision: .preflight)
        let bytes = Array(wire("GET / HTTP/1.1", "Host: a", "X-App-Version: 1").utf8)
        var parser = RequestHeadParser()
        let table = FieldNameTable.request(identityHeaderNames: ruleSet.identityHeaderNames)
        try #require(parser.parse(bytes, table: table) == .complete)
        clients.describe(parser.head, in: bytes.span, form: .document, scope: .unrestricted)
        for _ in 0..<2 { clients.keep(verdict, in: .unrestricted) }
        #expect(clients.verdict(in: .unrestricted) === verdict)
        let own = Verdict(decision: .preflight)
        let entry = clients.entryForOwner()
        clients.replaceFound(verdict, with: own, entry: try #require(entry))
        #expect(clients.verdict(in: .unrestricted) === own)
        let verdicts = clients.takeVerdicts()
        #expect(verdicts.contains { $0 === verdict })
        #expect(verdicts.contains { $0 === own })
        #expect(clients.verdict(in: .unrestricted) == nil)
    }

    /// The clients occupy first and second slots, and all have the same slots without digest bits.
    @Test(arguments: [2, 16, 64], [UInt64.max, 1, 0])
    func `the verdict that was found can be replaced`(capacity: Int, digestMask: UInt64) throws {
        let desk = try RecentClientsHarness(capacity: capacity, digestMask: digestMask)
        let clients = (0..<32).map { Self.client("X-App-Version", "\($0)") }
        for client in clients { try desk.keep(Verdict(decision: .preflight), client) }
        let found = try clients.filter { try desk.verdict($0) != nil }
        try #require(!found.isEmpty)
        var replaced: [Verdict] = []
        for client in found {
            let shared = try #require(try desk.verdict(client))
            replaced.append(try #require(desk.replaceFound(shared)))
        }
        for (client, verdict) in zip(found, replaced) {
            #expect(try desk.verdict(client) === verdict)
        }
    }

    @Test func `few clients have a verdict of their own, and another one takes over after 32 hits`()
        throws
    {
        let desk = try RecentClientsHarness(capacity: 64, mostOwners: 2)
        let clients = (0..<16).map { Self.client("X-App-Version", "\($0)") }
        let shared = clients.map { _ in Verdict(decision: .preflight) }
        for (client, verdict) in zip(clients, shared) { try desk.keep(verdict, client) }
        let found = try clients.indices.filter { try desk.verdict(clients[$0]) != nil }
        try #require(found.count > 2)
        /// Sends a request; returns whether the client has its own verdict then.
        func hasOwn(_ number: Int) throws -> Bool {
            let verdict = try #require(try desk.verdict(clients[found[number]]))
            return verdict !== shared[found[number]] || desk.replaceFound(verdict) != nil
        }
        #expect(try (0..<3).map { try hasOwn($0) } == [true, true, false])
        #expect(try (2...64).first { _ in try hasOwn(2) } == 32)
        #expect(try hasOwn(2))
        // One of the first two shares its verdict again.
        let sharing = try found.prefix(2).filter { try desk.verdict(clients[$0]) === shared[$0] }
        #expect(sharing.count == 1)
    }

    @Test func `a later verdict on a client replaces the earlier one`() throws {
        let desk = try RecentClientsHarness(capacity: 2)
        try desk.keep(Verdict(decision: .preflight), Self.client)
        #expect(try desk.verdict(Self.client) != nil)
        let later = Verdict(decision: .preflight)
        try desk.keep(later, Self.client)
        #expect(try desk.verdict(Self.client) === later)
    }

    /// There are few names and values, so that many clients return, but more clients than slots.
    @Test(arguments: [2, 4, 64], [UInt64.max, 3, 0])
    func `a client never gets the verdict of another one`(
        capacity: Int,
        digestMask: UInt64
    ) throws {
        struct Said: Hashable {
            let lines: [String]
            let path: String
            let form: AnswerForm
        }
        // With few digests, most clients have the digest of others.
        let desk = try RecentClientsHarness(
            capacity: capacity,
            mostOwners: 2,
            digestMask: digestMask
        )
        var chance = SeededGenerator(seed: 5)
        var known: [Said: Verdict] = [:]
        var own: [Said: [Verdict]] = [:]
        var found = 0
        for _ in 0..<4000 {
            var lines: [String] = []
            for name in ["X-App-Platform", "X-App-Version", "X-App-Build", "Accept-Language"]
            where Bool.random(using: &chance) {
                let value =
                    ["", "1", "11", "1,1", "ios", "111111"].randomElement(using: &chance) ?? ""
                lines.append("\(name): \(value)")
            }
            let said = Said(
                lines: lines.shuffled(using: &chance),
                path: ["/", "/v8", "/v9"].randomElement(using: &chance) ?? "/",
                form: Bool.random(using: &chance) ? .document : .connect
            )
            if let verdict = try desk.verdict(said.lines, path: said.path, form: said.form) {
                found += 1
                if own[said, default: []].contains(where: { $0 === verdict }) { continue }
                try #require(verdict === known[said], "\(said)")
                if let new = desk.replaceFound(verdict) { own[said, default: []].append(new) }
            } else {
                // A cached client may have been skipped.
                let verdict = known[said] ?? Verdict(decision: .preflight)
                known[said] = verdict
                try desk.keep(verdict, said.lines, path: said.path, form: said.form, times: 1)
            }
        }
        #expect(found > 0)
        #expect(!own.isEmpty)
    }
}
