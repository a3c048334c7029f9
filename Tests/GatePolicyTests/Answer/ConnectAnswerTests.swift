import Testing

@testable import GatePolicy

/// Denials in the format of the Connect protocol.
@Suite struct ConnectAnswerTests {
    static func type(_ answer: Answer) -> String? {
        answer.fields.first { $0.name == "Content-Type" }?.value
    }

    static let members =
        #""title":"Update <now>","status":426,"message":"100 % & \"1.2\"","button":"Get it","#
        + #""storeUrl":"https://apps.example/?a=1&b=\"2\"","currentVersion":"1.2","rule":"r","#
        + #""revision":"r1""#

    @Test func `a unary call gets a JSON error with the members of every denial`() throws {
        let answer = try AnswerFormTests.answer(.connect)
        #expect(answer.status == 426)
        #expect(Self.type(answer) == "application/json")
        let text = String(decoding: answer.body, as: UTF8.self)
        let beginning =
            #"{"code":"failed_precondition","type":"urn:versiongate:upgrade-required","#
            + Self.members + #","details":[{"type":"google.rpc.ErrorInfo","value":""#
        #expect(text.hasPrefix(beginning), "\(text)")
        #expect(text.contains(#"{"type":"google.rpc.LocalizedMessage","value":""#))
        #expect(text.contains(#"{"type":"google.rpc.Help","value":""#))
        #expect(text.hasSuffix(#""}]}"#))
        #expect(!text.contains("type.googleapis.com"))
        #expect(answer.fields.contains(HeaderField(name: "X-VersionGate", value: "require")))
        #expect(answer.fields.contains(HeaderField(name: "Content-Language", value: "en")))
    }

    @Test func `error details have the content of gRPC details in the format of Connect`() throws {
        let status = CallStatus(
            code: 9,
            message: "m",
            reason: "R",
            metadata: [("k", "v")],
            words: ("en", "w"),
            link: ("d", "u")
        )
        typealias Field = AnswerFormTests
        var info = Field.field(1, "R")
        info += Field.field(2, "versiongate")
        info += Field.field(3, Field.field(1, "k") + Field.field(2, "v"))
        let words = Field.field(1, "en") + Field.field(2, "w")
        let help = Field.field(1, Field.field(1, "d") + Field.field(2, "u"))
        let expected = [("ErrorInfo", info), ("LocalizedMessage", words), ("Help", help)]
            .map { #"{"type":"google.rpc.\#($0)","value":"\#(Base64.unpadded($1))"}"# }
            .joined(separator: ",")
        #expect(String(decoding: status.connectDetails, as: UTF8.self) == "[\(expected)]")
    }

    @Test(arguments: [
        (AnswerForm.connectStreamJSON, "application/connect+json"),
        (.connectStreamProto, "application/connect+proto"),
    ])
    func `a streaming call gets status 200 and an end-of-stream message`(
        form: AnswerForm,
        type: String
    ) throws {
        let answer = try AnswerFormTests.answer(form)
        #expect(answer.status == 200)
        #expect(Self.type(answer) == type)
        try #require(answer.body.count > 5)
        #expect(answer.body[0] == 2)
        let length = answer.body[1...4].reduce(0) { $0 << 8 | Int($1) }
        #expect(length == answer.body.count - 5)
        let text = String(decoding: answer.body.dropFirst(5), as: UTF8.self)
        #expect(
            text.hasPrefix(
                #"{"error":{"code":"failed_precondition","message":"100 % & \"1.2\"","details":[{"#
                    + #""type":"google.rpc.ErrorInfo","value":""#
            )
        )
        #expect(
            text.hasSuffix(
                #""}]},"type":"urn:versiongate:upgrade-required","# + Self.members + "}"
            )
        )
    }

    @Test func `maintenance is the error code unavailable with Retry-After`() throws {
        for (form, status) in [
            (AnswerForm.connect, 503), (.connectStreamJSON, 200), (.connectStreamProto, 200),
        ] {
            let answer = try AnswerFormTests.answer(form, maintained: true)
            #expect(answer.status == status)
            #expect(answer.fields.contains(HeaderField(name: "Retry-After", value: "90")))
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains(#""code":"unavailable""#))
            #expect(text.contains(#""status":503"#))
        }
    }

    /// Connect clients treat a 200 as success, and could not read a custom `body` as a Connect error.
    @Test(arguments: [(403, 403), (200, 426), (nil, 426), (500, 500)])
    func `a custom response only changes the status`(
        status: Int?,
        sent: Int
    ) throws {
        let style = AnswerStyle(status: status, body: .json(.boolean(true)), sendsUpgrade: true)
        let unary = try AnswerStyleTests.answer(style, form: .connect)
        #expect(unary.status == sent)
        #expect(unary.sendsUpgrade == (sent == 426))
        let text = String(decoding: unary.body, as: UTF8.self)
        #expect(text.contains(#""status":\#(sent),"#))
        let stream = try AnswerStyleTests.answer(style, form: .connectStreamProto)
        #expect(stream.status == 200)
        #expect(!stream.sendsUpgrade)
        #expect(stream.body.first == 2)
    }
}
