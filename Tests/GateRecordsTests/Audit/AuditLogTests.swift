import Foundation
import GateCensus
import GatePolicy
@testable import GateRules
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

@testable import GateRecords

/// The audit records of changes, tested without a gate.
@Suite(.ownThread, .timeLimit(.minutes(5)))
struct AuditLogTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private static func rules(_ minimum: String) throws -> LoadedRules {
        let text = """
            rules:
              - id: ios
                match: { platform: ios }
                minimum: "\(minimum)"
                storeUrl: https://apps.apple.com/app/id1234567890
            """
        return try RulesFileLoader.load(sources: [("rules.yaml", text)], now: { Self.now })
    }

    /// Returns rows with the number of requests per version, without devices.
    private static func rows(
        _ counts: [(version: String, requests: UInt64)],
        kind: Decision.Kind = .allow
    ) -> [CensusRow] {
        counts.map { version, requests in
            let client = CensusClient(platform: .stated("ios"), version: .stated(version))
            let outcome = CensusOutcome(paths: .none, kind: kind, rule: "none")
            return CensusRow(
                cell: CensusCell(client: client, outcome: outcome),
                known: [],
                figures: CensusFigures(requests: requests)
            )
        }
    }

    private static func log(
        in folder: StateFolder? = nil,
        clients: (@Sendable (Timestamp) -> [CensusRow])? = nil,
        history: (@Sendable (Timestamp, Timestamp) -> [CensusRow])? = nil
    ) throws -> AuditLog {
        try AuditLog(
            in: folder,
            clients: clients,
            history: history,
            logger: LogRecorder().logger
        )
    }

    private static func applied(
        _ rules: LoadedRules,
        over old: LoadedRules? = nil,
        by reason: RulesChange.Reason,
        name: String? = nil,
        after seconds: Int64 = 0
    ) -> RulesChange {
        RulesChange(
            at: self.now.advanced(by: seconds),
            by: RulesChange.Origin(reason, name: name),
            before: old,
            .applied(rules)
        )
    }

    private static func refused(_ message: String, by name: String? = nil) -> RulesChange {
        let error = RulesFileError(file: "rules.yaml", line: 3, column: 5, message: message)
        return RulesChange(
            at: self.now,
            by: RulesChange.Origin(.feed, name: name),
            before: nil,
            .refused(.unreadable(RulesFileErrors(error)))
        )
    }

    @Test func `a record has the time, the origin, the edits and the predicted impact`()
        async throws
    {
        let rows = Self.rows([("2.0", 30), ("3.0", 70)])
        let log = try Self.log { start in
            #expect(start == Self.now.advanced(by: -86_400))
            return rows
        }
        let (old, new) = (try Self.rules("1.0"), try Self.rules("2.5"))
        log.note(Self.applied(new, over: old, by: .request, name: "night"))
        let records = try await log.records(atMost: 10)
        #expect(records.count == 1)
        let record = try #require(records.first)
        #expect(record.at == "\(Self.now)")
        #expect(record.source.kind == .admin)
        #expect(record.source.name == "night")
        #expect(record.outcome == .applied)
        #expect(record.before == old.definition.revision)
        #expect(record.after == new.definition.revision)
        #expect(record.changes == ["rule 'ios':", "  minimum: \"1.0\" -> \"2.5\""])
        #expect(record.predicted?.total.requests == 100)
        #expect(record.predicted?.denied.requests == 30)
        #expect(record.predicted?.passed.requests == 0)
        #expect(record.reasons.isEmpty)
    }

    @Test func `an hour later, the record has the actual impact up to the next change`()
        async throws
    {
        let asked = Mutex<[String]>([])
        let rows = Self.rows([("2.0", 30), ("3.0", 70)])
        let refused = Self.rows([("2.0", 29)], kind: .require)
        let log = try Self.log(clients: { _ in rows }) { start, end in
            let (since, span) = (Self.now.seconds(until: start), start.seconds(until: end))
            asked.withLock { $0.append("\(since) \(span)") }
            return rows + refused
        }
        func happened(after seconds: Int64) async throws -> [AuditRecord.Aftermath?] {
            log.settle(at: Self.now.advanced(by: seconds))
            return try await log.records(atMost: 10).map(\.happened)
        }
        let (old, new) = (try Self.rules("1.0"), try Self.rules("2.5"))
        log.note(Self.applied(new, over: old, by: .request))
        #expect(try await log.records(atMost: 1).first?.predicted?.refused?.requests == 30)
        #expect(try await happened(after: 0) == [nil])
        #expect(try await happened(after: 3_630) == [nil])
        log.note(Self.applied(old, over: new, by: .request, after: 630))
        #expect(try await happened(after: 631).count { $0 == nil } == 2)
        let early = try await happened(after: 700)
        #expect(early.count { $0 == nil } == 1)
        #expect(early.last??.refused.requests == 29 && early.last??.total.requests == 129)
        let all = try await happened(after: 4_400)
        #expect(all.count { $0 == nil } == 0)
        // The queries cover whole minutes, because the first change is at 8:00:00 and the second at 8:10:30.
        #expect(asked.withLock { $0 } == ["0 600", "660 3600"])
        // The census is not queried again.
        _ = try await happened(after: 9_000)
        #expect(asked.withLock { $0.count } == 2)
    }

    @Test func `a change at the end of an hour has an actual impact, too`() async throws {
        let rows = Self.rows([("2.0", 30), ("3.0", 70)])
        let log = try Self.log(clients: { _ in rows }) { _, _ in rows }
        let (old, new) = (try Self.rules("1.0"), try Self.rules("2.5"))
        // 8:58:30, so that the period is from 8:59 to 9:59.
        log.note(Self.applied(new, over: old, by: .request, after: 3_510))
        _ = try await log.records(atMost: 1)
        // 10:30; the census has the minutes from 8:00 until 11:00.
        log.settle(at: Self.now.advanced(by: 9_000))
        #expect(try await log.records(atMost: 1).first?.happened != nil)
    }

    @Test func `an hour outside of the census has no actual impact`() async throws {
        let log = try Self.log(clients: { _ in [] }) { _, _ in
            Issue.record("the minutes are gone by now")
            return []
        }
        let (old, new) = (try Self.rules("1.0"), try Self.rules("2.5"))
        log.note(Self.applied(new, over: old, by: .request))
        _ = try await log.records(atMost: 1)
        log.settle(at: Self.now.advanced(by: 4 * 3_600))
        #expect(try await log.records(atMost: 1).first?.happened == nil)
    }

    @Test func `a rejected change has its reasons, and repetitions are not recorded`() async throws
    {
        let log = try Self.log()
        log.note(Self.refused("unknown key", by: "cms"))
        log.note(Self.refused("unknown key", by: "cms"))
        log.note(Self.refused("unknown key", by: "other"))
        log.note(Self.refused("another thing", by: "other"))
        let records = try await log.records(atMost: 10)
        #expect(records.map(\.source.name) == ["other", "other", "cms"])
        #expect(records.map(\.outcome) == [.refused, .refused, .refused])
        #expect(records.last?.reasons == ["rules.yaml:3:5: unknown key"])
        #expect(records.last?.after == nil)
    }

    @Test func `a start is recorded only if the rules differ`() async throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = StateFolder(path: folder.path)
        let (first, second) = (try Self.rules("1.0"), try Self.rules("2.0"))
        for rules in [first, first, second] {
            let log = try Self.log(in: state)
            log.note(Self.applied(rules, by: .start))
            _ = try await log.records(atMost: 1)
        }
        let records = try await Self.log(in: state).records(atMost: 10)
        #expect(records.map(\.source.kind) == [.start, .start])
        #expect(records.map(\.after) == [second.definition.revision, first.definition.revision])
        #expect(records.map(\.before) == [first.definition.revision, nil])
        #expect(records.map(\.id) == [2, 1])
        let older = try await Self.log(in: state).records(before: 2, atMost: 10)
        #expect(older.map(\.id) == [1])
    }

    @Test func `beyond the limit, the oldest records are removed`() async throws {
        let log = try Self.log()
        let count = Int(AuditLog.limit) + 5
        for number in 0..<count { log.note(Self.refused("\(number)")) }
        let records = try await log.records(atMost: count)
        #expect(records.count == Int(AuditLog.limit))
        #expect(records.first?.reasons == ["rules.yaml:3:5: \(count - 1)"])
    }

    @Test func `the size of a record is limited`() async throws {
        let log = try Self.log()
        let errors = (0..<1_000).map { line in
            RulesFileError(
                file: "rules.yaml",
                line: line + 1,
                message: String(repeating: "x", count: 700)
            )
        }
        log.note(
            RulesChange(
                at: Self.now,
                by: RulesChange.Origin(.fileChanged),
                before: nil,
                .refused(.unreadable(RulesFileErrors(errors)))
            )
        )
        let record = try #require(try await log.records(atMost: 1).first)
        #expect(record.reasons.count == AuditRecord.wordLimit + 1)
        #expect(record.reasons.last == "… and 900 more")
        #expect(record.json.utf8.count < 64 << 10)
    }

    @Test func `a damaged file is not changed, and records are kept in memory`() async throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let text = "no database, and never was"
        try folder.write(text, to: AuditLog.fileName)
        let recorder = LogRecorder()
        let state = StateFolder(path: folder.path)
        let log = try #require(AuditLog.open(in: state, census: nil, logger: recorder.logger))
        #expect(!log.isKept)
        #expect(recorder.lines == ["error changes to the rules cannot be recorded"])
        log.note(Self.applied(try Self.rules("1.0"), by: .start))
        #expect(try await log.records(atMost: 10).count == 1)
        let left = try String(contentsOfFile: folder.path(of: AuditLog.fileName), encoding: .utf8)
        #expect(left == text)
    }

    @Test func `a file from a newer version is rejected`() throws {
        let folder = try TestFolder()
        defer { withExtendedLifetime(folder) {} }
        let state = StateFolder(path: folder.path)
        _ = try Self.log(in: state)
        let path = "\(folder.path)/\(AuditLog.fileName)"
        try SQLiteDatabase(path: path).execute("PRAGMA user_version = 2")
        #expect(throws: AuditLog.Failure.newer(version: 2)) { try Self.log(in: state) }
    }

    @Test func `a change by a feed is recorded with its edits`() throws {
        let feed = "rules: []\nfeeds: [{ id: cms, source: https, url: https://example.com/r }]\n"
        func loaded(_ minimum: String) throws -> LoadedRules {
            let definitions = try RulesFileLoader.load(sources: [("rules.yaml", feed)]).feeds
            let rules = """
                rules: [{ id: shop, minimum: "\(minimum)", storeUrl: "https://example.com/app" }]
                """
            let definition = try #require(definitions.first)
            let contribution = FeedContribution(
                fingerprint: definition.fingerprint,
                value: FeedValue(document: rules)
            )
            return try RulesFileLoader.load(
                [RulesSource(name: "rules.yaml", bytes: Array(feed.utf8))],
                feeds: ["cms": contribution]
            )
        }
        let words = RulesEdits(from: try loaded("1.0"), to: try loaded("2.0")).words
        #expect(words == ["rule 'shop':", "  minimum: \"1.0\" -> \"2.0\""])
    }
}
