import GateCensus
import GatePolicy
import RulesTestSupport
import Testing

@testable import GateRules

/// The limit on the share of the last day's clients that a change may deny.
@Suite(.ownThread)
struct GuardCheckTests {
    static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    private static let link = "storeUrl: https://apps.apple.com/app/id1234567890"

    private static func rules(
        _ minimum: String,
        settings: String = "",
        plan: String = "",
        more: String = ""
    ) throws -> LoadedRules {
        try RulesFileLoader.load(
            sources: [
                (
                    "rules.yaml",
                    """
                    \(settings)
                    rules:
                      - id: ios
                        match: { platform: ios }
                        minimum: "\(minimum)"
                        \(Self.link)
                        \(plan)
                    \(more)
                    """
                )
            ],
            now: { Self.now }
        )
    }

    /// Returns a census with the devices per version, or only with requests if devices are not identified.
    static func census(
        _ counts: [(version: String?, devices: Int)],
        areIdentified: Bool = true
    ) throws -> [CensusRow] {
        let hash = try #require(SipHash(key: Array(repeating: 3, count: 16)))
        var first = 0
        return counts.map { version, count in
            var figures = CensusFigures(
                requests: UInt64(count),
                identified: areIdentified ? UInt64(count) : 0
            )
            if areIdentified {
                for device in first..<first + count {
                    figures.devices.add(hash.hash(Array("\(device)".utf8).span))
                }
            }
            first += count
            let client = CensusClient(
                platform: .stated("ios"),
                version: version.map { .stated($0) } ?? .missing
            )
            let outcome = CensusOutcome(paths: .none, kind: .allow, rule: "none")
            return CensusRow(
                cell: CensusCell(client: client, outcome: outcome),
                known: [],
                figures: figures
            )
        }
    }

    private static func guardFindings(
        _ old: LoadedRules,
        _ new: LoadedRules,
        _ census: [CensusRow]?,
        isReturn: Bool = false
    ) -> [Finding] {
        RulesFindings(new, against: old, isReturn: isReturn, census: census, at: Self.now).all
            .filter { $0.name == .newlyRefused }
    }

    @Test(
        arguments: [
            (below: 250, above: 750, setting: "", effect: FindingName.Effect.refuses),
            (below: 150, above: 850, setting: "", effect: nil),
            (below: 250, above: 750, setting: "guard: 30", effect: nil),
            (below: 250, above: 750, setting: "guard: off", effect: nil),
            (below: 30, above: 970, setting: "guard: 2.5", effect: .refuses),
            (below: 50, above: 50, setting: "", effect: .warns),
            (below: 9, above: 9, setting: "", effect: nil),
            (below: 250, above: 750, setting: "mode: observe", effect: nil),
        ] as [(below: Int, above: Int, setting: String, effect: FindingName.Effect?)],
        [true, false]
    )
    func `a change is compared with the last day`(
        scene: (below: Int, above: Int, setting: String, effect: FindingName.Effect?),
        areIdentified: Bool
    ) throws {
        let census = try Self.census(
            [("2.0", scene.below), ("3.0", scene.above)],
            areIdentified: areIdentified
        )
        let old = try Self.rules("1.0")
        let new = try Self.rules("2.5", settings: scene.setting)
        let found = Self.guardFindings(old, new, census)
        #expect(found.first?.effect == scene.effect)
        #expect(found.count <= 1)
        if let finding = found.first {
            #expect(finding.rule == "ios")
            #expect(finding.asError.message.contains(areIdentified ? "devices" : "requests"))
            #expect(finding.asError.line == 3)
        }
    }

    @Test func `the message contains the counts and the fix`() throws {
        let census = try Self.census([("2.0", 400), ("3.0", 600)], areIdentified: false)
        let found = Self.guardFindings(try Self.rules("1.0"), try Self.rules("2.5"), census)
        let message = try #require(found.first?.asError.message)
        #expect(
            message
                == "the rule 'ios' newly denies 400 of the 1000 requests on 'ios' that were seen in "
                + "the last day and pass now: 40%, but 'guard' allows a change to deny at most "
                + "20%; if this is intended, add 'accept: [guard]' to the rule"
        )
    }

    private static let tomorrow = "2027-01-16T08:00:00Z"
    private static let inAWeek = "2027-01-22T08:00:00Z"

    @Test(
        arguments: [
            ("35.0", "enforceFrom: \(tomorrow)", "", [.newlyRefused]),
            ("1.0", "next: [{ minimum: '35.0', enforceFrom: \(tomorrow) }]", "", [.newlyRefused]),
            ("35.0", "rollout: [{ percent: 100, at: \(tomorrow) }]", "", [.newlyRefused]),
            (
                "35.0",
                "rollout: [{ percent: 50, at: \(tomorrow) }, { percent: 100, at: \(inAWeek) }]", "",
                [.comingRefusals, .newlyRefused]
            ),
            ("2.5", "enforceFrom: \(tomorrow)", "", [.comingRefusals]),
            (
                "2.5",
                "warnFrom: 2027-01-14T00:00:00Z\n    brownouts: [{ from: \(tomorrow), until: \(inAWeek) }]\n    enforceFrom: \(inAWeek)",
                "", [.comingRefusals]
            ),
            ("1.5", "enforceFrom: \(tomorrow)", "", []),
            ("35.0", "enforceFrom: \(tomorrow)", "guard: off", []),
            ("35.0", "enforceFrom: \(tomorrow)\n    mode: observe", "", []),
            // If the file lists the future release, the version number is intended.
            (
                "35.0", "enforceFrom: \(inAWeek)",
                "releases: [{ platform: ios, version: '35.0', releasedAt: \(tomorrow) }]",
                [.comingRefusals]
            ),
        ] as [(minimum: String, plan: String, settings: String, names: [FindingName])]
    )
    func `a scheduled floor is compared with the last day`(
        scene: (minimum: String, plan: String, settings: String, names: [FindingName])
    ) throws {
        let census = try Self.census([("1.2", 100), ("2.0", 300), ("3.0", 600)])
        let old = try Self.rules("1.0")
        let new = try Self.rules(scene.minimum, settings: scene.settings, plan: scene.plan)
        func names(_ old: LoadedRules) -> [FindingName] {
            RulesFindings(new, against: old, census: census, at: Self.now).all
                .map(\.name).filter { $0 == .newlyRefused || $0 == .comingRefusals }
        }
        #expect(names(old) == scene.names)
        // A floor that was already scheduled is not reported again.
        #expect(names(new) == [])
    }

    @Test func `the message about a scheduled floor contains its date`() throws {
        let census = try Self.census([("2.0", 400), ("3.0", 600)], areIdentified: false)
        func message(_ minimum: String) throws -> String? {
            let new = try Self.rules(minimum, plan: "enforceFrom: \(Self.tomorrow)")
            return RulesFindings(
                new,
                against: try Self.rules("1.0"),
                census: census,
                at: Self.now
            ).all.first { [.newlyRefused, .comingRefusals].contains($0.name) }?.asError.message
        }
        #expect(
            try message("2.5")
                == "from 2027-01-16T08:00:00Z on, the rule 'ios' denies 400 of the 1000 requests on "
                + "'ios' that were seen in the last day and pass now: 40% unless more of them update before then"
        )
        #expect(
            try message("35.0")
                == "from 2027-01-16T08:00:00Z on, the rule 'ios' denies 1000 of the 1000 requests "
                + "on 'ios' that were seen in the last day and pass now: "
                + "no known version will pass; add one to 'releases'; "
                + "if this is intended, add 'accept: [guard]' to the rule"
        )
    }

    @Test
    func
        `an accepted finding is a note, and accept is reported as needless only if that is certain`()
        throws
    {
        let census = try Self.census([("2.0", 400), ("3.0", 600)])
        let accepted = try Self.rules("2.5", more: "    accept: [guard]")
        let found = Self.guardFindings(try Self.rules("1.0"), accepted, census)
        #expect(found.map(\.effect) == [.notes])
        func needless(_ old: LoadedRules?, _ census: [CensusRow]?) -> Int {
            RulesFindings(accepted, against: old, census: census, at: Self.now).all
                .count { $0.name == .needlessAccept }
        }
        #expect(needless(nil, nil) == 0)
        #expect(needless(try Self.rules("2.5"), nil) == 0)
        #expect(needless(try Self.rules("2.5"), census) == 1)
    }

    @Test func `maintenance is not a floor, and does not hide one`() throws {
        let census = try Self.census([("2.0", 400), ("3.0", 600)])
        let window = """
              - id: closed
                match: { platform: ios }
                maintenance: { from: "2027-01-15T00:00:00Z", until: "2027-01-16T00:00:00Z" }
            """
        let (open, closed) = (try Self.rules("1.0"), try Self.rules("1.0", more: window))
        let (strict, both) = (try Self.rules("2.5"), try Self.rules("2.5", more: window))
        let decision = closed.ruleSet.decide(
            ClientIdentity(platform: .stated(.ios)),
            in: .unrestricted,
            at: Self.now,
            address: nil
        )
        #expect(decision.kind == .maintenance)
        #expect(Self.guardFindings(open, closed, census).isEmpty)
        #expect(Self.guardFindings(closed, open, census).isEmpty)
        for (old, new) in [(open, both), (closed, both), (closed, strict)] {
            #expect(Self.guardFindings(old, new, census).map(\.effect) == [.refuses])
        }
    }

    @Test func `reverting a change is always allowed`() throws {
        let census = try Self.census([("2.0", 400), ("3.0", 600)])
        let (lax, strict) = (try Self.rules("1.0"), try Self.rules("2.5"))
        #expect(Self.guardFindings(strict, lax, census).isEmpty)
        // Rules that were active before.
        let found = Self.guardFindings(lax, strict, census, isReturn: true)
        #expect(found.map(\.effect) == [.warns])
        #expect(Self.guardFindings(lax, strict, nil).isEmpty)
    }

    @Test func `the unidentified policy is reported without a rule`() throws {
        let census = try Self.census([(nil, 400), ("3.0", 600)])
        let new = try Self.rules("1.0", settings: "unidentified: { missing: reject, \(Self.link) }")
        let finding = try #require(Self.guardFindings(try Self.rules("1.0"), new, census).first)
        #expect(finding.effect == .refuses)
        #expect(finding.rule == nil)
        #expect(finding.asError.message.hasSuffix("set 'guard: off' for this change"))
    }

    @Test(arguments: ["guard: 0", "guard: 101", "guard: maybe", "guard: \"20\"", "guard: [20]"])
    func `an invalid guard setting is an error`(setting: String) {
        #expect(throws: RulesFileErrors.self) { try Self.rules("1.0", settings: setting) }
    }
}
