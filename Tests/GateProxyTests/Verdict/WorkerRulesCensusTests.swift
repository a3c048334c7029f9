import GateCensus
import GatePolicy
import GateWire
import Testing

@testable import GateProxy

/// The counting of requests by the values of their clients, not by the decisions.
struct WorkerRulesCensusTests {
    /// The rules and the census of one event loop.
    private final class Counter {
        let tally: CensusTally
        private let limit: Int
        let rules: WorkerRules
        private var parser = RequestHeadParser()
        private var last: RememberedVerdict?

        init(identity: IdentitySources = .defaults, cells: Int = 100) throws {
            let hash = try #require(SipHash(key: Array(repeating: 1, count: 16)))
            let tally = CensusTally(.init(maxCells: cells, hash: hash))
            self.tally = tally
            self.limit = cells
            self.rules = WorkerRules(
                RuleSet(
                    RuleSetDefinition(
                        revision: "1",
                        identity: identity,
                        exemptions: [try RequestPattern(path: "/healthz", methods: nil)],
                        rules: [
                            RuleDefinition(
                                id: "floor",
                                match: RuleMatch(
                                    requests: [try RequestPattern(path: "/v2/**", methods: nil)]
                                ),
                                minimum: try AppVersion(parsing: "2")
                            )
                        ]
                    )
                ),
                cacheCapacity: 100,
                census: tally
            )
        }

        @discardableResult
        func ask(_ path: String, _ fields: String...) throws -> CensusReceipt {
            let lines = fields.map { $0 + "\r\n" }.joined()
            let text = "GET \(path) HTTP/1.1\r\nHost: a\r\n\(lines)\r\n"
            let bytes = Array(text.utf8)
            let verdict = try self.rules.verdict(on: text, parser: &self.parser, last: &self.last)
            return self.rules.count(
                verdict,
                on: self.parser.head,
                facts: try RequestFacts(self.parser.head, in: bytes.span),
                in: bytes.span,
                for: self.tally
            ) { .unknown }
        }

        var cells: [CensusCell: CensusFigures] {
            var bucket = CensusBucket(limit: self.limit)
            bucket.add(self.tally.take())
            return bucket.cells
        }
    }

    private static func ios(_ version: CensusClient.Part) -> CensusClient {
        CensusClient(platform: .stated("ios"), version: version)
    }

    private static func requests(_ cells: [CensusCell: CensusFigures]) -> [CensusClient?: UInt64] {
        Dictionary(cells.map { ($0.key.client, $0.value.requests) }, uniquingKeysWith: +)
    }

    @Test func `versions with the same decision are counted separately`() throws {
        let counter = try Counter()
        for version in ["3.0", "3.1", "3.1", "v3.1", "03.1"] {
            try counter.ask("/v2/a", "X-App-Platform: iOS", "X-App-Version: \(version)")
        }
        #expect(
            Self.requests(counter.cells) == [
                Self.ios(.stated("3.0")): 1, Self.ios(.stated("3.1")): 4,
            ]
        )
    }

    @Test func `paths and outcomes are counted separately`() throws {
        let counter = try Counter()
        let fields = ["X-App-Platform: ios", "X-App-Version: 1.0"]
        for path in ["/v2/a", "/v2/b", "/v1", "/healthz"] {
            try counter.ask(path, fields[0], fields[1])
        }
        let outcomes = Dictionary(
            uniqueKeysWithValues: counter.cells.map { ($0.key.outcome, $0.value.requests) }
        )
        let paths = CensusPaths(isExempt: false, patterns: ["/v2/**"])
        #expect(
            outcomes == [
                CensusOutcome(paths: paths, kind: .require, rule: "floor"): 2,
                CensusOutcome(paths: .none, kind: .allow, rule: "none"): 1,
                CensusOutcome(
                    paths: CensusPaths(isExempt: true, patterns: []),
                    kind: .allow,
                    rule: "none"
                ): 1,
            ]
        )
    }

    @Test func `valid devices are counted, and requests without one as well`() throws {
        let counter = try Counter()
        let version = "X-App-Version: 3.0"
        for device in ["a", "b", "a", "", "a, b"] {
            try counter.ask("/", version, "X-Device-Id: \(device)")
        }
        try counter.ask("/", version, "X-Device-Id: a", "X-Device-Id: c")
        try counter.ask("/", version)
        let figures = try #require(counter.cells.first?.value)
        #expect(figures.requests == 7)
        #expect(figures.identified == 3)
        #expect(figures.devices.count == 2)
    }

    @Test func `a User-Agent counts if no version is sent`() throws {
        var identity = IdentitySources.defaults
        identity.userAgents = [try UserAgentPattern(parsing: #"Shop/(?<version>\S+)"#)]
        let counter = try Counter(identity: identity)
        try counter.ask("/", "User-Agent: Shop/3.0 (a)")
        try counter.ask("/", "User-Agent: Shop/3.0 (b)")
        try counter.ask("/", "User-Agent: Shop/9.0", "X-App-Version: 3.0")
        for version in ["4.0", "5.0"] {
            try counter.ask("/", "User-Agent: Shop/\(version)", "X-App-Version:")
            try counter.ask("/", "X-App-Version: ,", "User-Agent: Shop/\(version)")
        }
        func client(_ version: String) -> CensusClient { CensusClient(version: .stated(version)) }
        #expect(
            Self.requests(counter.cells) == [client("3.0"): 3, client("4.0"): 2, client("5.0"): 2]
        )
    }

    @Test func `a handshake is counted by its decoded query, other requests are not`() throws {
        var identity = IdentitySources.defaults
        identity.query = [.version: "app_version"]
        let counter = try Counter(identity: identity)
        let upgrade = ["Connection: Upgrade", "Upgrade: websocket"]
        for version in ["3.0", "3%2E0", "4.0"] {
            try counter.ask("/?app_version=\(version)", upgrade[0], upgrade[1])
            try counter.ask("/?app_version=\(version)")
        }
        #expect(
            Self.requests(counter.cells) == [
                CensusClient(version: .stated("3.0")): 2, CensusClient(version: .stated("4.0")): 1,
                CensusClient(): 3,
            ]
        )
    }

    @Test func `a client with more than a kilobyte of values counts as other`() throws {
        let counter = try Counter()
        let long = String(repeating: "a", count: 270)
        for _ in 0..<2 {
            try counter.ask("/", "X-App-Id: \(long.prefix(161))", "X-App-Version: 3.0")
            try counter.ask(
                "/",
                "X-App-Version: 3.0",
                "X-App-Id: \(long)",
                "X-App-Platform: \(long)",
                "X-App-Channel: \(long)",
                "X-OS-Version: \(long)"
            )
            try counter.ask("/", "X-App-Version: 3.0")
        }
        #expect(
            Self.requests(counter.cells) == [CensusClient(version: .stated("3.0")): 2, nil: 4]
        )
    }

    @Test func `clients without values or with invalid values are counted as such`() throws {
        let counter = try Counter()
        try counter.ask("/")
        try counter.ask("/", "X-App-Platform: ios", "X-App-Version: 1.x")
        try counter.ask("/", "X-App-Platform: ios", "X-App-Version: 1.y")
        #expect(
            Self.requests(counter.cells) == [CensusClient(): 1, Self.ios(.unreadable): 2]
        )
    }

    @Test func `a preflight is not counted`() throws {
        let counter = try Counter()
        let text =
            "OPTIONS / HTTP/1.1\r\nHost: a\r\nOrigin: https://b\r\n"
            + "Access-Control-Request-Method: GET\r\n\r\n"
        var parser = RequestHeadParser()
        var last: RememberedVerdict?
        let verdict = try counter.rules.verdict(on: text, parser: &parser, last: &last)
        #expect(verdict.outcomePlace == nil)
    }

    @Test func `random versions beyond the limit are counted as others`() throws {
        let counter = try Counter(cells: 10)
        for number in 0..<1_000 { try counter.ask("/", "X-App-Version: \(number).0") }
        let cells = counter.cells
        #expect(cells.count == 11)
        #expect(cells.values.reduce(0) { $0 + $1.requests } == 1_000)
    }
}
