import ArgumentParser
import FoundationEssentials
import GateCensus
import GatePolicy
import GateRecords
import GateRules
import GateSystem
import Logging

/// Creates the state of a gate that has served the demo apps for some time.
struct DemoHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Creates a state directory with simulated traffic from recent days.",
        discussion: """
            The apps are the same as in demo-traffic. The directory must be new or empty. The \
            gate's log and its page state that the directory contains demo data.
            """
    )

    @Option(name: .customLong("state-dir"), help: "The directory to create.")
    var folder: String
    @Option(help: "The rules with which the traffic was evaluated.")
    var rules = "rules/rules.yaml"
    @Option(help: "The number of days of traffic, 1 to 90.")
    var days = 30

    /// A simulated past change of a minimum; it applies only to rules that contain the new minimum.
    private static let change = (
        from: #"minimum: "3.2.0""#, to: #"minimum: "3.5.0""#, daysAgo: 12.0
    )

    func run() async throws {
        guard 1...90 ~= self.days else {
            throw ValidationError("--days '\(self.days)': expected 1 to 90")
        }
        let names = try? FileManager.default.contentsOfDirectory(atPath: self.folder)
        guard names?.isEmpty ?? true else {
            throw ValidationError(
                "--state-dir '\(self.folder)': the directory is not empty, and demo data must not "
                    + "be mixed with real data"
            )
        }
        let now = SystemClock.now()
        let (older, current) = try self.loadRules()
        let folder = StateFolder(path: self.folder)
        if let problem = folder.problem {
            try StandardError.fail("--state-dir '\(self.folder)': \(problem)")
        }
        try folder.replace(Census.demoMark, with: Array("This is demo data.\n".utf8))
        let logger = Logger(label: "demo") { _ in SwiftLogNoOpLogHandler() }
        guard let (census, hash) = Census.open(in: folder, limit: 10_000, logger: logger),
            let audit = AuditLog.open(in: folder, census: census, logger: logger),
            let archive = RulesArchive.open(in: folder, logger: logger)
        else { try StandardError.fail("--state-dir '\(self.folder)': cannot be written to") }
        var traffic = DemoPast(hash, now: now)
        let start = now.advanced(by: -Int64(self.days) * 86_400)
        let changed = now.advanced(by: -Int64(Self.change.daysAgo * 86_400))
        let phases =
            older.map { [($0, start, changed), (current, changed, now)] }
            ?? [(current, start, now)]
        var before: LoadedRules?
        for (rules, from, until) in phases {
            let reason = before == nil ? RulesChange.Reason.start : .fileChanged
            archive.keep(rules)
            audit.note(RulesChange(at: from, by: .init(reason), before: before, .applied(rules)))
            // Records are written on a background thread; reading a record waits until the write is complete.
            _ = try await audit.records(atMost: 1)
            try census.store.note(paths: rules.ruleSet.censusPaths, at: from)
            for period in DemoPast.periods(from: from, until: until, now: now) {
                let bucket = traffic.bucket(of: period, by: rules.ruleSet)
                try census.store.add(bucket, at: period.start)
            }
            before = rules
        }
        try census.store.rollUp(at: now)
    }

    /// Returns the current rules and the rules before the past change; `older` is `nil` if the change does not apply.
    private func loadRules() throws -> (older: LoadedRules?, current: LoadedRules) {
        try RulesFileErrors.reported { () throws(RulesFileErrors) in
            let current = try RulesFileLoader(path: self.rules).load()
            let texts = RulesTexts(current).sources.map { source in
                (
                    name: source.name,
                    text: source.text.replacing(Self.change.to, with: Self.change.from)
                )
            }
            guard Double(self.days) > Self.change.daysAgo else { return (nil, current) }
            let older = try RulesFileLoader(path: "").load(kept: texts, feeds: [:])
            let isChanged = older.definition.revision != current.definition.revision
            return (isChanged ? older : nil, current)
        }
    }
}
