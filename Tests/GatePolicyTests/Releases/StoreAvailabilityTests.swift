import Testing

@testable import GatePolicy

@Suite struct StoreAvailabilityTests {
    struct Case: CustomTestStringConvertible {
        let testDescription: String
        let identity: ClientIdentity
        let releases: [Release]
        let version: String?
    }

    static func cases() throws -> [Case] {
        let plain = try release("3")
        let beta = try release("9", channel: "beta")
        let a = try release("4", app: "a")
        let b = try release("5", app: "b")
        let android = try release("8", app: "c", platform: .android)
        let betaOfA = try release("7", app: "a", channel: "beta")
        let nobody = try client(version: "1")
        let ofA = try client(app: "a", version: "1")
        let betaTester = try client(version: "1", channel: "beta")
        return [
            Case("another platform", nobody, [android], nil),
            Case("no platform", try client(platform: nil, version: "1"), [plain], nil),
            Case("the only app", nobody, [a, plain, android], "4"),
            Case("one of two apps", nobody, [a, b, plain], nil),
            Case("its own app", ofA, [a, b, plain], "4"),
            Case("every app", ofA, [b, plain], "3"),
            Case("an unknown app", try client(app: "x", version: "1"), [a, b], nil),
            Case("its own channel", betaTester, [beta, a, plain], "9"),
            Case("a channel without facts", betaTester, [a, plain], "4"),
            Case("no channel", nobody, [beta, plain], "3"),
            Case("the channel of its app", ofA.on("beta"), [betaOfA, a, beta], "9"),
            Case("the channel of another app", ofA.on("beta"), [b.on("beta"), a], "4"),
            Case("not released yet", nobody, [plain, try release("6", at: second(1))], "3"),
            Case("never", nobody, [try release("6", phase: .partial)], nil),
            Case("a blocked version", nobody, [plain, try release("6.6.6")], "3"),
            Case("versions are compared as versions", nobody, [plain, try release("10")], "10"),
        ]
    }

    @Test(arguments: try cases())
    func `the newest release that a client can get is recommended`(testCase: Case) throws {
        let rule = try rule(
            "r",
            recommended: "2",
            recommendsStoreVersion: true,
            blocked: ["6.6.6"]
        )
        for releases in [testCase.releases, testCase.releases.reversed()] {
            let decision = ruleSet([rule], releases: releases).decide(
                testCase.identity,
                at: second(0)
            )
            let isKnown = testCase.version != nil
            #expect(decision.kind == (isKnown ? .recommend : .allow))
            #expect(decision.upgrade.latest?.description == testCase.version)
        }
    }

    @Test func `a recommendation of the store version follows the store`() throws {
        let rules = ruleSet(
            [try rule("r", recommendsStoreVersion: true)],
            releases: [
                try release("3", at: second(10), storeURL: "https://three.example"),
                try release("2.5", at: second(15)),
                try release("4", at: second(20), storeURL: "https://four.example"),
                try release("5", phase: .partial),
            ]
        )
        let chapters: [(Int64, String?, Int64?)] = [
            (0, nil, 10), (9, nil, 10), (10, "3", 20), (15, "3", 20), (20, "4", nil),
        ]
        for (now, latest, next) in chapters {
            let decision = rules.decide(try client(version: "2"), at: second(now))
            #expect(decision.upgrade.latest?.description == latest)
            #expect(decision.validUntil == next.map { second($0) })
            let link = latest.map { $0 == "3" ? "https://three.example" : "https://four.example" }
            #expect(decision.upgrade.storeURL == link)
        }
        #expect(rules.decide(try client(version: "4"), at: second(20)).kind == .allow)
    }

    @Test func `the rule's store URL has precedence over the store's`() throws {
        let link = StoreURL("https://rule.example")
        let rules = ruleSet(
            [try rule("r", recommendsStoreVersion: true, storeURL: link)],
            releases: [try release("3", storeURL: "https://store.example")]
        )
        let decision = rules.decide(try client(version: "2"), at: second(0))
        #expect(decision.upgrade.storeURL == "https://rule.example")
    }

    @Test func `each client is recommended the release of its own store`() throws {
        let asked = ["jp", "kr", "us"]
        let rules = ruleSet(
            [try rule("r", recommendsStoreVersion: true)],
            releases: [
                try release(
                    "3",
                    countries: ["jp": nil, "kr": second(5), "us": nil],
                    storeCountries: asked,
                    storeURL: "https://three.example"
                ),
                try release(
                    "4",
                    countries: ["jp": second(10)],
                    storeCountries: asked,
                    storeURL: "https://four.example"
                ),
            ]
        )
        func latest(_ storefront: String?, at now: Int64) throws -> [String?] {
            let client = try client(version: "2", storefront: storefront)
            let decision = rules.decide(client, at: second(now))
            let status = rules.clientStatus(
                of: client,
                in: rules.scope(),
                at: second(now),
                address: nil
            )
            #expect(status.latest == decision.upgrade.latest)
            return [decision.upgrade.latest?.description, decision.upgrade.storeURL]
        }
        let (three, four) = (["3", "https://three.example"], ["4", "https://four.example"])
        #expect(try latest("jp", at: 0) == three)
        #expect(try latest("kr", at: 0) == [nil, nil])
        #expect(try latest(nil, at: 0) == [nil, nil])
        #expect(try latest(nil, at: 5) == three)
        #expect(try latest("jp", at: 10) == four)
        #expect(try latest("us", at: 10) == three)
        #expect(try latest(nil, at: 10) == three)
    }

    @Test func `a numeric recommendation waits for its own release`() throws {
        let rules = ruleSet(
            [
                try rule(
                    "r",
                    minimum: "2",
                    recommended: "4",
                    holdUntilInStore: StoreHold(soak: 5)
                )
            ],
            releases: [try release("2"), try release("4.1", at: second(10))]
        )
        let middle = try client(version: "3")
        for now in Int64(0)..<20 {
            let decision = rules.decide(middle, at: second(now))
            #expect(decision.kind == (now < 15 ? .allow : .recommend))
            let old = rules.decide(try client(version: "1"), at: second(now))
            #expect(old.kind == .require)
            #expect(old.upgrade.latest?.description == (now < 15 ? nil : "4"))
        }
    }
}

extension StoreAvailabilityTests.Case {
    init(
        _ name: String,
        _ identity: ClientIdentity,
        _ releases: [Release],
        _ version: String?
    ) {
        self.init(
            testDescription: name,
            identity: identity,
            releases: releases,
            version: version
        )
    }
}

extension ClientIdentity {
    fileprivate func on(_ channel: String) -> ClientIdentity {
        var other = self
        other.channel = .stated(channel)
        return other
    }
}

extension Release {
    fileprivate func on(_ channel: String) -> Release {
        var other = self
        other.channel = channel
        return other
    }
}
