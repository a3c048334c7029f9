import GatePolicy
import Testing

@testable import GateFeeds

struct RemoteConfigRequirementsTests {
    /// 2026-12-24T12:00:00Z.
    private static let now = Timestamp(secondsSinceEpoch: 1_798_113_600)
    private static let names = RemoteConfigRequirements.Names(
        minimum: "min_version",
        latest: ["lastest_version", "latest_version"]
    )

    private static func terms(
        _ json: String,
        platform: Platform = .ios,
        app: String? = nil
    ) throws -> RemoteConfigRequirements {
        try RemoteConfigRequirements(
            try RemoteConfigTemplate(json: Array(json.utf8)),
            for: RemoteConfigClient(platform: platform, app: app, now: Self.now),
            Self.names
        )
    }

    /// Returns a template with these conditional values of `min_version` and this default.
    private static func template(
        _ conditional: [(expression: String, value: String)],
        _ value: String
    ) -> String {
        let names = conditional.indices.map { "c\($0)" }
        let conditions = zip(names, conditional).map {
            #"{ "name": "\#($0)", "expression": "\#($1.expression)", "tagColor": "BLUE" }"#
        }
        let values = zip(names, conditional).map { #""\#($0)": \#($1.value)"# }
        return #"""
            { "conditions": [\#(conditions.joined(separator: ","))],
              "parameters": { "min_version": { "defaultValue": \#(value),
                "conditionalValues": { \#(values.joined(separator: ",")) } } },
              "version": { "versionNumber": "7" } }
            """#
    }

    private static func text(_ version: String) -> String { #"{ "value": "\#(version)" }"# }

    /// Expects a minimum and blocked ranges for conditional values of `min_version` and a default.
    @discardableResult
    private static func expect(
        _ conditional: [(expression: String, version: String)],
        _ version: String,
        toLeadTo minimum: String?,
        _ blocked: [String],
        at location: SourceLocation = #_sourceLocation
    ) throws -> RemoteConfigRequirements {
        let values = conditional.map { ($0.expression, Self.text($0.version)) }
        let terms = try Self.terms(Self.template(values, Self.text(version)))
        #expect(terms.demands.minimum?.description == minimum, sourceLocation: location)
        #expect(terms.demands.blocked.map(\.description) == blocked, sourceLocation: location)
        return terms
    }

    @Test func `the parameter names from the article are found, also in a group`() throws {
        let terms = try Self.terms(
            #"""
            { "parameters": { "min_version": { "defaultValue": { "value": "3.2.0" } } },
              "parameterGroups": { "updates": { "parameters": {
                "lastest_version": { "defaultValue": { "value": "3.5.0" }, "valueType": "STRING" } } } } }
            """#
        )
        #expect(terms.demands.minimum?.description == "3.2.0")
        #expect(terms.demands.blocked == [])
        #expect(terms.demands.recommended?.description == "3.5.0")
    }

    @Test(
        arguments: [
            // The first condition that is true applies.
            ([("device.os == 'ios'", "4.0"), ("true", "5.0")], "3.0", "4.0", []),
            ([("device.os == 'android'", "4.0")], "3.0", "3.0", []),
            ([("app.id == '1:2:android:3'", "4.0")], "3.0", "3.0", []),
            // Old versions are allowed, but newer ones must reach a higher floor.
            ([("app.version.<(['3.0'])", "2.5")], "3.5", "2.5", [">=3.0 <3.5"]),
            ([("app.version.<=(['3.0'])", "2.5")], "3.5", "2.5", [">3.0 <3.5"]),
            // One bad version must update.
            ([("app.version.exactlyMatches(['3.1'])", "3.2")], "2.0", "2.0", ["3.1"]),
            ([("app.version.==(['3.1'])", "3.2")], "3.1", "3.1", ["3.1"]),
            ([("app.version.>=(['3.0'])", "3.1"), ("true", "9.0")], "1", "3.1", []),
            ([("app.version.!=(['3.0'])", "9.0")], "1", "3.0", [">3.0 <9.0"]),
            // For undecidable conditions, the lowest value counts.
            ([("percent <= 10", "4.0")], "3.0", "3.0", []),
            ([("percent <= 10", "2.0")], "3.0", "2.0", []),
            ([("percent <= 10 && device.os == 'android'", "2.0")], "3.0", "3.0", []),
            ([("device.country in ['JP']", "4.0"), ("device.os == 'ios'", "3.5")], "1", "3.5", []),
            // Empty values for some clients do not remove the floor.
            ([("percent <= 10", "")], "3.0", "3.0", []),
            ([("device.os == 'ios'", "")], "3.0", nil, []),
            ([("app.version.<(['2.0'])", "")], "3.0", nil, [">=2.0 <3.0"]),
            // Dates in the past or the future. For dates near the current time, an unknown time zone makes a condition
            // undecidable.
            ([("dateTime >= dateTime('2026-12-24T11:00:00')", "4.0")], "3.0", "4.0", []),
            ([("dateTime >= dateTime('2026-12-24T13:00:00')", "4.0")], "3.0", "3.0", []),
            (
                [("dateTime >= dateTime('2026-12-24T11:00:00', 'Mars/Olympus')", "4.0")], "3.0",
                "3.0",
                []
            ),
            (
                [("dateTime >= dateTime('2026-12-23T11:00:00', 'Mars/Olympus')", "4.0")], "3.0",
                "4.0",
                []
            ),
            // Noon in London is 21:00 in Tokyo and 4:00 in Los Angeles.
            (
                [("dateTime >= dateTime('2026-12-24T21:00:00', 'Asia/Tokyo')", "4.0")], "3.0",
                "4.0",
                []
            ),
            (
                [("dateTime >= dateTime('2026-12-24T21:00:01', 'Asia/Tokyo')", "4.0")], "3.0",
                "3.0",
                []
            ),
            (
                [("dateTime < dateTime('2026-12-24T04:00:01', 'America/Los_Angeles')", "4.0")],
                "3.0",
                "4.0",
                []
            ),
            (
                [("dateTime < dateTime('2026-12-24T04:00:00', 'America/Los_Angeles')", "4.0")],
                "3.0",
                "3.0",
                []
            ),
        ] as [([(String, String)], String, String?, [String])]
    )
    func `conditional values become a minimum and blocked ranges`(
        conditional: [(String, String)],
        value: String,
        minimum: String?,
        blocked: [String]
    ) throws {
        try Self.expect(conditional, value, toLeadTo: minimum, blocked)
    }

    @Test(
        arguments: [
            ([("app.build.>=(['100'])", "4.0")], "3.0", "3.0", [], [">=100 of >=3.0 <4.0"]),
            ([("app.build.<(['100'])", "4.0")], "3.0", "3.0", [], ["<100 of >=3.0 <4.0"]),
            ([("app.build.<(['100'])", "2.0")], "3.0", "2.0", [], [">=100 of >=2.0 <3.0"]),
            (
                [("app.build.exactlyMatches(['93', '95'])", "3.1")], "3.0", "3.0", [],
                ["93 of >=3.0 <3.1", "95 of >=3.0 <3.1"]
            ),
            ([("app.build.==(['0'])", "3.1")], "", nil, [], ["0 of <3.1"]),
            ([("app.build.!=(['93'])", "3.1")], "", nil, [], ["<93 of <3.1", ">93 of <3.1"]),
            // One bad build of a version.
            (
                [("app.version.==(['3.7']) && app.build.==(['93'])", "3.8")], "3.0", "3.0", [],
                ["93 of 3.7"]
            ),
            // A floor for all builds needs no build ranges.
            ([("app.build.>(['100']) && device.os == 'android'", "4.0")], "3.0", "3.0", [], []),
            ([("app.build.>(['100'])", "3.0")], "3.0", "3.0", [], []),
            (
                [("app.version.==(['3.1'])", "3.2"), ("app.build.>(['9'])", "3.0")], "2.0", "2.0",
                ["3.1"], [">9 of >=2.0 <3.0"]
            ),
            // For undecidable conditions, the lowest value counts for each build.
            (
                [("app.build.>(['9']) && percent <= 10", "2.0")], "3.0", "2.0", [],
                ["<=9 of >=2.0 <3.0"]
            ),
            ([("app.build.>(['9']) && percent <= 10", "4.0")], "3.0", "3.0", [], []),
        ] as [([(String, String)], String, String?, [String], [String])]
    )
    func `conditions on builds become blocked builds`(
        conditional: [(String, String)],
        value: String,
        minimum: String?,
        blocked: [String],
        builds: [String]
    ) throws {
        let terms = try Self.expect(conditional, value, toLeadTo: minimum, blocked)
        #expect(terms.demands.blockedBuilds.map(\.description) == builds)
        #expect(terms.undecided.isEmpty == !conditional[0].0.contains("percent"))
    }

    @Test(
        arguments: [
            (
                [("app.version.contains(['beta', '.9.'])", "4.0")], "3.0", "3.0",
                [#"of >=3.0 <4.0, versionMatches beta|\.9\."#]
            ),
            (
                [("app.version.notContains(['beta'])", "4.0")], "3.0", "3.0",
                ["of >=3.0 <4.0, versionMatchesNone beta"]
            ),
            (
                [(#"app.version.matches(['^3\\\\.1', 'x$'])"#, "4.0")], "3.0", "3.0",
                [#"of >=3.0 <4.0, versionMatches (?:^3\.1)|(?:x$)"#]
            ),
            // The lowest floor applies to all clients, and a higher one to clients outside of the condition.
            (
                [("app.version.contains(['beta'])", "2.0")], "3.0", "2.0",
                ["of >=2.0 <3.0, versionMatchesNone beta"]
            ),
            (
                [("app.build.matches(['7$']) && app.version.contains(['beta'])", "4.0")], "3.0",
                "3.0", ["of >=3.0 <4.0, versionMatches beta, buildMatches 7$"]
            ),
            // A repeated condition becomes one pattern, and a condition without an effect becomes none.
            (
                [
                    ("app.version.contains(['a'])", "4.0"),
                    ("app.version.notContains(['a'])", "4.0"),
                ],
                "3.0", "4.0", []
            ),
            (
                [("app.version.contains(['a'])", "3.0"), ("app.build.contains(['1'])", "4.0")],
                "3.0",
                "3.0", ["of >=3.0 <4.0, versionMatchesNone a, buildMatches 1"]
            ),
            (
                [("app.version.contains(['a'])", "4.0"), ("app.build.contains(['1'])", "4.0")],
                "3.0",
                "3.0",
                [
                    "of >=3.0 <4.0, versionMatchesNone a, buildMatches 1",
                    "of >=3.0 <4.0, versionMatches a",
                ]
            ),
            (
                [("app.version.contains(['a']) && app.build.<(['9'])", "4.0")], "3.0", "3.0",
                ["<9 of >=3.0 <4.0, versionMatches a"]
            ),
        ] as [([(String, String)], String, String?, [String])]
    )
    func `conditions on the texts of versions and builds become patterns`(
        conditional: [(String, String)],
        value: String,
        minimum: String?,
        builds: [String]
    ) throws {
        let terms = try Self.expect(conditional, value, toLeadTo: minimum, [])
        #expect(terms.demands.blockedBuilds.map(\.description) == builds)
        #expect(terms.undecided == [])
    }

    @Test(arguments: [
        // The gate's versions have no build metadata, and its regular expressions lack some of Firebase's syntax.
        "app.version.contains(['+debug'])", "app.version.matches(['(?=a)'])",
        "app.version.contains([''])", "app.version.matches(['(?P<x>a)'])",
    ])
    func `a condition that cannot be a pattern is undecidable`(expression: String) throws {
        let terms = try Self.expect([(expression, "2.0")], "3.0", toLeadTo: "2.0", [])
        #expect(terms.undecided == ["c0"])
    }

    @Test func `conditions beyond the limit are undecidable`() throws {
        let conditional = (0..<9).map { ("app.version.contains(['x\($0)'])", "4.0") }
        let terms = try Self.expect(conditional, "3.0", toLeadTo: "3.0", [])
        #expect(terms.undecided == ["c8"])
        #expect(terms.demands.blockedBuilds.count == 8)
        #expect(terms.notes.count == 1)
    }

    @Test(arguments: [
        (#"{ "useInAppDefault": true }"#, nil),
        (#"{ "rolloutValue": { "rolloutId": "r", "value": "5.0", "percent": 10 } }"#, "3.0"),
        (#"{ "rolloutValue": { "rolloutId": "r", "value": "2.0", "percent": 10 } }"#, "2.0"),
        (
            #"{ "experimentValue": { "experimentId": "e", "variantValue": [{ "variantId": "a", "value": "2.5" }, { "variantId": "b", "value": "9" }], "exposurePercent": 50 } }"#,
            "2.5"
        ),
        (
            #"{ "experimentValue": { "experimentId": "e", "variantValue": [{ "variantId": "a", "noChange": true }] } }"#,
            "3.0"
        ),
    ])
    func `for values that Firebase randomizes, the lowest counts`(
        value: String,
        minimum: String?
    ) throws {
        let terms = try Self.terms(Self.template([("true", value)], Self.text("3.0")))
        #expect(terms.demands.minimum?.description == minimum)
        #expect(terms.demands.blocked == [])
        #expect(!terms.notes.isEmpty)
    }

    private static let unknown = [
        #"{ "personalizationValue": { "personalizationId": "p" } }"#,
        #"{ "oracleValue": { "oracleId": "o" } }"#, #"{ "value": 3 }"#, "{}",
    ]

    @Test(arguments: unknown + [#"{ "useInAppDefault": true }"#])
    func `unknown values for some clients do not remove the floor`(
        value: String
    ) throws {
        let template = Self.template([("percent <= 10", value)], Self.text("3.0"))
        let terms = try Self.terms(template)
        #expect(terms.demands.minimum?.description == "3.0")
        #expect(terms.undecided == ["c0"])
    }

    @Test(arguments: unknown)
    func `an unknown default is an error and removes no floor`(
        value: String
    ) throws {
        let error = #expect(throws: RemoteConfigError.self) {
            try Self.terms(Self.template([], value))
        }
        guard case .unknowable("min_version", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // Values for other platforms do not matter.
        let elsewhere = Self.template([("device.os == 'android'", value)], Self.text("3.0"))
        #expect(try Self.terms(elsewhere).demands.minimum?.description == "3.0")
    }

    @Test func `values of other parameters do not matter`() throws {
        let values = Self.unknown.enumerated().map { #""p\#($0)": { "defaultValue": \#($1) }"# }
        let terms = try Self.terms(
            #"{ "parameters": { \#(values.joined(separator: ",")), "#
                + #""min_version": { "defaultValue": { "value": "3.0" } } } }"#
        )
        #expect(terms.demands.minimum?.description == "3.0")
    }

    @Test func `in-app defaults are noted`() throws {
        let app = #"{ "useInAppDefault": true }"#
        #expect(
            try Self.terms(Self.template([], app)).notes
                == [
                    "'min_version' uses the in-app default where no condition holds: nothing is "
                        + "required there"
                ]
        )
        let some = Self.template([("app.version.<(['2.0'])", app)], Self.text("3.0"))
        let terms = try Self.terms(some)
        #expect(terms.demands.minimum == nil)
        #expect(terms.demands.blocked.map(\.description) == [">=2.0 <3.0"])
        #expect(terms.notes.first?.contains("where 'c0' holds") == true)
    }

    @Test func `a recommendation alone is enough, in either spelling`() throws {
        for name in ["lastest_version", "latest_version"] {
            let terms = try Self.terms(
                #"{ "parameters": { "\#(name)": { "defaultValue": { "value": "3.5.0" } } } }"#
            )
            #expect(terms.demands.minimum == nil)
            #expect(terms.demands.recommended?.description == "3.5.0")
        }
        let drawn = #"{ "personalizationValue": { "personalizationId": "p" } }"#
        let terms = try Self.terms(
            #"{ "parameters": { "min_version": { "defaultValue": { "value": "3.0" } }, "#
                + #""lastest_version": { "defaultValue": \#(drawn) } } }"#
        )
        #expect(terms.demands.minimum?.description == "3.0")
        #expect(terms.demands.recommended == nil)
        #expect(terms.notes.first?.hasSuffix("nothing is recommended") == true)
    }

    @Test(arguments: [
        ("min_verison", "3.0.0", true), ("minVersion", "3.0.0", true), ("min_version", "", false),
        // Numbers, and parameters with dissimilar names, have other purposes.
        ("min_versions", "7", false), ("background", "3.0.0", false),
    ])
    func `a misspelled parameter is reported`(name: String, value: String, isSlip: Bool) throws {
        let json =
            #"{ "parameters": { "\#(name)": { "defaultValue": { "value": "\#(value)" } }, "#
            + #""lastest_version": { "defaultValue": { "value": "3.5.0" } } } }"#
        guard isSlip else {
            #expect(try Self.terms(json).demands.minimum == nil)
            return
        }
        let error = #expect(throws: RemoteConfigError.self) { try Self.terms(json) }
        #expect(error == .misspelt(parameter: "min_version", found: name))
    }

    @Test func `undecidable conditions are reported`() throws {
        let template = Self.template(
            [("percent <= 10", Self.text("4")), ("device.os == 'ios'", Self.text("3"))],
            Self.text("2")
        )
        #expect(try Self.terms(template).undecided == ["c0"])
        #expect(try Self.terms(template, platform: .android).demands.minimum?.description == "2")
    }

    @Test func `conditions on a known app ID are decidable`() throws {
        let template = Self.template([("app.id == '1:2:ios:3'", Self.text("4"))], Self.text("2"))
        #expect(try Self.terms(template, app: "1:2:ios:3").demands.minimum?.description == "4")
        #expect(try Self.terms(template, app: "1:2:ios:9").demands.minimum?.description == "2")
        #expect(try Self.terms(template).undecided == ["c0"])
    }

    @Test(arguments: [
        ("", "not a Remote Config template: not valid JSON"),
        ("[]", "not a Remote Config template: expected an object"),
        ("null", "not a Remote Config template: expected an object, found null"),
        ("{}", "the template has no parameter 'min_version' or 'lastest_version'"),
        (
            #"{ "parameters": { "min_version": { "defaultValue": { "value": 3 } } } }"#,
            "the parameter 'min_version' has an invalid value: "
                + "parameters.min_version.defaultValue.value: expected a string"
        ),
        (
            #"{ "parameters": { "min_version": { "defaultValue": {} } } }"#,
            "the parameter 'min_version' has an invalid value: "
                + "parameters.min_version.defaultValue: unknown kind of value"
        ),
        (
            #"{ "conditions": [{ "name": "a" }] }"#,
            "not a Remote Config template: conditions[0]: 'expression' is missing"
        ),
        (
            template([], text("soon")),
            "the parameter 'min_version' is 'soon': 'soon' is not a number in ASCII digits"
        ),
    ])
    func `an invalid template is rejected with the location`(json: String, message: String) {
        let error = #expect(throws: RemoteConfigError.self) { try Self.terms(json) }
        #expect(error?.description == message)
    }

    /// Generates templates, and compares the decisions for many versions with Firebase's evaluation.
    @Test func `exactly the versions that Firebase would block are blocked`() throws {
        var generator = SystemRandomNumberGenerator()
        let axis = try (0...12).map { try AppVersion(parsing: "\($0 / 2).\($0 % 2 * 5)") }
        let operators = [">=", "<=", "==", "!=", ">", "<"]
        for _ in 0..<500 {
            let conditional = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                let text = operators[Int.random(in: 0..<operators.count, using: &generator)]
                let relation = RemoteConfigCondition.Relation(rawValue: text)
                let threshold = axis[Int.random(in: 1..<axis.count - 1, using: &generator)]
                let value = axis[Int.random(in: 0..<axis.count, using: &generator)]
                return (relation: relation, threshold: threshold, value: value)
            }
            let fallback = axis[Int.random(in: 0..<axis.count, using: &generator)]
            let template = Self.template(
                conditional.map {
                    (
                        "app.version.\($0.relation?.rawValue ?? "")(['\($0.threshold)'])",
                        Self.text("\($0.value)")
                    )
                },
                Self.text("\(fallback)")
            )
            let terms = try Self.terms(template)
            let between = try (0...12).map { try AppVersion(parsing: "\($0 / 2).\($0 % 2 * 5).1") }
            for version in axis + between {
                let first = conditional.first {
                    $0.relation?.holds(version, $0.threshold) == true
                }
                let isBlocked =
                    terms.demands.minimum.map { version < $0 } ?? false
                    || terms.demands.blocked.contains { $0.contains(version) }
                #expect(
                    isBlocked == (version < (first?.value ?? fallback)),
                    "\(template) \(version)"
                )
            }
        }
    }
}
