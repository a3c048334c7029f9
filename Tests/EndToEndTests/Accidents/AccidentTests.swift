import GateTestSupport
import Glibc
import Testing

/// Mistaken rules files are loaded into a running gate.
///
/// None of them locks clients out unless the file accepts that, and none opens the gate without a finding.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(10)))
struct AccidentTests {
    /// The gate's report on its rules.
    private struct Report: Decodable {
        struct Item: Decodable {
            var name: String
            var effect: String
        }

        var lastReloadSuccessful: Bool
        var errors: [String]?
        var refusals: [Item]?
        var findings: [Item]
    }

    private static let current = "4.2.0"
    private static let old = "3.4.9"

    @Test func `the table of accidents is complete, and its names are unique`() {
        #expect(Accident.table.count >= 35)
        #expect(Set(Accident.table.map(\.name)).count == Accident.table.count)
    }

    @Test func `a running gate reacts to every accident as expected`() async throws {
        // There is no census here, because with these requests the guard would also report each
        // change.
        try await Scene.play(
            rules: AccidentRules.shop,
            flags: [.adminListen(), .census(false)]
        ) { scene in
            var said: [String] = []
            let crowd = PollingClients(port: scene.gate.port, versions: [Self.current, Self.old])
            defer { crowd.stop() }
            for accident in Accident.table {
                try self.put(accident.base, scene, accident.name)
                try self.expect(.passes, .denied, scene, "before: \(accident.name)")
                crowd.forget()
                let report = try self.load(accident.text, scene)
                self.expect(report, accident)
                try self.expect(accident.current, accident.old, scene, accident.name)
                try self.expect(crowd, accident)
                said.append("\(accident.name): \(self.words(report))")
                // A return to the previous rules always takes effect at once.
                try self.put(accident.base, scene, accident.name)
                try self.expect(.passes, .denied, scene, "after: \(accident.name)")
            }
            Attachment.record(said.joined(separator: "\n"), named: "accidents.txt")
        }
    }

    private func load(_ text: String, _ scene: Scene) throws -> Report {
        try scene.folder.replace("rules.yaml", with: text)
        return try scene.askAdmin("POST", "/-/reload", body: "")
            .json()
    }

    private func put(_ text: String, _ scene: Scene, _ name: String) throws {
        let report = try self.load(text, scene)
        #expect(report.lastReloadSuccessful, "\(name): \(report.errors ?? [])")
    }

    private func expect(_ report: Report, _ accident: Accident) {
        let name = "\(accident.name): \(report.errors ?? [])"
        switch accident.outcome {
        case .refused(let findings):
            #expect(!report.lastReloadSuccessful, "\(name)")
            #expect(Set(report.refusals?.map(\.name) ?? []) == Set(findings), "\(name)")
        case .unreadable:
            #expect(!report.lastReloadSuccessful && report.refusals == nil, "\(name)")
        case .loaded(let findings):
            #expect(report.lastReloadSuccessful, "\(name)")
            #expect(Set(report.findings.map(\.name)).isSuperset(of: findings), "\(name): \(report)")
        }
        // The file must accept a lockout, unless only traffic reveals it. An opened gate needs a finding.
        if accident.current == .denied {
            let isAccepted = accident.text.contains("accept: [lockout]")
            #expect(isAccepted || accident.isSeenInTraffic, "\(name)")
        }
        if accident.old == .passes {
            let loud: Set = ["laxer", "observing", "identity-changed", "plan-opens"]
            #expect(!loud.isDisjoint(with: report.findings.map(\.name)), "\(name): \(report)")
        }
    }

    /// Expects that clients got the previous result or the new one during the reload.
    private func expect(_ crowd: PollingClients, _ accident: Accident) throws {
        for (version, before, after) in [
            (Self.current, Accident.Reach.passes, accident.current),
            (Self.old, .denied, accident.old),
        ] {
            let reaches = try crowd.statuses(of: version)
                .map { $0 == 200 ? Accident.Reach.passes : .denied }
            #expect(
                reaches.allSatisfy { $0 == before || $0 == after },
                "\(accident.name): \(version) got \(reaches)"
            )
        }
    }

    private func words(_ report: Report) -> String {
        guard report.lastReloadSuccessful else { return report.errors?.first ?? "refused" }
        let names = report.findings.map(\.name)
        return names.isEmpty ? "loaded" : "loaded: \(names.joined(separator: ", "))"
    }

    private func expect(
        _ current: Accident.Reach,
        _ old: Accident.Reach,
        _ scene: Scene,
        _ name: String
    ) throws {
        for (version, reach) in [(Self.current, current), (Self.old, old)] {
            let fields = "X-App-Platform: ios\r\nX-App-Version: \(version)\r\n"
            let status = try scene.ask(Request.text(fields: fields)).status
            #expect((status == 200) == (reach == .passes), "\(name): \(version) gets \(status)")
        }
    }

    /// The edits that an operator may use to undo a lockout.
    private static let undoEdits: [(name: String, text: @Sendable (String) -> String)] = [
        (
            "a deleted rule",
            { _ in AccidentRules.file(#"id: b, match: { platform: b }, recommended: "1""#) }
        ),
        ("rules: []", { _ in "rules: []\n" }),
        ("a lower number", { _ in AccidentRules.shop }),
        (
            "next week",
            { $0.replacing("id: ios", with: "id: ios, enforceFrom: 2027-01-10T00:00:00Z") }
        ),
        ("rollout: 0", { $0.replacing("id: ios", with: "id: ios, rollout: 0") }),
        ("the rule in observe mode", { $0.replacing("id: ios", with: "id: ios, mode: observe") }),
        ("the file in observe mode", { "mode: observe\n" + $0 }),
        ("the old file", { _ in AccidentRules.known }),
    ]

    private static let acceptedLockouts = [
        #"id: ios, match: { platform: ios }, minimum: "35.0.0", accept: [lockout]"#,
        #"id: ios, match: { platform: ios }, blocked: [">=3.9.0", "<3.9.4"], accept: [lockout]"#,
        #"id: ios, match: { platform: ios }, minimum: "3.5.0", blocked: ">=3.9.0", accept: [lockout]"#,
        #"id: ios, match: { platform: ios }, minimumBuild: 99, minimum: "9", accept: [lockout]"#,
    ]

    @Test func `every kind of undo ends every kind of lockout within a second`() async throws {
        // There is no census here, because on a slow machine there are enough requests for the
        // guard to reject lockouts.
        try await Scene.play(
            rules: AccidentRules.known,
            flags: [.adminListen(), .census(false)]
        ) { scene in
            for rule in Self.acceptedLockouts {
                let locked = AccidentRules.file(rule, more: AccidentRules.releases)
                for (name, text) in Self.undoEdits {
                    try self.put(locked, scene, name)
                    try self.expect(.denied, .denied, scene, "locked out: \(rule)")
                    try scene.folder.replace("rules.yaml", with: text(locked))
                    let start = ContinuousClock.now
                    scene.gate.send(signal: SIGHUP)
                    while try !self.passes(scene) {
                        let limit = Duration.seconds(1) * GateExecutable.slowdown
                        try #require(.now - start < limit, "\(name) from \(rule)")
                    }
                }
            }
        }
    }

    private func passes(_ scene: Scene) throws -> Bool {
        let fields = "X-App-Platform: ios\r\nX-App-Version: 4.2.0\r\n"
        return try scene.ask(Request.text(fields: fields)).status == 200
    }
}
