import GatePolicy
import Testing

@testable import GateCensus

/// The clients that a route selects, tested with device mixes for which they are known.
@Suite(.ownThread)
struct RouteAdviceTests {
    private static let today: Int64 = 20_833
    private static let now = Timestamp(secondsSinceEpoch: Self.today * 86_400 + 43_200)
    private static let hash = SipHash(key: Array(repeating: 5, count: 16))

    /// Rules with the route of `<4` to legacy, of Android to archive, and a floor of 2.0.
    private static func rules(path: String? = nil) throws -> RuleSet {
        var match = RuleMatch(platforms: [.ios])
        match.requests = try path.map { [try RequestPattern(path: $0, methods: nil)] }
        let old = RuleDefinition(
            id: "old",
            match: match,
            route: Route(
                to: "legacy",
                versions: [try VersionRange(parsing: "<4")],
                otherwise: .refuse
            )
        )
        let android = RuleDefinition(
            id: "android",
            match: RuleMatch(platforms: [.android]),
            route: Route(to: "archive", otherwise: .default)
        )
        let floor = RuleDefinition(id: "floor", minimum: try AppVersion(parsing: "2.0"))
        return RuleSet(RuleSetDefinition(revision: "1", rules: [old, android, floor]))
    }

    private static func cell(
        _ version: String?,
        platform: String = "ios",
        patterns: [String] = [],
        isExempt: Bool = false
    ) -> CensusCell {
        CensusCell(
            client: CensusClient(
                platform: .stated(platform),
                version: version.map { .stated($0) } ?? .missing
            ),
            outcome: CensusOutcome(
                paths: CensusPaths(isExempt: isExempt, patterns: patterns),
                kind: .allow,
                rule: "none"
            )
        )
    }

    /// Returns figures for these devices with two requests each.
    private static func figures(_ devices: some Sequence<Int>) throws -> CensusFigures {
        let hash = try #require(Self.hash)
        var figures = CensusFigures()
        for device in devices {
            figures.requests += 2
            figures.identified += 2
            figures.devices.add(hash.hash(Array("device-\(device)".utf8).span))
        }
        return figures
    }

    private static func row(_ cell: CensusCell, _ devices: Range<Int>) throws -> CensusRow {
        CensusRow(cell: cell, known: [], figures: try self.figures(devices))
    }

    private static func advice(
        _ rows: [CensusRow],
        _ target: RouteSelection.Target = .rule("old"),
        limit: Double = 0.01,
        days: Int64 = 1,
        path: String? = nil
    ) throws -> RouteAdvice {
        let selection = RouteSelection(target, by: try self.rules(path: path), at: self.now)
        return RouteAdvice(rows, selection, at: self.now, limit: limit, days: days)
    }

    @Test func `the clients of a route are counted by app, platform and version`() throws {
        let advice = try Self.advice([
            try Self.row(Self.cell("3.0"), 0..<5), try Self.row(Self.cell("3.9.9"), 3..<10),
            try Self.row(Self.cell("4.0"), 10..<1_000), try Self.row(Self.cell(nil), 0..<3),
            // Denied, so the route does not select it.
            try Self.row(Self.cell("1.9"), 2_000..<2_010),
            try Self.row(Self.cell("3.0", isExempt: true), 3_000..<3_010),
            try Self.row(Self.cell("3.0", platform: "android"), 0..<9),
        ])
        #expect(advice.parts.count == 1)
        let part = try #require(advice.parts.first)
        #expect(part.audience.platform == "ios" && part.countsDevices)
        #expect(part.selected.requests == 24 && part.selected.devices.count == 10)
        #expect(part.versions.map(\.version) == ["3.9.9", "3.0"])
        #expect(part.versions.map(\.figures.requests) == [14, 10])
        #expect((0.009...0.011).contains(part.share))
    }

    @Test(
        arguments: [
            (.backend("archive"), 18), (.backend("legacy"), 10), (.rule("none"), 0),
        ] as [(target: RouteSelection.Target, requests: UInt64)]
    )
    func `a backend stands for all routes to it`(
        scene: (target: RouteSelection.Target, requests: UInt64)
    ) throws {
        let rows = [
            try Self.row(Self.cell("3.0"), 0..<5),
            try Self.row(Self.cell("3.0", platform: "android"), 0..<9),
        ]
        let parts = try Self.advice(rows, scene.target).parts
        #expect(parts.reduce(0) { $0 + $1.selected.requests } == scene.requests)
    }

    @Test func `a route for a path selects only its requests`() throws {
        let parts = try Self.advice(
            [
                try Self.row(Self.cell("3.0", patterns: ["/v1/**"]), 0..<5),
                try Self.row(Self.cell("3.0"), 0..<40),
            ],
            path: "/v1/**"
        ).parts
        #expect(parts.map(\.selected.requests) == [10] && parts.map(\.total.requests) == [90])
    }

    @Test func `a share within the limit needs no forecast`() throws {
        let rows = [
            try Self.row(Self.cell("3.0"), 0..<9), try Self.row(Self.cell("4.0"), 9..<1_000),
        ]
        let advice = try Self.advice(rows)
        #expect(!advice.needsHistory && advice.parts.map(\.forecast) == [nil])
        let strict = try Self.advice(rows, limit: 0.001)
        #expect(strict.needsHistory)
        #expect(strict.parts.map(\.forecast) == [.unknown(.fewDays)])
        let few = [try Self.row(Self.cell("3.0"), 0..<9), try Self.row(Self.cell("4.0"), 9..<40)]
        #expect(try Self.advice(few).parts.map(\.forecast) == [.unknown(.fewDevices)])
    }

    @Test func `a share that falls by a tenth each day is forecast`() throws {
        // 1,000 devices; today, 5% of them are selected.
        let rows = [
            try Self.row(Self.cell("3.0"), 0..<50), try Self.row(Self.cell("4.0"), 50..<1_000),
        ]
        var advice = try Self.advice(rows)
        var share = 0.05
        for ago in Int64(1)...14 {
            share /= 0.9
            let count = Int((share * 1_000).rounded())
            for (version, devices) in [("3.0", 0..<count), ("4.0", count..<1_000)] {
                advice.add(
                    CensusPeriod(
                        start: Timestamp(secondsSinceEpoch: (Self.today - ago) * 86_400),
                        length: 86_400,
                        cell: Self.cell(version),
                        figures: try Self.figures(devices)
                    )
                )
            }
        }
        guard case .reached(let day, let daily)? = advice.parts.first?.forecast else {
            Issue.record("\(advice.parts)")
            return
        }
        // 5% fall to 1% in ln 5 / -ln 0.9 = 15.3 days.
        #expect((14...18).contains(day - Self.today) && (0.08...0.12).contains(daily))
    }

    @Test func `the paths of a route's clients are listed`() throws {
        let selection = RouteSelection(.rule("old"), by: try Self.rules(), at: Self.now)
        var survey = SunsetSurvey(
            SunsetFilter(.routes(selection)) { $0.platform == .stated("ios") }
        )
        for (cell, devices) in [
            (Self.cell("3.0", patterns: ["/v1/**"]), 0..<10), (Self.cell("3.1"), 0..<3),
            (Self.cell("4.0", patterns: ["/v1/**"]), 10..<30), (Self.cell(nil), 0..<5),
        ] {
            survey.add(
                CensusPeriod(
                    start: Self.now,
                    length: 60,
                    cell: cell,
                    figures: try Self.figures(devices)
                )
            )
        }
        #expect(survey.found.map(\.place) == [.pattern("/v1/**"), .other])
        #expect(survey.found.map(\.figures.requests) == [20, 6])
        #expect(survey.found.map(\.versions) == [["3.0"], ["3.1"]])
    }
}
