import GatePolicy
import Testing

@testable import GateCensus

/// Floor advice, tested with device mixes for which the right advice is known.
@Suite(.ownThread)
struct FloorAdviceTests {
    private static let today: Int64 = 20_833
    private static let now = Timestamp(secondsSinceEpoch: Self.today * 86_400 + 43_200)
    private static let hash = SipHash(key: Array(repeating: 5, count: 16))

    private static func rules(_ minimum: String? = nil) throws -> RuleSet {
        let rule = try minimum.map { minimum in
            RuleDefinition(
                id: "floor",
                match: RuleMatch(platforms: [.ios]),
                minimum: try AppVersion(parsing: minimum)
            )
        }
        return RuleSet(RuleSetDefinition(revision: "1", rules: rule.map { [$0] } ?? []))
    }

    private static func cell(_ version: String?) -> CensusCell {
        let client = CensusClient(
            platform: .stated("ios"),
            version: version.map { .stated($0) } ?? .missing
        )
        return CensusCell(client: client, outcome: .passes)
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

    private static func row(_ version: String?, _ devices: Range<Int>) throws -> CensusRow {
        CensusRow(cell: self.cell(version), known: [], figures: try self.figures(devices))
    }

    /// Ten thousand devices: 0.5% with 3.0, 0.4% with 3.5, 60% with 4.0, 39% with 4.1, a few
    /// with invalid high versions, and ten without a version.
    private static func mix() throws -> [CensusRow] {
        [
            try self.row("3.0", 0..<50), try self.row("3.5-beta.1", 50..<90),
            try self.row("4.0.0", 90..<6_090), try self.row("4.1.0", 6_090..<9_985),
            try self.row("99.0", 9_985..<9_990), try self.row(nil, 9_990..<10_000),
        ]
    }

    @Test(
        arguments: [
            // The limit, the active rule's minimum, the recommended floor, the devices below it, and the next floors.
            (0.01, nil, "4.0.0", 90, ["4.1.0"]), (0.001, nil, nil, 0, ["3.5", "4.0.0", "4.1.0"]),
            (0.006, nil, "3.5", 50, ["4.0.0", "4.1.0"]), (0.7, nil, "4.1.0", 6_090, []),
            // Devices that are already denied are not counted again.
            (0.006, "3.2", "4.0.0", 40, ["4.1.0"]), (0.01, "4.0", nil, 0, ["4.1.0"]),
        ] as [(Double, String?, String?, Int, [String])]
    )
    func `the highest floor within the limit is recommended`(
        limit: Double,
        minimum: String?,
        floor: String?,
        devices: Int,
        next: [String]
    ) throws {
        let advice = FloorAdvice(
            try Self.mix(),
            by: try Self.rules(minimum),
            at: Self.now,
            limit: limit,
            days: 7
        )
        let part = try #require(advice.parts.first)
        #expect(advice.parts.count == 1 && part.countsDevices && part.requests == 20_000)
        #expect(part.floor?.version.description == floor)
        #expect(abs((part.floor?.devices ?? 0) - devices) <= max(1, devices / 40))
        let carried = part.next.map(\.floor.version.description)
        #expect(carried == next)
    }

    @Test func `the cost of a floor equals its predicted impact`() throws {
        let rows = try Self.mix()
        let (old, new) = (try Self.rules(), try Self.rules("4.0.0"))
        let advice = FloorAdvice(rows, by: old, at: Self.now, limit: 0.01, days: 7)
        let impact = Impact(on: rows, from: old, to: new, at: Self.now)
        let floor = try #require(advice.parts.first?.floor)
        #expect(Double(floor.requests) == impact.denied.amount.requests)
        #expect(Double(floor.devices) == impact.denied.amount.devices)
    }

    @Test func `requests are counted if devices are not identified`() throws {
        let rows = [("1.0", 5), ("2.0", 995)].map { version, requests in
            CensusRow(
                cell: Self.cell(version),
                known: [],
                figures: CensusFigures(requests: UInt64(requests))
            )
        }
        let advice = FloorAdvice(rows, by: try Self.rules(), at: Self.now, limit: 0.01, days: 7)
        let part = try #require(advice.parts.first)
        #expect(!part.countsDevices)
        #expect(part.floor?.version.description == "2.0" && part.floor?.requests == 5)
    }

    /// The daily adoption of 4.1 by a thousand devices that had 4.0.
    struct Adoption: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var devices = 2_000
        /// Days since the release of 4.1, and since the start of the census.
        var out: Int64 = 20
        var counted: Int64 = 40
        /// The share of the remaining devices that update each day, and the share of all devices that never update.
        let daily: Double
        var never = 0.0
        /// The share of all devices that remain on 3.0.
        var older = 0.0
        var reason: AdoptionCurve.Reason?

        /// Returns the share of devices that still have 4.0 this many days after the release of 4.1.
        func left(after days: Int64) -> Double {
            var left = 1 - self.never
            for _ in 0..<max(days, 0) { left *= 1 - self.daily }
            return left + self.never
        }

        /// Returns the number of devices with 4.0 on a day.
        func old(on day: Int64) -> Int {
            let left = self.left(after: day - (FloorAdviceTests.today - self.out))
            return Int((Double(self.devices) * left).rounded())
        }
    }

    @Test(arguments: [
        Adoption(testDescription: "quick", daily: 0.15),
        Adoption(testDescription: "usual", daily: 0.1),
        Adoption(testDescription: "slow", out: 35, daily: 0.06),
        Adoption(testDescription: "a few devices keep an older version", daily: 0.1, older: 0.005),
        Adoption(
            testDescription: "many devices keep an older version",
            daily: 0.1,
            older: 0.01,
            reason: .far
        ),
        Adoption(testDescription: "some never update", daily: 0.15, never: 0.1, reason: .flattens),
        Adoption(testDescription: "no further updates", daily: 1, never: 0.4, reason: .notFalling),
        Adoption(testDescription: "too slow for a forecast", daily: 0.02, reason: .far),
        Adoption(testDescription: "released recently", out: 5, daily: 0.1, reason: .fewDays),
        Adoption(testDescription: "census is recent", counted: 10, daily: 0.1, reason: .fewDays),
        Adoption(testDescription: "few devices", devices: 150, daily: 0.1, reason: .fewDevices),
    ])
    func `the advice contains the day on which a floor is within the limit, or a reason`(
        _ adoption: Adoption
    ) throws {
        let days: Int64 = 7
        var periods: [CensusPeriod] = []
        for day in Self.today - adoption.counted..<Self.today {
            let old = adoption.old(on: day)
            let kept = Int(Double(adoption.devices) * adoption.older)
            for (version, devices) in [
                ("3.0", adoption.devices..<adoption.devices + kept), ("4.0", 0..<old),
                ("4.1", old..<adoption.devices),
            ] where !devices.isEmpty {
                periods.append(
                    CensusPeriod(
                        start: Timestamp(secondsSinceEpoch: day * 86_400),
                        length: 86_400,
                        cell: Self.cell(version),
                        figures: try Self.figures(devices)
                    )
                )
            }
        }
        let rows = periods.filter { $0.start.day >= Self.today - days }.map {
            CensusRow(cell: $0.cell, known: [], figures: $0.figures)
        }
        var advice = FloorAdvice(
            rows,
            by: try Self.rules(),
            at: Self.now,
            limit: 0.01,
            days: days
        )
        let needsHistory = advice.needsHistory
        #expect(needsHistory)
        for period in periods { advice.add(period) }
        let parts = advice.parts
        let next = try #require(parts.first?.next.first)
        #expect(next.floor.version.description == "4.1")
        if let reason = adoption.reason {
            #expect(next.forecast == .unknown(reason))
            return
        }
        guard case .reached(let day, let daily) = next.forecast else {
            Issue.record("\(next.forecast)")
            return
        }
        #expect(abs(daily - adoption.daily) < 0.01)
        // The first day after which the devices seen in the preceding week are within the limit.
        let truth = try #require(
            (Self.today..<Self.today + 200).first {
                let kept = Double(adoption.devices) * adoption.older
                return Double(adoption.old(on: $0 - days + 1)) + kept
                    <= (Double(adoption.devices) + kept) / 100
            }
        )
        #expect(abs(day - truth) <= 2, "told \(day - Self.today), and it was \(truth - Self.today)")
    }

    @Test func `noisy shares give no forecast`() {
        let shares = [0.5, 0.1, 0.45, 0.3, 0.05, 0.4, 0.2, 0.02, 0.3, 0.25]
        let curve = AdoptionCurve(
            shares.enumerated().map { AdoptionCurve.Point(day: Int64($0), share: $1) }
        )
        #expect(curve.forecast(below: 0.01, today: 10) == .unknown(.unsteady))
        let rising = AdoptionCurve(
            (0..<10).map { AdoptionCurve.Point(day: $0, share: 0.1 + Double($0) / 100) }
        )
        #expect(rising.forecast(below: 0.01, today: 10) == .unknown(.notFalling))
    }

    @Test(arguments: [1.0, 0.5, 0.01, 2.718_281_828_459_045, 1e-9, 12_345.678])
    func `logarithm and inverse are accurate`(number: Double) {
        let found = Logarithm.natural(number)
        let back = Logarithm.inverse(found / 16)
        var power = 1.0
        for _ in 0..<16 { power *= back }
        #expect(abs(power / number - 1) < 1e-12)
    }
}
