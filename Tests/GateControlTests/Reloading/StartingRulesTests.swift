import GatePolicy
import GateRecords
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Testing

@testable import GateControl

/// The rules that a gate starts with, and their storage.
struct StartingRulesTests {
    private static let good = "rules: [{ id: a, minimum: '2', storeUrl: 'https://a.example' }]\n"
    private static let now = Timestamp(secondsSinceEpoch: 1_798_113_600)

    private let folder: TestFolder
    private let log = LogRecorder()

    init() throws {
        self.folder = try TestFolder()
    }

    private func loader(at now: Timestamp = Self.now) -> RulesFileLoader {
        RulesFileLoader(path: self.folder.path(of: "rules.yaml")) { now }
    }

    private var kept: LastGoodRules {
        LastGoodRules(
            StateFolder(path: self.folder.path(of: "state")),
            path: self.folder.path(of: "rules.yaml")
        )
    }

    private func start(at now: Timestamp = Self.now, isStrict: Bool = false) throws -> StartingRules
    {
        try StartingRules(
            self.loader(at: now),
            contributions: [:],
            lastGood: self.kept.read { Issue.record("\($0)") },
            isStrict: isStrict,
            at: now,
            logger: self.log.logger
        )
    }

    private func keep(_ text: String) throws {
        try self.folder.write(text, to: "rules.yaml")
        self.kept.keep(try self.loader().load())
    }

    @Test func `stored rules are restored for the same path only`() throws {
        try self.keep(Self.good)
        #expect(self.kept.read { _ in }?.texts.sources.map(\.text) == [Self.good])
        var told: [String] = []
        let other = LastGoodRules(
            StateFolder(path: self.folder.path(of: "state")),
            path: "elsewhere.yaml"
        )
        #expect(other.read { told.append($0) } == nil)
        #expect(told.count == 1)
        let same = LastGoodRules(
            StateFolder(path: self.folder.path(of: "state")),
            path: self.folder.path(of: "./other/../rules.yaml")
        )
        #expect(same.read { Issue.record("\($0)") } != nil)
    }

    @Test func `damaged stored rules are rejected`() throws {
        try self.keep(Self.good)
        let name = "state/rules.last-good.json"
        let bytes = try FileContent(path: self.folder.path(of: name), atMost: 1 << 20).bytes
        let text = String(decoding: bytes, as: UTF8.self)
        for damaged in [text.replacing("minimum: '2'", with: "minimum: '9'"), "{", ""] {
            try self.folder.write(damaged, to: name)
            var told: [String] = []
            #expect(self.kept.read { told.append($0) } == nil)
            #expect(told.count == 1)
        }
    }

    @Test(arguments: [
        "", "rules: [", "rules: [{ id: a, blocked: '>=0', storeUrl: 'https://a.example' }]",
    ])
    func `an invalid or rejected file falls back to the last good rules`(
        _ broken: String
    ) throws {
        try self.keep(Self.good)
        try self.folder.write(broken, to: "rules.yaml")
        let starting = try self.start()
        #expect(starting.failure != nil)
        #expect(starting.rules.definition.rules.map(\.id) == ["a"])
        #expect(starting.rules.definition.rules.first?.minimum != nil)
        #expect(throws: LoadFailure.self) { try self.start(isStrict: true) }
    }

    @Test func `without last good rules an invalid file prevents the start`() throws {
        for broken in ["", "rules: [{ id: a, blocked: '>=0', storeUrl: 'https://a.example' }]"] {
            try self.folder.write(broken, to: "rules.yaml")
            #expect(throws: LoadFailure.self) { try self.start() }
        }
    }

    @Test func `a file edited while the gate is down is compared with the last good rules`()
        throws
    {
        try self.keep(Self.good)
        let plan = "rules: [{ id: a, minimum: '3', enforceFrom: 2027-06-01T00:00:00Z, "
        try self.folder.write(plan + "storeUrl: 'https://a.example' }]\n", to: "rules.yaml")
        let starting = try self.start()
        #expect(starting.failure?.refusals.map(\.name) == [.planOpens])
        try self.folder.write("rules: []\n", to: "rules.yaml")
        let undone = try self.start()
        #expect(undone.failure == nil)
        #expect(undone.rules.findings.all.map(\.name) == [.laxer])
    }

    @Test func `tests that fail only because of the date do not prevent the start`() throws {
        let later = Self.now.advanced(by: 86_400 * 30)
        try self.keep(
            """
            rules:
            - { id: a, minimum: '2', enforceFrom: \(later), storeUrl: 'https://a.example' }
            tests:
            - { name: t, at: \(Self.now), request: { version: '1' }, expect: { decision: allow } }

            """
        )
        #expect(try self.start(at: later).failure == nil)
        try self.keep(
            """
            rules:
            - { id: a, minimum: '2', until: \(later), storeUrl: 'https://a.example' }
            - { id: b, recommended: '3', storeUrl: 'https://a.example' }

            """
        )
        // A test that only passes on this day.
        let text = """
            rules:
            - { id: a, minimum: '2', enforceFrom: 2026-01-01T00:00:00Z, storeUrl: 'https://a.example' }
            tests: [{ name: t, request: { version: '1' }, expect: { decision: require } }]

            """
        try self.keep(text)
        #expect(try self.start(at: later).failure == nil)
    }
}
