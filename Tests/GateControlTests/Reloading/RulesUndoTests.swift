import GateCensus
import GatePolicy
@testable import GateRecords
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

@testable import GateControl

/// An undo across file changes, signals and restarts.
@Suite(.ownThread, .timeLimit(.minutes(5)))
struct RulesUndoTests {
    private final class Told: Sendable {
        let changes = Mutex<[RulesChange]>([])
        let looks = Mutex(0)
        /// The clients in the census.
        let seen = Mutex<[CensusRow]>([])

        var last: RulesChange? { self.changes.withLock { $0.last } }
        /// The number of census queries.
        var censusLooks: Int { self.looks.withLock { $0 } }
    }

    /// A gate without sockets: a rules file, a state folder, and a reloader that can be restarted.
    private final class Bench {
        let folder: TestFolder
        let log = LogRecorder()
        let told = Told()
        private(set) var archive: RulesArchive?
        private(set) var reloader: RulesReloader

        private var path: String { self.folder.path(of: "rules.yaml") }
        private var state: StateFolder { StateFolder(path: self.folder.path(of: "state")) }

        /// Returns a rules file that is identified by its floor; `?` is invalid, and `!` locks out all clients.
        ///
        /// `#` adds a test and writes the same rules differently, `+` adds an exemption, `x` blocks
        /// another version, and `-` enforces nothing.
        static func text(_ floor: String) -> String {
            switch floor {
            case _ where floor.hasSuffix("#"):
                """
                # Made by a template.
                exempt: []
                rules:
                  - storeUrl: https://a.example
                    id: "a"
                    minimum: "\(floor.dropLast()).0"
                tests:
                  - { name: t, request: { version: "9" }, expect: { decision: allow } }

                """
            case _ where floor.hasSuffix("x"):
                Self.text(String(floor.dropLast())).replacing(" }", with: ", blocked: '5' }")
            case _ where floor.hasSuffix("-"):
                "mode: observe\n" + Self.text(String(floor.dropLast()))
            case _ where floor.hasSuffix("+"):
                Self.text(String(floor.dropLast())) + "exempt: ['/health']\n"
            case "?": "rules: [\n"
            case "!": "rules: [{ id: a, blocked: '>=0', storeUrl: 'https://a.example' }]\n"
            default: "rules: [{ id: a, minimum: '\(floor)', storeUrl: 'https://a.example' }]\n"
            }
        }

        init(_ floor: String) async throws {
            self.folder = try TestFolder()
            self.reloader = RulesReloader(
                loader: RulesFileLoader(path: ""),
                logger: self.log.logger,
                publish: { _ in }
            )
            try self.write(floor)
            try await self.start()
        }

        func write(_ floor: String) throws {
            try self.folder.write(Self.text(floor), to: "rules.yaml")
        }

        func start() async throws {
            let loader = RulesFileLoader(path: self.path)
            let lastGood = LastGoodRules(self.state, path: self.path)
            let starting = try StartingRules(
                loader,
                contributions: [:],
                lastGood: lastGood.read { Issue.record("\($0)") },
                isStrict: false,
                at: SystemClock.now(),
                logger: self.log.logger
            )
            if starting.failure == nil { lastGood.keep(starting.rules) }
            let archive = RulesArchive.open(in: self.state, logger: self.log.logger)
            archive?.keep(starting.rules)
            self.archive = archive
            let told = self.told
            self.reloader = RulesReloader(
                loader: loader,
                initial: .init(starting.rules, failure: starting.failure),
                collaborators: .init(
                    census: { _ in
                        told.looks.withLock { $0 += 1 }
                        return told.seen.withLock { $0 }
                    },
                    archive: archive,
                    keep: { lastGood.keep($0) },
                    note: { change in told.changes.withLock { $0.append(change) } }
                ),
                logger: self.log.logger,
                publish: { _ in }
            )
        }

        /// The revision of a floor, without feeds.
        static func revision(_ floor: String) -> String {
            let bytes = Array(Self.text(floor).utf8)
            return Revision(of: [RulesSource(name: "rules.yaml", bytes: bytes)]).text
        }

        var floor: String {
            get async {
                let rule = await self.reloader.current?.definition.rules.first
                return rule?.minimum.map { "\($0)" } ?? "none"
            }
        }

        /// The active floor, with a `*` if an undo overrides the file.
        var activeFloor: String {
            get async {
                let pin = await self.reloader.current?.pin
                return await self.floor + (pin == nil ? "" : "*")
            }
        }

        func play(_ step: Substring) async throws {
            let words = step.split(separator: " ")
            switch words[0] {
            case "file":
                try self.write(String(words[1]))
                await self.reloader.reload(reason: .fileChanged)
            case "write": try self.write(String(words[1]))
            case "signal": await self.reloader.reload(reason: .signal)
            case "look": await self.reloader.reload(reason: .fileChanged)
            case "restart": try await self.start()
            case "undo":
                let seen = await self.reloader.current?.definition.revision ?? ""
                let target = Self.revision(String(words[1]))
                let outcome = await self.reloader.undo(to: target, seen: seen, by: "night")
                guard case .done = outcome else {
                    Issue.record("\(step): \(outcome)")
                    return
                }
            default: Issue.record("\(step) is no step")
            }
        }
    }

    /// Steps, each with the floor that is active after it.
    @Test(arguments: [
        // An undo takes effect at once, and survives signals, touches and restarts, also if the
        // same text is written again.
        "file 2: 2, undo 1: 1*, signal: 1*, look: 1*, file 2: 1*, restart: 1*, signal: 1*, restart: 1*",
        // A changed file ends the undo permanently.
        "file 2: 2, undo 1: 1*, file 3: 3, file 2: 2, restart: 2",
        "file 2: 2, undo 1: 1*, write 3: 1*, restart: 3, file 2: 2",
        // A file with the active rules also ends it.
        "file 2: 2, undo 1: 1*, file 1: 1, file 2: 2",
        "file 2: 2, undo 1: 1*, write 1: 1*, restart: 1, file 2: 2",
        // Undoing the undo restores the rules of the file.
        "file 2: 2, undo 1: 1*, undo 2: 2, file 1: 1",
        "file 2: 2, undo 1: 1*, undo 2: 2, restart: 2, signal: 2",
        // After two undos, the file is still the one that was undone first.
        "file 2: 2, file 3: 3, undo 2: 2*, undo 1: 1*, signal: 1*, restart: 1*, file 2: 2",
        // An invalid file does not end the undo, and neither does fixing it.
        "file 2: 2, undo 1: 1*, file ?: 1*, file 2: 1*, restart: 1*, file 3: 3",
        "file 2: 2, undo 1: 1*, file !: 1*, signal: 1*, restart: 1*, file 2: 1*",
        // A rejected file is part of the undo, together with the active rules.
        "file 2: 2, file !: 2, undo 1: 1*, signal: 1*, file 2: 1*, file !: 1*, file 3: 3",
        // A file that has not been read yet is not part of the undo.
        "file 2: 2, write 3: 2, undo 1: 1*, look: 3",
        // The same rules in other words do not end the undo.
        "file 2: 2, undo 1: 1*, file 2#: 1*, signal: 1*, restart: 1*, file 3#: 3.0",
        // A file with the undone change and another one is rejected.
        "file 2: 2, undo 1: 1*, file 2+: 1*, signal: 1*, restart: 1*, file 3+: 3",
        "file 2: 2, file 3: 3, undo 2: 2*, undo 1: 1*, file 3+: 1*, restart: 1*, file 2+: 2",
        "file 2: 2, undo 1: 1*, undo 2: 2, file 2+: 2", "file 2: 2, undo 1: 1*, file 1+: 1",
        // Undoing the undo permits such a file again.
        "file 2: 2, undo 1: 1*, file 2+: 1*, undo 2: 2, signal: 2, file 1: 1",
        // A file that changes the undone rule further is a new decision, and so is a file that enforces nothing.
        "file 2: 2, undo 1: 1*, file 2x: 2, restart: 2", "file 2: 2, undo 1: 1*, file 2-: 2",
        // An undo to the active rules has no effect.
        "file 2: 2, undo 2: 2, signal: 2", "file 2: 2, undo 1: 1*, undo 1: 1*, restart: 1*",
    ])
    func `an undo lasts until the file changes`(_ story: String) async throws {
        let bench = try await Bench("1")
        for part in story.split(separator: ",") {
            let halves = part.split(separator: ":")
            let (step, wanted) = (halves[0].drop { $0 == " " }, halves[1].drop { $0 == " " })
            try await bench.play(step)
            #expect(await bench.activeFloor == wanted, "\(step) in '\(story)'")
        }
    }

    @Test func `a file that repeats an undone change is rejected with the reason`() async throws {
        let bench = try await Bench("1")
        for step in ["file 2", "undo 1", "file 2+"] { try await bench.play(step[...]) }
        let errors = await bench.reloader.status.errors.map { "\($0)" }
        #expect(errors.count == 1)
        let error = try #require(errors.first)
        #expect(error.contains("rules.yaml:1:15: this change was undone at "))
        #expect(error.contains("by night"))
        #expect(error.contains(#"rule 'a': minimum: "1" -> "2""#))
    }

    /// The guard must not treat rules that an operator has undone as an earlier state to return to.
    @Test func `rules that were undone do not count as a return`() async throws {
        let bench = try await Bench("1")
        for step in ["file 4", "file 9", "undo 1", "file 3"] { try await bench.play(step[...]) }
        #expect(await bench.activeFloor == "3")
        bench.told.seen.withLock { $0 = [Self.clients(of: "3.5", count: 300)] }
        try await bench.play("file 9")
        #expect(await bench.activeFloor == "3")
        // The guard rejects no other rules that were active before.
        try await bench.play("file 4")
        #expect(await bench.activeFloor == "4")
    }

    /// Clients without device IDs.
    private static func clients(of version: String, count: Int) -> CensusRow {
        let client = CensusClient(platform: .stated("ios"), version: .stated(version))
        let outcome = CensusOutcome(paths: .none, kind: .allow, rule: "none")
        return CensusRow(
            cell: CensusCell(client: client, outcome: outcome),
            known: [],
            figures: CensusFigures(requests: UInt64(count), identified: 0)
        )
    }

    @Test func `the first of two concurrent undo requests succeeds`() async throws {
        let bench = try await Bench("1")
        for floor in ["2", "3"] { try await bench.play("file \(floor)") }
        let reloader = bench.reloader
        let seen = Bench.revision("3")
        async let one = reloader.undo(to: Bench.revision("1"), seen: seen)
        async let other = reloader.undo(to: Bench.revision("2"), seen: seen)
        var done: [String] = []
        var stale: [String] = []
        for outcome in await [one, other] {
            switch outcome {
            case .done(let rules): done.append(rules.definition.revision)
            case .stale(let revision): stale.append(revision)
            case .unknown, .refused: Issue.record("\(outcome)")
            }
        }
        #expect(done.count == 1 && stale == done)
        #expect(await reloader.current?.definition.revision == done.first)
    }

    @Test func `an unknown revision cannot be restored`() async throws {
        let bench = try await Bench("1")
        let seen = Bench.revision("1")
        guard case .unknown = await bench.reloader.undo(to: Bench.revision("7"), seen: seen) else {
            Issue.record("it was")
            return
        }
        #expect(await bench.reloader.preview(undoTo: nil) == nil)
    }

    @Test func `an undo takes effect before the impact is calculated, and is recorded`()
        async throws
    {
        let bench = try await Bench("1")
        try await bench.play("file 2")
        let looks = bench.told.censusLooks
        #expect(looks > 0)
        try await bench.play("undo 1")
        #expect(bench.told.censusLooks == looks)
        let change = try #require(bench.told.last)
        #expect(change.origin == RulesChange.Origin(.undo, name: "night"))
        #expect(AuditRecord.Source(change.origin).kind == .undo)
        #expect(bench.log.lines.contains { $0.contains("an undo is active") })
        try await bench.play("file 3")
        #expect(bench.log.lines.contains { $0.contains("the undo has ended") })
    }

    @Test func `rules that no longer load are rejected without effect`() async throws {
        let bench = try await Bench("1")
        try await bench.play("file 2")
        // The recorded rules are invalid now, as they can be after an update of the gate.
        let text = "rules: [{ id: a, minimun: '1' }]\n"
        let broken = try RulesFileLoader.load(sources: [("rules.yaml", Bench.text("5"))])
        bench.archive?.keep(broken)
        try bench.archive?.overwrite(broken.filesRevision, with: text)
        let target = broken.definition.revision
        let preview = try #require(await bench.reloader.preview(undoTo: target))
        let messages = preview.failure?.errors.map(\.message) ?? []
        #expect(messages.contains { $0.hasPrefix("unknown key 'minimun'") })
        let outcome = await bench.reloader.undo(to: target, seen: Bench.revision("2"))
        guard case .refused(let failure) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(!failure.errors.isEmpty)
        #expect(await bench.activeFloor == "2")
        let change = try #require(bench.told.last)
        guard case .refused = change.outcome else {
            Issue.record("the rejected change is not reported")
            return
        }
    }

    @Test func `a preview returns the changes without applying them`() async throws {
        let bench = try await Bench("1")
        try await bench.play("file 2")
        let preview = try #require(await bench.reloader.preview(undoTo: nil))
        #expect(preview.revision == Bench.revision("2") && preview.to == Bench.revision("1"))
        #expect(preview.changes == ["rule 'a':", "  minimum: \"2\" -> \"1\""])
        #expect(preview.findings.map(\.name).contains(.laxer))
        #expect(await bench.activeFloor == "2")
        // A second undo restores the first rules.
        try await bench.play("undo 1")
        #expect(await bench.reloader.preview(undoTo: nil)?.to == Bench.revision("2"))
    }
}

extension RulesArchive {
    fileprivate func overwrite(_ files: String, with text: String) throws {
        let json = "[{\"name\":\"rules.yaml\",\"text\":\"\(text.replacing("\n", with: "\\n"))\"}]"
        try self.database.use { database in
            try database.run(
                "UPDATE texts SET sources = ? WHERE files = ?",
                [.text(json), .text(files)]
            )
        }
    }
}
