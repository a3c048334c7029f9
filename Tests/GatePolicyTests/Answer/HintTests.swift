import Testing

@testable import GatePolicy

@Suite struct HintTests {
    static let exposure =
        "Access-Control-Expose-Headers: X-VersionGate, Deprecation, Sunset"

    static func lines(_ schedule: RuleSchedule, recommended: String?) throws -> [String] {
        let rules = ruleSet([
            try rule(
                "summer",
                minimum: "4.0.0",
                recommended: recommended,
                storeURL: StoreURL("https://a.example"),
                schedule: schedule
            )
        ])
        let now = try time("2027-01-01T00:00:00Z")
        let decision = rules.decide(try client(version: "3.9"), at: now)
        return rules.hint(for: decision).map { "\($0.name): \($0.value)" }
    }

    @Test func `a warning hint contains the dates of the schedule`() throws {
        let schedule = RuleSchedule(
            warnFrom: try time("2026-12-01T00:00:00Z"),
            enforceFrom: try time("2027-01-10T00:00:00+09:00"),
            until: try time("2027-06-01T00:00:00Z")
        )
        #expect(
            try Self.lines(schedule, recommended: "4.2.0") == [
                "Deprecation: @1796083200",
                "Sunset: Sat, 09 Jan 2027 15:00:00 GMT",
                #"X-VersionGate: recommend; latest="4.2.0"; url="https://a.example"; "#
                    + #"enforce-from="2027-01-09T15:00:00Z"; snooze-seconds=86400"#,
                Self.exposure,
            ]
        )
    }

    @Test func `a warning without an end has no Sunset and recommends the minimum`() throws {
        let schedule = RuleSchedule(warnFrom: try time("2026-12-01T00:00:00Z"))
        #expect(
            try Self.lines(schedule, recommended: nil) == [
                "Deprecation: @1796083200",
                #"X-VersionGate: recommend; latest="4.0.0"; url="https://a.example"; "#
                    + "snooze-seconds=86400",
                Self.exposure,
            ]
        )
    }

    @Test func `a recommendation without a warning has no dates`() throws {
        let schedule = RuleSchedule(warnFrom: try time("2028-12-01T00:00:00Z"))
        #expect(
            try Self.lines(schedule, recommended: "4.2.0") == [
                #"X-VersionGate: recommend; latest="4.2.0"; url="https://a.example"; "#
                    + "snooze-seconds=86400",
                Self.exposure,
            ]
        )
        #expect(try Self.lines(schedule, recommended: nil) == [])
    }

    @Test func `a schedule that ends before it is enforced has no Sunset`() throws {
        let schedule = RuleSchedule(
            warnFrom: try time("2026-12-01T00:00:00Z"),
            enforceFrom: try time("2027-01-10T00:00:00Z"),
            until: try time("2027-01-10T00:00:00Z")
        )
        #expect(try Self.lines(schedule, recommended: nil).count == 3)
    }
}

@Suite struct StructuredItemTests {
    static let cases: [(String?, String)] = [
        (nil, "t"), ("", #"t; k="""#), ("4.2.0", #"t; k="4.2.0""#),
        (#"a"b\c"#, #"t; k="a\"b\\c""#), ("é", "t"), ("a\r\nX: y", "t"), ("a\u{7F}", "t"),
    ]

    @Test(arguments: cases)
    func `a string is escaped, or omitted if it cannot be`(value: String?, text: String) {
        var item = StructuredItem(token: "t")
        item.add("k", value)
        #expect(item.text == text)
    }
}
