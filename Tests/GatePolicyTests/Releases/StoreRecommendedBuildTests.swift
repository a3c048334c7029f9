import Testing

@testable import GatePolicy

/// `recommended: store` if the store states builds and no reliable version.
struct StoreRecommendedBuildTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let releases: [Release]
        /// The recommended version and build.
        let latest: String?
        let build: BuildNumber?
    }

    private static func cases() throws -> [Case] {
        let plain = try release(nil, builds: [10])
        let split = try release(nil, builds: [1_012, 12])
        let named = try release("3", builds: [1_011, 11])
        return [
            Case(testDescription: "one build", releases: [plain], latest: nil, build: 10),
            Case(testDescription: "the lowest", releases: [split], latest: nil, build: 12),
            Case(testDescription: "the newest", releases: [plain, split], latest: nil, build: 12),
            Case(
                testDescription: "newer than the version",
                releases: [named, split],
                latest: "3",
                build: 12
            ),
            Case(
                testDescription: "older than the version",
                releases: [named, plain],
                latest: "3",
                build: nil
            ),
            Case(
                testDescription: "as new as the version",
                releases: [named, try release(nil, builds: [1_011])],
                latest: "3",
                build: nil
            ),
            Case(
                testDescription: "with a version without a build",
                releases: [try release("3"), plain],
                latest: "3",
                build: 10
            ),
            Case(
                testDescription: "released partially",
                releases: [plain, try release(nil, builds: [12], phase: .partial)],
                latest: nil,
                build: 10
            ),
            Case(
                testDescription: "with a blocked build",
                releases: [plain, try release(nil, builds: [12, 666])],
                latest: nil,
                build: 10
            ),
            Case(
                testDescription: "of another platform",
                releases: [try release(nil, builds: [12], platform: .android)],
                latest: nil,
                build: nil
            ),
        ]
    }

    @Test(arguments: try cases())
    func `the lowest build of the newest release is recommended`(testCase: Case) throws {
        var rule = try rule("r", recommendsStoreVersion: true)
        rule.blockedBuilds = [BlockedBuilds(BuildRange(666))]
        for releases in [testCase.releases, testCase.releases.reversed()] {
            let rules = ruleSet([rule], releases: releases)
            for build in [nil, 5, 9, 10, 11, 12, 1_012] as [BuildNumber?] {
                let decision = rules.decide(try client(version: "4", build: build), at: second(0))
                let status = rules.clientStatus(
                    of: try client(version: "4", build: build),
                    in: .unrestricted,
                    at: second(0),
                    address: nil
                )
                #expect(status.latest?.description == testCase.latest)
                #expect(status.latestBuild == testCase.build)
                let isBelow = testCase.build.map { recommended in
                    build.map { $0 < recommended } ?? false
                }
                #expect(decision.kind == (isBelow ?? false ? .recommend : .allow))
            }
        }
    }

    @Test func `the recommended build follows the store`() throws {
        let rules = ruleSet(
            [try rule("r", recommendsStoreVersion: true)],
            releases: [
                try release("3", builds: [9]),
                try release(nil, builds: [10], at: second(10)),
                try release(nil, builds: [12, 1_012], at: second(20)),
            ]
        )
        let chapters: [(Int64, BuildNumber?, Int64?)] = [
            (0, nil, 10), (10, 10, 20), (19, 10, 20), (20, 12, nil),
        ]
        for (now, build, next) in chapters {
            let subject = try client(version: "3", build: 9)
            let decision = rules.decide(subject, at: second(now))
            let status = rules.clientStatus(
                of: subject,
                in: .unrestricted,
                at: second(now),
                address: nil
            )
            #expect(status.latestBuild == build)
            #expect(status.latest?.description == "3")
            #expect(decision.kind == (build == nil ? .allow : .recommend))
            #expect(decision.validUntil == next.map { second($0) })
        }
    }
}
