import GatePolicy
import GateTestSupport
import Testing

@testable import GateCensus

/// The clients counted since a change, compared with the prediction, without a gate.
@Suite(.ownThread)
struct RuleTrialTests {
    private static let start = Timestamp(secondsSinceEpoch: 1_800_000_000)
    private static let limit = 0.2

    /// A number of distinct clients of one kind.
    struct Crowd: Sendable {
        var version: String?
        var platform = "ios"
        /// The rule that denies them; `nil`: they are allowed.
        var rule: String?
        var count: Int
    }

    private static func ruleSet(_ minimum: String, missing: UnidentifiedPolicy.Action = .reject)
        throws -> RuleSet
    {
        RuleSet(
            RuleSetDefinition(
                revision: "1",
                unidentified: UnidentifiedPolicy(missing: missing, unreadable: .allow),
                rules: try ["ios", "android"].map { platform in
                    RuleDefinition(
                        id: platform,
                        match: RuleMatch(platforms: [Platform(platform)]),
                        minimum: try AppVersion(parsing: minimum)
                    )
                }
            )
        )
    }

    private static func cell(_ crowd: Crowd) -> CensusCell {
        CensusCell(
            client: CensusClient(
                platform: .stated(crowd.platform),
                version: crowd.version.map { .stated($0) } ?? .missing
            ),
            outcome: CensusOutcome(
                paths: .none,
                kind: crowd.rule == nil ? .allow : .require,
                rule: crowd.rule ?? "none"
            )
        )
    }

    private static func cells(
        _ crowds: [Crowd],
        using generator: inout SeededGenerator
    ) -> [CensusCell: CensusFigures] {
        var cells: [CensusCell: CensusFigures] = [:]
        for crowd in crowds {
            var figures = CensusFigures(requests: UInt64(crowd.count) * 3)
            figures.clients = HyperLogLog(of: crowd.count, using: &generator)
            cells[Self.cell(crowd), default: CensusFigures()].add(figures)
        }
        return cells
    }

    /// Returns a census of the time before the change, with two requests per device.
    private static func day(
        _ crowds: [Crowd],
        using generator: inout SeededGenerator
    ) throws -> [CensusRow] {
        let known = try Self.ruleSet("1").censusPaths
        return crowds.map { crowd in
            let requests = UInt64(crowd.count) * 2
            return CensusRow(
                cell: Self.cell(crowd),
                known: known,
                figures: CensusFigures(
                    requests: requests,
                    identified: requests,
                    devices: HyperLogLog(of: crowd.count, using: &generator)
                )
            )
        }
    }

    struct Story: Sendable, CustomTestStringConvertible {
        let name: String
        var minimum = "2.0"
        var before: [Crowd]
        var after: [Crowd]
        var suspects: Set<String> = ["ios"]
        var cause: RuleTrial.Excess.Cause?
        var platform: String?

        var testDescription: String { self.name }
    }

    static let stories: [Story] = [
        Story(
            name: "as many as predicted",
            before: [Crowd(version: "1.0", count: 300), Crowd(version: "2.0", count: 700)],
            after: [
                Crowd(version: "1.0", rule: "ios", count: 90), Crowd(version: "2.0", count: 210),
            ]
        ),
        Story(
            name: "all clients, as predicted",
            minimum: "35.0",
            before: [Crowd(version: "2.0", count: 1_000)],
            after: [Crowd(version: "2.0", rule: "ios", count: 300)]
        ),
        Story(
            name: "more, within the limit",
            before: [Crowd(version: "1.0", count: 100), Crowd(version: "2.0", count: 900)],
            after: [
                Crowd(version: "1.0", rule: "ios", count: 100), Crowd(version: "2.0", count: 300),
            ]
        ),
        Story(
            name: "more, beyond the limit",
            before: [Crowd(version: "1.0", count: 100), Crowd(version: "2.0", count: 900)],
            after: [
                Crowd(version: "1.0", rule: "ios", count: 150), Crowd(version: "2.0", count: 250),
            ],
            cause: .builds
        ),
        Story(
            name: "no previous census, and half of the clients are denied",
            before: [],
            after: [
                Crowd(version: "1.0", rule: "ios", count: 150), Crowd(version: "2.0", count: 150),
            ],
            cause: .builds
        ),
        Story(
            name: "too few clients",
            before: [Crowd(version: "2.0", count: 1_000)],
            after: [Crowd(version: "1.0", rule: "ios", count: 190)]
        ),
        Story(
            name: "an unchanged rule denies them",
            before: [Crowd(version: "2.0", count: 1_000)],
            after: [
                Crowd(version: "1.0", platform: "android", rule: "android", count: 300),
                Crowd(version: "2.0", count: 300),
            ]
        ),
        Story(
            name: "few clients in total, but all of a platform",
            before: [
                Crowd(version: "2.0", count: 5_000),
                Crowd(version: "2.0", platform: "android", count: 500),
            ],
            after: [
                Crowd(version: "2.0", count: 2_500),
                Crowd(version: "1.0", platform: "android", rule: "android", count: 250),
            ],
            suspects: ["android"],
            cause: .builds,
            platform: "android"
        ),
        Story(
            name: "the version is removed on the way, and a missing version is rejected",
            before: [Crowd(version: "2.0", count: 950), Crowd(version: nil, count: 50)],
            after: [
                Crowd(version: nil, rule: "unidentified", count: 250),
                Crowd(version: "2.0", count: 50),
            ],
            suspects: ["ios", "unidentified"],
            cause: .missingFields
        ),
        Story(
            name: "the version is removed on the way, and a missing version is allowed",
            before: [Crowd(version: "2.0", count: 950), Crowd(version: nil, count: 50)],
            after: [Crowd(version: nil, count: 250), Crowd(version: "2.0", count: 50)],
            cause: .missingFields
        ),
        Story(
            name: "the version is removed on the way, without a previous census",
            before: [],
            after: [Crowd(version: nil, rule: "unidentified", count: 250)],
            suspects: ["ios", "unidentified"],
            cause: .missingFields
        ),
        Story(
            name: "more of a platform than in the day before",
            before: [
                Crowd(version: "1.0", count: 500),
                Crowd(version: "2.0", platform: "android", count: 500),
            ],
            after: [Crowd(version: "1.0", rule: "ios", count: 300)]
        ),
        Story(
            name: "half of the clients never had a version",
            before: [Crowd(version: "2.0", count: 500), Crowd(version: nil, count: 500)],
            after: [Crowd(version: "2.0", count: 200), Crowd(version: nil, count: 200)]
        ),
    ]

    @Test(arguments: stories)
    func `the breaker trips if more clients are denied than predicted`(_ story: Story) throws {
        var generator = SeededGenerator(seed: 1)
        let ruleSet = try Self.ruleSet(story.minimum)
        let prediction = RefusalPrediction(
            try Self.day(story.before, using: &generator),
            by: ruleSet,
            suspects: story.suspects,
            at: Self.start
        )
        var trial = RuleTrial(of: story.suspects, since: Self.start)
        trial.add(
            Self.cells(story.after, using: &generator),
            by: ruleSet,
            at: Self.start.advanced(by: 2)
        )
        let excess = trial.excess(over: prediction, limit: Self.limit)
        #expect(excess?.cause == story.cause)
        if let platform = story.platform { #expect(excess?.audience?.platform == platform) }
    }

    @Test func `denials that start late are not diluted by earlier clients`() throws {
        var generator = SeededGenerator(seed: 2)
        let ruleSet = try Self.ruleSet("2.0")
        let before = try Self.day([Crowd(version: "2.0", count: 1_000)], using: &generator)
        let prediction = RefusalPrediction(
            before,
            by: ruleSet,
            suspects: ["ios"],
            at: Self.start
        )
        var trial = RuleTrial(of: ["ios"], since: Self.start)
        for second in stride(from: Int64(2), to: 1_800, by: 20) {
            let good = Self.cells([Crowd(version: "2.0", count: 100)], using: &generator)
            trial.add(good, by: ruleSet, at: Self.start.advanced(by: second))
            #expect(trial.excess(over: prediction, limit: Self.limit) == nil)
        }
        var trippedAfter: Int64?
        for second in stride(from: Int64(1_800), to: 2_000, by: 2) {
            let bad = Self.cells(
                [Crowd(version: "1.0", rule: "ios", count: 100)],
                using: &generator
            )
            trial.add(bad, by: ruleSet, at: Self.start.advanced(by: second))
            if trial.excess(over: prediction, limit: Self.limit) != nil {
                trippedAfter = second - 1_800
                break
            }
        }
        #expect(try #require(trippedAfter) <= 60)
    }

    @Test func `a trial ends after enough clients and enough time`() throws {
        var generator = SeededGenerator(seed: 3)
        let ruleSet = try Self.ruleSet("2.0")
        var trial = RuleTrial(of: ["ios"], since: Self.start)
        let few = Self.cells([Crowd(version: "2.0", count: 150)], using: &generator)
        trial.add(few, by: ruleSet, at: Self.start.advanced(by: 10))
        #expect(!trial.isOver(at: Self.start.advanced(by: 100_000), after: 3_600))
        let more = Self.cells([Crowd(version: "2.0", count: 150)], using: &generator)
        trial.add(more, by: ruleSet, at: Self.start.advanced(by: 20))
        #expect(!trial.isOver(at: Self.start.advanced(by: 3_599), after: 3_600))
        #expect(trial.isOver(at: Self.start.advanced(by: 3_600), after: 3_600))
    }

    @Test func `a prediction includes the rollout steps and brownouts that apply at its second`()
        throws
    {
        var generator = SeededGenerator(seed: 4)
        var rule = RuleDefinition(
            id: "ios",
            match: RuleMatch(platforms: [.ios]),
            minimum: try AppVersion(parsing: "2.0")
        )
        let date = Self.start.advanced(by: 600)
        rule.rollout = [RolloutStep(percent: 10), RolloutStep(at: date, percent: 50)]
        let ruleSet = RuleSet(RuleSetDefinition(revision: "1", rules: [rule]))
        let rows = try Self.day([Crowd(version: "1.0", count: 2_000)], using: &generator)
        func prediction(_ now: Timestamp) -> RefusalPrediction {
            RefusalPrediction(rows, by: ruleSet, suspects: ["ios"], at: now)
        }
        let before = prediction(Self.start)
        let ios = Impact.Audience(app: RequestTerms.other, platform: "ios")
        #expect(abs(before.refused(of: ios) - 0.1) < 0.005)
        #expect(before.validUntil == date)
        #expect(abs(prediction(date).refused(of: ios) - 0.5) < 0.005)
    }
}

/// Clients are distinguished by their addresses.
@Suite(.ownThread)
struct ClientAddressKeyTests {
    private static func count(
        _ requests: Int,
        from place: (Int) -> ClientAddressKey,
        device: (Int) -> String?
    ) throws -> Int {
        let tally = try CensusTally(cells: 10)
        tally.countsClients = true
        let outcome = tally.place(of: .passes)
        var bucket = CensusBucket(limit: 10)
        for number in 0..<requests {
            let cell =
                tally.cell(for: 1)
                ?? tally.newCell(for: 1, outcome: outcome, by: RuleSet(.init(revision: "1"))) {
                    _ in true
                }
            if let device = device(number) {
                tally.count(
                    cell,
                    device: Array(device.utf8).span,
                    digest: UInt64(bitPattern: Int64(device.hashValue)),
                    from: { place(number) }
                )
            } else {
                tally.count(cell, from: { place(number) })
            }
        }
        let cells = bucket.add(tally.take())
        return try #require(cells.values.first).clients.count
    }

    private static func address(_ number: Int) -> ClientAddressKey {
        ClientAddressKey(bits: UInt64(number), isShared: false)
    }

    @Test func `one address counts for at most eight devices`() throws {
        let count = try Self.count(5_000, from: { _ in Self.address(7) }) { "invented-\($0)" }
        #expect((6...8).contains(count))
    }

    @Test func `retries count once`() throws {
        #expect(try Self.count(5_000, from: { _ in Self.address(7) }) { _ in "one" } == 1)
        #expect(try Self.count(5_000, from: { _ in Self.address(7) }) { _ in nil } == 1)
    }

    @Test func `clients without a device are counted by their address`() throws {
        let count = try Self.count(2_000, from: { Self.address($0 % 500) }) { _ in nil }
        #expect(abs(count - 500) <= 10)
    }

    @Test func `with a shared address, each device counts`() throws {
        let count = try Self.count(2_000, from: { _ in .unknown }) { "device-\($0 % 1_000)" }
        #expect(abs(count - 1_000) <= 25)
    }

    @Test func `clients are only counted while a trial is running`() throws {
        let tally = try CensusTally(cells: 10)
        tally.count(.ios("1.0"), tally.place(of: .passes), digest: 1, device: "a")
        var bucket = CensusBucket(limit: 10)
        let cells = bucket.add(tally.take())
        #expect(cells.values.first?.clients.isEmpty == true)
    }
}
