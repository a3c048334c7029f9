import GatePolicy
@testable import GateRecords
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

@testable import GateControl

/// An undo between files, signals and restarts: the file stays the truth.
@Suite(.ownThread, .timeLimit(.minutes(5)))
struct RulesUndoTests {
    private final class Told: Sendable {
        let changes = Mutex<[RulesChange]>([])
        let looks = Mutex(0)

        var last: RulesChange? { self.changes.withLock { $0.last } }
        /// The number of times that the census was asked for.
        var censusLooks: Int { self.looks.withLock { $0 } }
    }

    /// A gate without its sockets: a rules file, a state folder, and a reloader that may be started again.
    private final class Bench {
        let folder: TestFolder
        let log = LogRecorder()
        let told = Told()
        private(set) var archive: RulesArchive?
        private(set) var reloader: RulesReloader

        private var path: String { self.folder.path(of: "rules.yaml") }
        private var state: StateFolder { StateFolder(path: self.folder.path(of: "state")) }

        /// A floor, by which texts are told apart here; `?` is no rules file, and `!` locks everybody out.
        static func text(_ floor: String) -> String {
            switch floor {
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
                current: starting.rules,
                failure: starting.failure,
                census: { _ in
                    told.looks.withLock { $0 += 1 }
                    return []
                },
                archive: archive,
                logger: self.log.logger,
                keep: { lastGood.keep($0) },
                note: { change in told.changes.withLock { $0.append(change) } },
                publish: { _ in }
            )
        }

        /// The revision of a floor, feeds left out.
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

        /// The floor in force, with a `*` if an undo holds it against the file.
        var standing: String {
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

    /// Steps, each with the floor that is in force then.
    @Test(arguments: [
        // It holds at once, over signals, touches and restarts, whoever writes the same again.
        "file 2: 2, undo 1: 1*, signal: 1*, look: 1*, file 2: 1*, restart: 1*, signal: 1*, restart: 1*",
        // A changed file ends it, for good.
        "file 2: 2, undo 1: 1*, file 3: 3, file 2: 2, restart: 2",
        "file 2: 2, undo 1: 1*, write 3: 1*, restart: 3, file 2: 2",
        // So does the file that says what is in force.
        "file 2: 2, undo 1: 1*, file 1: 1, file 2: 2",
        "file 2: 2, undo 1: 1*, write 1: 1*, restart: 1, file 2: 2",
        // An undo of the undo is what the file says.
        "file 2: 2, undo 1: 1*, undo 2: 2, file 1: 1",
        "file 2: 2, undo 1: 1*, undo 2: 2, restart: 2, signal: 2",
        // Further back, the file still says what was undone first.
        "file 2: 2, file 3: 3, undo 2: 2*, undo 1: 1*, signal: 1*, restart: 1*, file 2: 2",
        // A file that is wrong does not end it, and leaves it be when it is mended.
        "file 2: 2, undo 1: 1*, file ?: 1*, file 2: 1*, restart: 1*, file 3: 3",
        "file 2: 2, undo 1: 1*, file !: 1*, signal: 1*, restart: 1*, file 2: 1*",
        // A file that had been refused was undone, too, with what was in force in its place.
        "file 2: 2, file !: 2, undo 1: 1*, signal: 1*, file 2: 1*, file !: 1*, file 3: 3",
        // A file that nobody has read yet was not undone.
        "file 2: 2, write 3: 2, undo 1: 1*, look: 3",
        // To what is in force, there is nothing to undo.
        "file 2: 2, undo 2: 2, signal: 2", "file 2: 2, undo 1: 1*, undo 1: 1*, restart: 1*",
    ])
    func `an undo holds until the file says something else`(_ story: String) async throws {
        let bench = try await Bench("1")
        for part in story.split(separator: ",") {
            let halves = part.split(separator: ":")
            let (step, wanted) = (halves[0].drop { $0 == " " }, halves[1].drop { $0 == " " })
            try await bench.play(step)
            #expect(await bench.standing == wanted, "\(step) in '\(story)'")
        }
    }

    @Test func `of two at once one is first, and the other one is told`() async throws {
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

    @Test func `what is not remembered cannot be put back`() async throws {
        let bench = try await Bench("1")
        let seen = Bench.revision("1")
        guard case .unknown = await bench.reloader.undo(to: Bench.revision("7"), seen: seen) else {
            Issue.record("it was")
            return
        }
        #expect(await bench.reloader.preview(undoTo: nil) == nil)
    }

    @Test func `no client is counted before it holds, and it is told as an undo`() async throws {
        let bench = try await Bench("1")
        try await bench.play("file 2")
        let looks = bench.told.censusLooks
        #expect(looks > 0)
        try await bench.play("undo 1")
        #expect(bench.told.censusLooks == looks)
        let change = try #require(bench.told.last)
        #expect(change.origin == RulesChange.Origin(.undo, name: "night"))
        #expect(AuditRecord.Source(change.origin).kind == .undo)
        #expect(bench.log.lines.contains { $0.contains("an undo is in force") })
        try await bench.play("file 3")
        #expect(bench.log.lines.contains { $0.contains("the undo is over") })
    }

    @Test func `rules that do not load any more are refused, and nothing changes`() async throws {
        let bench = try await Bench("1")
        try await bench.play("file 2")
        // As a later release may find something wrong with them.
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
        #expect(await bench.standing == "2")
        let change = try #require(bench.told.last)
        guard case .refused = change.outcome else {
            Issue.record("it is not told")
            return
        }
    }

    @Test func `a preview says what would change, and changes nothing`() async throws {
        let bench = try await Bench("1")
        try await bench.play("file 2")
        let preview = try #require(await bench.reloader.preview(undoTo: nil))
        #expect(preview.revision == Bench.revision("2") && preview.to == Bench.revision("1"))
        #expect(preview.changes == ["rule 'a':", "  minimum: \"2\" -> \"1\""])
        #expect(preview.findings.map(\.name).contains(.laxer))
        #expect(await bench.standing == "2")
        // Said twice, it leads back.
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
