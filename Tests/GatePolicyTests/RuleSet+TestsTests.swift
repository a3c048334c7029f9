import Testing

@testable import GatePolicy

@Suite struct RuleSetTestsTests {
    static let old = [
        HeaderField(name: "X-App-Platform", value: "iPhone"),
        HeaderField(name: "X-APP-VERSION", value: " 3.4.9 "),
    ]

    static func failures(
        _ expectation: RuleExpectation,
        headers: [HeaderField] = old,
        method: String = "GET",
        path: String = "/",
        at: Timestamp? = nil
    ) throws -> [String] {
        let test = RuleTest(
            name: "t",
            headers: headers,
            method: method,
            path: path,
            at: at,
            expectation: expectation
        )
        let rules = ruleSet(
            [
                try rule("ios", match: RuleMatch(platforms: [.ios]), minimum: "3.5.0"),
                try rule("watch", minimum: "4", mode: .observe),
                try rule("late", minimum: "3.6", schedule: RuleSchedule(enforceFrom: second(10))),
                try rule(
                    "db",
                    match: RuleMatch(requests: [
                        try RequestPattern(path: "/orders/**", methods: ["POST"])
                    ]),
                    maintenance: MaintenanceWindow(from: second(0), until: second(10))
                ),
            ],
            exemptions: [try RequestPattern(path: "/healthz", methods: nil)],
            unidentified: UnidentifiedPolicy(missing: .observe, unreadable: .allow),
            tests: [test]
        )
        let failures = rules.runTests(now: second(0))
        #expect(failures.allSatisfy { $0.test == "t" })
        return failures.map(\.message)
    }

    static let met: [RuleExpectation] = [
        .init(), .init(decisions: [.require]), .init(rule: "ios"), .init(status: 426),
        .init(observed: ["watch"]),
        .init(decisions: [.require], rule: "ios", status: 426, observed: ["watch"]),
    ]

    @Test(arguments: met)
    func `a test that passes has no failure`(expectation: RuleExpectation) throws {
        #expect(try Self.failures(expectation) == [])
    }

    static let unmet: [(RuleExpectation, String)] = [
        (
            .init(decisions: [.allow]),
            "expected decision allow, got require by rule ios (the version is below the minimum)"
        ),
        (
            .init(decisions: [.require], rule: "late"),
            "expected decision require by rule late, got require by rule ios "
                + "(the version is below the minimum)"
        ),
        (
            .init(rule: "none"),
            "expected decision by no rule, got require by rule ios "
                + "(the version is below the minimum)"
        ),
        (.init(status: 503), "expected status 503, got 426"),
        (.init(storeURL: "https://a"), "expected storeUrl https://a, got none"),
        (.init(observed: []), "expected observed nothing, got watch"),
        (.init(observed: ["b", "a", "b"]), "expected observed a, b, got watch"),
        (
            .init(decisions: [.allow], rule: "none", status: 200, observed: ["a"]),
            "expected decision allow by no rule, got require by rule ios "
                + "(the version is below the minimum); expected status 200, got 426; "
                + "expected observed a, got watch"
        ),
    ]

    @Test(arguments: unmet)
    func `a failure contains the expected and the actual result`(
        expectation: RuleExpectation,
        message: String
    ) throws {
        #expect(try Self.failures(expectation) == [message])
    }

    @Test func `a request that passes has no status`() throws {
        let current = [
            HeaderField(name: "x-app-platform", value: "ios"),
            HeaderField(name: "x-app-version", value: "5"),
        ]
        let expectation = RuleExpectation(decisions: [.require], rule: "ios", status: 426)
        #expect(
            try Self.failures(expectation, headers: current) == [
                "expected decision require by rule ios, got allow "
                    + "(the client meets every rule that applies); "
                    + "expected status 426, got none (the request passes)"
            ]
        )
        let passing = RuleExpectation(decisions: [.allow], rule: "none", observed: [])
        #expect(try Self.failures(passing, headers: current) == [])
    }

    @Test func `a test has its own time or the time of the run`() throws {
        let android = [HeaderField(name: "X-App-Version", value: "android/3.5.9")]
        let required = RuleExpectation(decisions: [.require], rule: "late")
        #expect(try Self.failures(required, headers: android, at: second(10)) == [])
        #expect(
            try Self.failures(required, headers: android) == [
                "expected decision require by rule late, got allow (no rule applies)"
            ]
        )
    }

    @Test func `a test without a time must pass after every future change`() throws {
        let open = RuleExpectation(decisions: [.allow])
        let android = [HeaderField(name: "X-App-Version", value: "android/3.5.9")]
        let messages = try Self.failures(open, headers: android)
        #expect(messages.count == 1)
        #expect(
            messages.first?.hasPrefix("from \(second(10)) on: expected decision allow, got") == true
        )
        #expect(messages.first?.hasSuffix("; set 'at' to choose the time") == true)
        #expect(try Self.failures(open, headers: android, at: second(9)) == [])
    }

    @Test(arguments: [
        (RuleExpectation(decisions: [.allow, .recommend]), 1),
        (.init(decisions: [.allow, .require]), 0),
        (.init(decisions: []), 0),
    ])
    func `any one of several expected decisions is enough`(expectation: RuleExpectation, count: Int)
        throws
    {
        let failures = try Self.failures(expectation)
        #expect(failures.count == count)
        #expect(
            failures.allSatisfy { $0.hasPrefix("expected decision allow or recommend, got req") }
        )
    }

    /// Tests for maintenance of all clients, now and much later, and for a floor with its own maintenance.
    static let maintenance: [(expectation: RuleExpectation, at: Timestamp?, isMet: Bool)] = [
        (.init(decisions: [.require], rule: "floor"), nil, true),
        (.init(status: 426), nil, true), (.init(rule: "floor"), nil, true),
        (.init(decisions: [.allow]), nil, false),
        // A test that expects maintenance or sets `at` is evaluated during maintenance.
        (.init(decisions: [.maintenance]), nil, false),
        (.init(decisions: [.maintenance]), second(5), true),
        (.init(decisions: [.require, .maintenance]), nil, true),
        (.init(rule: "night"), nil, false), (.init(rule: "night"), second(5), true),
        (.init(status: 503), second(5), true), (.init(status: 503), nil, false),
        (.init(decisions: [.require]), second(5), false),
        (.init(decisions: [.require]), second(10), true),
    ]

    @Test(arguments: maintenance)
    func `a test is evaluated outside of maintenance unless it expects maintenance`(
        expectation: RuleExpectation,
        at time: Timestamp?,
        isMet: Bool
    ) throws {
        let test = RuleTest(name: "t", headers: Self.old, at: time, expectation: expectation)
        let rules = ruleSet(
            [
                try rule("floor", minimum: "3.5.0"),
                try rule(
                    "night",
                    maintenance: MaintenanceWindow(from: second(2), until: second(10))
                ),
            ],
            tests: [test]
        )
        #expect((rules.run(test, now: second(0)) == nil) == isMet)
    }

    @Test func `a test has a path and a method`() throws {
        let closed = RuleExpectation(decisions: [.maintenance], rule: "db", status: 503)
        #expect(
            try Self.failures(closed, method: "POST", path: "/orders/1?a=b", at: second(0)) == []
        )
        #expect(try Self.failures(closed, path: "/orders/1").count == 1)
        #expect(try Self.failures(.init(decisions: [.allow]), path: "/healthz") == [])
    }

    @Test func `a preflight is not evaluated, and needs all its header fields`() throws {
        let marks = [
            HeaderField(name: "Origin", value: "https://a"),
            HeaderField(name: "Access-Control-Request-Method", value: "GET"),
        ]
        let passes = RuleExpectation(decisions: [.allow], rule: "none")
        #expect(try Self.failures(passes, headers: Self.old + marks, method: "OPTIONS") == [])
        #expect(try Self.failures(passes, headers: Self.old + marks, method: "GET").count == 1)
        for mark in marks {
            let headers = Self.old + [mark]
            #expect(try Self.failures(passes, headers: headers, method: "OPTIONS").count == 1)
        }
    }

    @Test func `the query identifies the client only in a handshake`() throws {
        var identity = IdentitySources.defaults
        identity.query = [.version: "v"]
        let handshake = [
            HeaderField(name: "Connection", value: "keep-alive, Upgrade"),
            HeaderField(name: "upgrade", value: "websocket"),
        ]
        for (headers, decision) in [
            (handshake, Decision.Kind.require), ([handshake[0]], .allow), ([handshake[1]], .allow),
        ] {
            let test = RuleTest(
                name: "t",
                headers: headers,
                path: "/ws?a&V=3%2E4&b=1",
                expectation: .init(decisions: [decision])
            )
            let rules = ruleSet([try rule("r", minimum: "3.5")], identity: identity)
            #expect(rules.run(test, now: second(0)) == nil)
        }
    }

    @Test func `the unidentified policy is listed among the observing rules`() throws {
        #expect(try Self.failures(.init(observed: ["watch", "unidentified"]), headers: []) == [])
    }

    @Test func `a test can have an address, and failures are in the order of the file`() throws {
        let half = [RolloutStep(percent: 50)]
        let tests = (0..<100).map { number in
            RuleTest(
                name: "t\(number)",
                headers: Self.old,
                address: "192.0.2.\(number)",
                expectation: .init(decisions: [.require])
            )
        }
        let rules = ruleSet([try rule("r", minimum: "4", rollout: half)], tests: tests)
        let failures = rules.runTests(now: second(0)).map(\.test)
        #expect((30...70).contains(failures.count))
        let names = tests.map(\.name)
        #expect(failures == names.filter { failures.contains($0) })
    }
}
