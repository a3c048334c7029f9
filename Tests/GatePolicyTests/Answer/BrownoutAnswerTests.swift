import Testing

@testable import GatePolicy

@Suite struct BrownoutAnswerTests {
    static func rules(status: Int? = nil) throws -> RuleSet {
        var floor = try rule(
            "ios",
            minimum: "4.0.0",
            storeURL: StoreURL("https://a.example"),
            schedule: RuleSchedule(
                warnFrom: try time("2026-12-01T00:00:00Z"),
                enforceFrom: try time("2027-01-10T00:00:00Z"),
                brownouts: [
                    BrownoutWindow(
                        from: try time("2026-12-20T02:00:00Z"),
                        until: try time("2026-12-20T03:00:00Z")
                    )
                ]
            )
        )
        floor.answer.status = status
        return ruleSet([floor])
    }

    static func answer(
        at text: String,
        as form: AnswerForm = .document,
        status: Int? = nil
    ) throws -> Answer {
        let rules = try self.rules(status: status)
        let old = try client(version: "3.9")
        let now = try time(text)
        return try #require(
            rules.answer(to: rules.decide(old, at: now), for: old, as: form, at: now)
        )
    }

    static func lines(_ answer: Answer) -> [String] {
        answer.fields.map { "\($0.name): \($0.value)" }
    }

    @Test func `Retry-After of a brownout denial is the time until its end`() throws {
        let answer = try Self.answer(at: "2026-12-20T02:00:00Z")
        #expect(answer.status == 426)
        #expect(
            Self.lines(answer) == [
                "Content-Type: application/problem+json",
                "Cache-Control: no-store",
                "Content-Language: en",
                "Vary: x-app-version, accept-language, \(formFields), origin",
                "Deprecation: @1796083200",
                "Sunset: Sun, 10 Jan 2027 00:00:00 GMT",
                "X-VersionGate: require",
                "Retry-After: 3600",
            ]
        )
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"type":"urn:versiongate:upgrade-required","title":"Update required","#
                + #""status":426,"message":"This version of the app no longer works. Please "#
                + #"update to the latest version.","button":"Update","#
                + #""storeUrl":"https://a.example","minimumVersion":"4.0.0","#
                + #""currentVersion":"3.9","brownoutUntil":"2026-12-20T03:00:00Z","#
                + #""enforceFrom":"2027-01-10T00:00:00Z","rule":"ios","revision":"r1"}"#
        )
        let last = try Self.answer(at: "2026-12-20T02:59:59Z")
        #expect(last.fields.last == HeaderField(name: "Retry-After", value: "1"))
    }

    @Test func `a denial after the enforcement date has no dates and no Retry-After`() throws {
        let answer = try Self.answer(at: "2027-01-10T00:00:00Z")
        let names = answer.fields.map(\.name)
        for name in ["Retry-After", "Deprecation", "Sunset"] { #expect(!names.contains(name)) }
        let body = String(decoding: answer.body, as: UTF8.self)
        #expect(!body.contains("brownoutUntil"))
        #expect(!body.contains("enforceFrom"))
    }

    @Test func `a brownout denial with a different status also has Retry-After`() throws {
        let answer = try Self.answer(at: "2026-12-20T02:30:00Z", status: 403)
        #expect(answer.status == 403)
        #expect(Self.lines(answer).contains("Retry-After: 1800"))
    }

    @Test func `a gRPC call gets Retry-After and the end of the brownout`() throws {
        let answer = try Self.answer(at: "2026-12-20T02:00:00Z", as: .grpc)
        let lines = Self.lines(answer)
        #expect(lines.contains("grpc-status: 9"))
        #expect(lines.contains("Retry-After: 3600"))
        let status = try Self.callStatus(at: "2026-12-20T02:00:00Z")
        #expect(status["brownoutUntil"] == "2026-12-20T03:00:00Z")
        #expect(status["enforceFrom"] == "2027-01-10T00:00:00Z")
        let lasting = try Self.callStatus(at: "2027-01-10T00:00:00Z")
        #expect(lasting["brownoutUntil"] == nil)
        #expect(lasting["enforceFrom"] == nil)
    }

    private static func callStatus(at text: String) throws -> [String: String] {
        let old = try client(version: "3.9")
        let decision = try self.rules().decide(old, at: try time(text))
        let document = DenialDocument(
            denial: try #require(Denial(decision)),
            decision: decision,
            identity: old,
            status: 200,
            revision: "r1",
            words: nil
        )
        return Dictionary(uniqueKeysWithValues: document.callStatus.metadata.map { ($0, $1) })
    }

    @Test func `a hint contains the next brownout while there is one`() throws {
        let rules = try Self.rules()
        let old = try client(version: "3.9")
        func marker(at text: String) throws -> String? {
            rules.hint(for: rules.decide(old, at: try time(text)))
                .first { $0.name == Answer.markerName }?.value
        }
        let start =
            #"recommend; latest="4.0.0"; url="https://a.example"; "#
            + #"enforce-from="2027-01-10T00:00:00Z""#
        let window =
            #"; brownout-from="2026-12-20T02:00:00Z"; brownout-until="2026-12-20T03:00:00Z""#
        let snooze = "; snooze-seconds=86400"
        #expect(try marker(at: "2026-12-01T00:00:00Z") == start + window + snooze)
        #expect(try marker(at: "2026-12-20T02:00:00Z") == nil)
        #expect(try marker(at: "2026-12-20T03:00:00Z") == start + snooze)
    }

    @Test func `the launch status contains the brownout, and its ETag changes with it`() throws {
        let rules = try Self.rules()
        let old = try client(version: "3.9")
        let window =
            #""brownoutFrom":"2026-12-20T02:00:00Z","brownoutUntil":"2026-12-20T03:00:00Z""#
        var tags: Set<String> = []
        for (text, decision, hasWindow) in [
            ("2026-11-30T00:00:00Z", "allow", false), ("2026-12-01T00:00:00Z", "recommend", true),
            ("2026-12-20T02:00:00Z", "require", true), ("2026-12-20T03:00:00Z", "recommend", false),
            ("2027-01-10T00:00:00Z", "require", false),
        ] {
            let status = rules.launchStatus(
                for: old,
                in: .unrestricted,
                at: try time(text),
                address: nil
            )
            let body = String(decoding: status.body, as: UTF8.self)
            #expect(body.hasPrefix("{\"decision\":\"\(decision)\""))
            #expect(body.contains(window) == hasWindow)
            #expect(body.contains("brownout") == hasWindow)
            let hasEnd = hasWindow || decision == "recommend"
            #expect(body.contains(#""enforceFrom":"2027-01-10T00:00:00Z""#) == hasEnd)
            #expect(body.contains("minimumVersion") == (decision == "require"))
            tags.insert(status.eventTag)
        }
        #expect(tags.count == 5)
    }
}
