import Testing

@testable import GatePolicy

/// Denials in the format of GraphQL responses.
@Suite struct GraphQLAnswerTests {
    static func type(_ answer: Answer) -> String? {
        answer.fields.first { $0.name == "Content-Type" }?.value
    }

    @Test(arguments: [
        (AnswerForm.graphQL, "application/json"),
        (.graphQLResponse, "application/graphql-response+json"),
    ])
    func `a response has one error with the members of every denial as extensions`(
        form: AnswerForm,
        type: String
    ) throws {
        let answer = try AnswerFormTests.answer(form)
        #expect(answer.status == 426)
        #expect(Self.type(answer) == type)
        let members =
            #""type":"urn:versiongate:upgrade-required",\#(ConnectAnswerTests.members)"#
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"errors":[{"message":"100 % & \"1.2\"","extensions":{"#
                + #""code":"UPGRADE_REQUIRED",\#(members)}}],\#(members)}"#
        )
        #expect(answer.fields.contains(HeaderField(name: "X-VersionGate", value: "require")))
    }

    @Test func `maintenance has its own error code`() throws {
        let answer = try AnswerFormTests.answer(.graphQL, maintained: true)
        #expect(answer.status == 503)
        #expect(answer.fields.contains(HeaderField(name: "Retry-After", value: "90")))
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains(#""extensions":{"code":"MAINTENANCE","type":"urn:versiongate:m"#))
    }

    @Test func `a custom body replaces the GraphQL response`() throws {
        let style = AnswerStyle(status: 200, body: .json(.list([])), sendsUpgrade: true)
        for form in [AnswerForm.graphQL, .graphQLResponse] {
            let answer = try AnswerStyleTests.answer(style, form: form)
            #expect(answer.status == 200)
            #expect(Self.type(answer) == "application/json")
            #expect(answer.body == Array("[]".utf8))
        }
    }

    @Test func `a custom status is also the status of a GraphQL response`() throws {
        let answer = try AnswerStyleTests.answer(AnswerStyle(status: 200), form: .graphQL)
        #expect(answer.status == 200)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.hasPrefix(#"{"errors":[{"#))
        let upgrade = AnswerStyle(sendsUpgrade: true)
        #expect(try AnswerStyleTests.answer(upgrade, form: .graphQLResponse).sendsUpgrade)
    }
}
