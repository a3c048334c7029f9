import Dispatch
import GateCensus
import GatePolicy
import GateRecords
import GateRules
import GateTestSupport
import Logging
import RulesTestSupport
import Synchronization
import Testing

@testable import GateControl

/// The circuit breaker from a change to the end of its trial, with a manual clock and without a
/// gate.
@Suite(.ownThread)
struct BreakerTests {
    private static let link = "storeUrl: https://apps.apple.com/app/id1234567890"

    private static func rules(
        ios: String = "1.0",
        android: String = "1.0",
        settings: String = "",
        words: String = ""
    ) throws -> LoadedRules {
        try RulesFileLoader.load(
            sources: [
                (
                    "rules.yaml",
                    """
                    \(settings)
                    rules:
                      - { id: ios, match: { platform: ios }, minimum: "\(ios)", \(Self.link)\(words) }
                      - { id: android, match: { platform: android }, minimum: "\(android)", \(Self.link) }
                    """
                )
            ],
            now: { Stage.start }
        )
    }

    /// A breaker with its dependencies.
    private final class Stage: Sendable {
        static let start = Timestamp(secondsSinceEpoch: 1_800_000_000)

        private let time = Mutex(Stage.start)
        let published = Mutex(0)
        let countsClients = Mutex(false)

        var now: Timestamp { self.time.withLock { $0 } }

        func wait(_ seconds: Int64) {
            self.time.withLock { $0 = $0.advanced(by: seconds) }
        }

        func breaker(
            _ folder: StateFolder? = nil,
            census: @escaping @Sendable () -> [CensusRow] = { [] }
        ) async -> Breaker {
            let breaker = Breaker(
                rows: { _, _ in census() },
                folder: folder,
                logger: Logger(label: "breaker") { _ in SwiftLogNoOpLogHandler() },
                now: { self.now }
            )
            await breaker.connect(
                publish: { self.published.withLock { $0 += 1 } },
                tellClients: { tells in self.countsClients.withLock { $0 = tells } }
            )
            return breaker
        }
    }

    private static func cell(
        _ platform: String,
        _ version: String?,
        _ rule: String?
    ) -> CensusCell {
        CensusCell(
            client: CensusClient(
                platform: .stated(platform),
                version: version.map { .stated($0) } ?? .missing
            ),
            outcome: CensusOutcome(
                paths: .none,
                kind: rule == nil ? .allow : .require,
                rule: rule ?? "none"
            )
        )
    }

    /// Returns clients with two requests each.
    private static func clients(
        _ count: Int,
        _ platform: String = "ios",
        version: String? = "2.0",
        refusedBy rule: String? = nil
    ) throws -> [CensusCell: CensusFigures] {
        let hash = try #require(SipHash(key: Array(repeating: 3, count: 16)))
        var figures = CensusFigures(requests: UInt64(count) * 2)
        for client in 0..<count {
            let name = "\(platform)-\(version ?? "")-\(client)"
            figures.clients.add(hash.hash(Array(name.utf8).span))
        }
        return [Self.cell(platform, version, rule): figures]
    }

    private static func day(_ devices: Int) throws -> [CensusRow] {
        let hash = try #require(SipHash(key: Array(repeating: 3, count: 16)))
        return ["ios", "android"].map { platform in
            var figures = CensusFigures(requests: UInt64(devices), identified: UInt64(devices))
            for device in 0..<devices {
                figures.devices.add(hash.hash(Array("\(platform)\(device)".utf8).span))
            }
            return CensusRow(cell: Self.cell(platform, "2.0", nil), known: [], figures: figures)
        }
    }

    /// Whether the effective rules allow the version.
    private static func passes(_ ruleSet: RuleSet, _ platform: Platform = .ios) throws -> Bool {
        let identity = ClientIdentity(
            platform: .stated(platform),
            version: .stated(try AppVersion(parsing: "2.0"))
        )
        let scope = RequestScope.unrestricted
        return ruleSet.decide(identity, in: scope, at: Stage.start, address: nil).kind < .require
    }

    private static let refused = "35.0"

    @Test func `rules take effect before the prediction is calculated`() async throws {
        let stage = Stage()
        let isRead = DispatchSemaphore(value: 0)
        let breaker = await stage.breaker {
            isRead.wait()
            return []
        }
        let old = try Self.rules()
        _ = await breaker.start(old, after: nil)
        let new = try Self.rules(ios: Self.refused)
        #expect(try !Self.passes(await breaker.admit(new, after: old)))
        // The change is undone while the census is still being read.
        #expect(try Self.passes(await breaker.admit(old, after: new)))
        isRead.signal()
        isRead.signal()
    }

    @Test func `unpredicted denials trip the changed rule and no other`()
        async throws
    {
        let stage = Stage()
        let breaker = await stage.breaker()
        let old = try Self.rules(android: "1.5")
        #expect(try Self.passes(await breaker.start(old, after: nil)))
        #expect(await breaker.status.watched.isEmpty)
        let new = try Self.rules(ios: Self.refused, android: "1.5")
        #expect(try !Self.passes(await breaker.admit(new, after: old)))
        #expect(await breaker.status.watched == ["ios"])
        #expect(stage.countsClients.withLock { $0 })
        stage.wait(2)
        await breaker.look(at: [
            try Self.clients(250, refusedBy: "ios"),
            try Self.clients(250, "android", version: "1.0", refusedBy: "android"),
        ])
        let status = await breaker.status
        #expect(status.trips.map(\.rule) == ["ios"])
        #expect(status.trips.first?.refusedRequests == 500)
        #expect(stage.published.withLock { $0 } == 1)
        let acting = await breaker.acting(new)
        #expect(try Self.passes(acting.ruleSet))
        #expect(acting.definition.rules.map(\.mode) == [.observe, .enforce])
    }

    @Test func `predicted denials do not trip the breaker, and the trial ends`() async throws {
        let stage = Stage()
        let day = try Self.day(1_000)
        let breaker = await stage.breaker { day }
        let old = try Self.rules()
        _ = await breaker.start(old, after: nil)
        // The guard has accepted a change that affects all clients.
        _ = await breaker.admit(try Self.rules(ios: Self.refused), after: old)
        stage.wait(2)
        await breaker.look(at: [try Self.clients(300, refusedBy: "ios")])
        #expect(await breaker.status.trips.isEmpty)
        stage.wait(3_600)
        await breaker.look(at: [])
        #expect(await breaker.status.watched.isEmpty)
        #expect(!stage.countsClients.withLock { $0 })
    }

    /// Trips the breaker with rules that deny one platform, and returns the previous rules and the new ones.
    private static func trip(_ breaker: Breaker) async throws -> (
        old: LoadedRules, new: LoadedRules
    ) {
        let (old, new) = (try Self.rules(), try Self.rules(ios: Self.refused))
        _ = await breaker.start(old, after: nil)
        _ = await breaker.admit(new, after: old)
        await breaker.look(at: [try Self.clients(300, refusedBy: "ios")])
        return (old, new)
    }

    @Test func `a trip survives a restart and unchanged rules, and ends with a reset`() async throws
    {
        let folder = try TestFolder()
        let state = StateFolder(path: folder.path)
        let stage = Stage()
        let breaker = await stage.breaker(state)
        let (old, new) = try await Self.trip(breaker)
        #expect(await breaker.status.count == 1)
        // The previous rules return, and then the same change is made again.
        _ = await breaker.admit(old, after: new)
        #expect(await breaker.status.trips.isEmpty)
        #expect(try Self.passes(await breaker.admit(new, after: old)))
        // A new process loads the rules with other texts.
        let next = await stage.breaker(state)
        let reworded = try Self.rules(ios: Self.refused, words: ", status: 403")
        #expect(try Self.passes(await next.start(reworded, after: new)))
        #expect(await next.status.watched.isEmpty)
        #expect(await next.reset() == ["ios"])
        #expect(try !Self.passes(await next.acting(reworded).ruleSet))
        #expect(await next.status.watched.isEmpty)
        let last = await stage.breaker(state)
        #expect(try !Self.passes(await last.start(new, after: new)))
    }

    @Test func `edited terms rearm the breaker`() async throws {
        let stage = Stage()
        let breaker = await stage.breaker()
        let (_, new) = try await Self.trip(breaker)
        let edited = try Self.rules(ios: "34.0")
        #expect(try !Self.passes(await breaker.admit(edited, after: new)))
        #expect(await breaker.status.watched == ["ios"])
        stage.wait(2)
        // The first counts may include decisions by the previous rules.
        await breaker.look(at: [try Self.clients(300, refusedBy: "ios")])
        await breaker.look(at: [try Self.clients(300, refusedBy: "ios")])
        #expect(await breaker.status.trips.map(\.rule) == ["ios"])
        #expect(await breaker.status.count == 2)
    }

    @Test func `a version written with other digits is a different term, also after a restart`()
        async throws
    {
        let folder = try TestFolder()
        let state = StateFolder(path: folder.path)
        let stage = Stage()
        let breaker = await stage.breaker(state)
        let (_, new) = try await Self.trip(breaker)
        #expect(await breaker.status.trips.map(\.rule) == ["ios"])
        let rewritten = try Self.rules(ios: "\(Self.refused).0")
        #expect(try !Self.passes(await breaker.admit(rewritten, after: new)))
        #expect(await breaker.status.watched == ["ios"])
        let next = await stage.breaker(state)
        _ = await next.start(rewritten, after: rewritten)
        #expect(await next.status.watched == ["ios"])
    }

    @Test func `a scheduled date is watched like a change`() async throws {
        let stage = Stage()
        let breaker = await stage.breaker()
        let date = Stage.start.advanced(by: 86_400)
        let rules = try Self.rules(ios: Self.refused, words: ", enforceFrom: \(date)")
        _ = await breaker.start(rules, after: nil)
        stage.wait(86_399)
        #expect(await !breaker.isDue)
        await breaker.look(at: [])
        #expect(await breaker.status.watched.isEmpty)
        stage.wait(1)
        #expect(await breaker.isDue)
        await breaker.look(at: [])
        #expect(await breaker.status.watched == ["ios"])
        stage.wait(2)
        await breaker.look(at: [try Self.clients(300, refusedBy: "ios")])
        #expect(await breaker.status.trips.map(\.rule) == ["ios"])
    }

    @Test func `a restart continues the trial`() async throws {
        let folder = try TestFolder()
        let state = StateFolder(path: folder.path)
        let stage = Stage()
        let (old, new) = (try Self.rules(), try Self.rules(ios: Self.refused))
        let breaker = await stage.breaker(state)
        _ = await breaker.start(old, after: nil)
        _ = await breaker.admit(new, after: old)
        let next = await stage.breaker(state)
        _ = await next.start(new, after: new)
        #expect(await next.status.watched == ["ios"])
    }

    @Test(arguments: ["breaker: off", "breaker: { limit: off }"])
    func `the breaker can be disabled`(_ setting: String) async throws {
        let stage = Stage()
        let breaker = await stage.breaker()
        let old = try Self.rules()
        _ = await breaker.start(old, after: nil)
        _ = await breaker.admit(try Self.rules(ios: Self.refused, settings: setting), after: old)
        await breaker.look(at: [try Self.clients(300, refusedBy: "ios")])
        let status = await breaker.status
        #expect(status.watched.isEmpty && status.trips.isEmpty)
    }

    @Test func `the first start of a gate watches no rule`() async throws {
        let breaker = await Stage().breaker()
        _ = await breaker.start(try Self.rules(ios: Self.refused), after: nil)
        #expect(await breaker.status.watched.isEmpty)
    }

    @Test(
        arguments: [
            ("breaker: 20", nil), ("breaker: { limit: 5, watch: 10m }", nil),
            ("breaker: { webhook: https://hooks.example/a }", nil),
            ("breaker: 0", "such as 'breaker: 20', or 'off'"),
            ("breaker: { watch: 5s }", "expected 1m to 7d"),
            ("breaker: { webhook: http://hooks.example/a }", "this URL cannot be fetched"),
            ("breaker: { limits: 5 }", "unknown key 'limits'"),
        ] as [(String, String?)]
    )
    func `the breaker setting is validated`(_ setting: String, _ error: String?) throws {
        var found: String?
        do throws(RulesFileErrors) {
            _ = try RulesFileLoader.load(sources: [("rules.yaml", "\(setting)\nrules: []\n")])
        } catch {
            found = error.errors.map(\.description).joined()
        }
        #expect((found == nil) == (error == nil))
        if let error { #expect(found?.contains(error) == true, "\(found ?? "")") }
    }
}
