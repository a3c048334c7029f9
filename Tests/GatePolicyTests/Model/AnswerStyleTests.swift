import Testing

@testable import GatePolicy

@Suite struct AnswerStyleTests {
    static func text(_ template: String) throws -> BodyTemplate.Value {
        .text(try NoticeTemplate(parsing: template, for: .body))
    }

    static func answer(
        _ style: AnswerStyle,
        of all: AnswerStyle = .standard,
        version: String = "3.4.9",
        form: AnswerForm = .document
    ) throws -> Answer {
        var denying = try rule(
            "ios",
            minimum: "3.5.0",
            minimumBuild: 7,
            storeURL: StoreURL("https://apps.example/1")
        )
        denying.answer = style
        let rules = RuleSet(
            RuleSetDefinition(revision: "r1", rules: [denying], answer: all)
        )
        let identity = try client(version: version)
        let decision = rules.decide(identity, in: rules.scope())
        return try #require(rules.answer(to: decision, for: identity, as: form, at: second(0)))
    }

    static func type(_ answer: Answer) -> String? {
        answer.fields.first { $0.name == "Content-Type" }?.value
    }

    @Test func `a custom status is the status of the response and in its body`() throws {
        let answer = try Self.answer(AnswerStyle(status: 410))
        #expect(answer.status == 410)
        #expect(String(decoding: answer.body, as: UTF8.self).contains(#""status":410,"#))
    }

    @Test func `a rule inherits the file's answer settings that it does not set`() throws {
        let all = AnswerStyle(status: 403, body: .text(try NoticeTemplate(parsing: "old")))
        #expect(try Self.answer(.standard, of: all).status == 403)
        let answer = try Self.answer(AnswerStyle(status: 410), of: all)
        #expect(answer.status == 410)
        #expect(String(decoding: answer.body, as: UTF8.self) == "old")
        #expect(Self.type(answer) == "text/plain; charset=utf-8")
    }

    @Test func `maintenance has the status of its own rule, or else 503`() throws {
        for (own, status) in [(nil, 503), (429, 429)] {
            var maintained = try rule(
                "m",
                maintenance: MaintenanceWindow(from: second(-1), until: second(1))
            )
            maintained.answer = AnswerStyle(status: own)
            let rules = RuleSet(
                RuleSetDefinition(
                    revision: "r1",
                    rules: [maintained],
                    answer: AnswerStyle(status: 403)
                )
            )
            let identity = try client(version: "1")
            let decision = rules.decide(identity, at: second(0))
            #expect(rules.answer(to: decision, for: identity)?.status == status)
        }
    }

    @Test func `a content type belongs to its body`() throws {
        let text = BodyTemplate.text(try NoticeTemplate(parsing: "old"))
        let all = AnswerStyle(body: text, contentType: "application/x-old")
        #expect(Self.type(try Self.answer(.standard, of: all)) == "application/x-old")
        let own = AnswerStyle(body: .json(.null))
        #expect(Self.type(try Self.answer(own, of: all)) == "application/json")
    }

    static let bodies: [(BodyTemplate.Value, String)] = [
        (.null, "null"),
        (.boolean(false), "false"),
        (.number("-1.5e3"), "-1.5e3"),
        (.list([]), "[]"),
        (.object([]), "{}"),
        (.list([.boolean(true), .number("1")]), "[true,1]"),
    ]

    @Test(arguments: bodies)
    func `a body is encoded as JSON`(value: BodyTemplate.Value, json: String) throws {
        let answer = try Self.answer(AnswerStyle(body: .json(value)))
        #expect(String(decoding: answer.body, as: UTF8.self) == json)
    }

    @Test func `placeholders in a body have known values with their JSON types`() throws {
        let body = BodyTemplate.object([
            ("text", try Self.text("{rule}/{revision}: {decision} {status}")),
            ("status", try Self.text("{status}")),
            ("build", try Self.text("{minimumBuild}")),
            ("latest", try Self.text("{button}{latestVersion}")),
            ("unknown", try Self.text("{app}")),
            ("words", .list([try Self.text("{title}"), try Self.text("{storeUrl}")])),
            ("braces", try Self.text("{{title}}")),
        ])
        let answer = try Self.answer(AnswerStyle(status: 403, body: body))
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"text":"ios/r1: require 403","status":403,"build":7,"latest":"Update3.5.0","#
                + #""unknown":null,"words":["Update required","https://apps.example/1"],"#
                + #""braces":"{title}"}"#
        )
        #expect(Self.type(answer) == "application/json")
    }

    @Test func `client input cannot escape its JSON string`() throws {
        let body = BodyTemplate.object([("at", try Self.text("{platform}"))])
        var denying = try rule("all", blocked: [">=0"])
        denying.answer = AnswerStyle(body: body)
        let rules = ruleSet([denying])
        let identity = try client(platform: Platform("\",\"x\":\"\\"), version: "1")
        let decision = rules.decide(identity, in: rules.scope())
        let answer = try #require(rules.answer(to: decision, for: identity))
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"at":"\",\"x\":\"\\"}"#)
    }

    @Test func `the Upgrade field is only sent if configured, and only with 426`()
        throws
    {
        #expect(try !Self.answer(.standard).sendsUpgrade)
        let wanted = AnswerStyle(sendsUpgrade: true)
        #expect(try Self.answer(wanted).sendsUpgrade)
        #expect(try Self.answer(.standard, of: wanted).sendsUpgrade)
        #expect(try !Self.answer(AnswerStyle(sendsUpgrade: false), of: wanted).sendsUpgrade)
        #expect(try !Self.answer(AnswerStyle(status: 403, sendsUpgrade: true)).sendsUpgrade)
        #expect(try !Self.answer(wanted, form: .grpc).sendsUpgrade)
    }

    @Test func `a placeholder that is unknown in its context is rejected`() {
        #expect(throws: NoticeTemplateError.self) {
            try NoticeTemplate(parsing: "{nothing}", for: .body)
        }
        #expect(throws: NoticeTemplateError.self) { try NoticeTemplate(parsing: "{title}") }
    }
}

extension BodyTemplate {
    fileprivate static func object(_ members: [(String, Value)]) -> BodyTemplate {
        .json(.object(members.map { Member(name: $0, value: $1) }))
    }
}
