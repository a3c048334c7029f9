import FoundationEssentials
import Testing

@testable import GatePolicy

@Suite struct AnswerFormTests {
    static func answer(
        _ form: AnswerForm,
        languages: String = "",
        storeURL: String = "https://apps.example/?a=1&b=\"2\"",
        maintained: Bool = false
    ) throws -> Answer {
        let notice = NoticeDefinition(texts: [
            .english: NoticeText(
                title: try NoticeTemplate(parsing: "Update <now>"),
                message: try NoticeTemplate(parsing: "100 % & \"{currentVersion}\""),
                button: try NoticeTemplate(parsing: "Get it")
            ),
            try #require(LanguageTag("ar")): NoticeText(
                title: try NoticeTemplate(parsing: "تحديث"),
                message: try NoticeTemplate(parsing: "مطلوب")
            ),
        ])
        let window = MaintenanceWindow(from: second(-10), until: second(90))
        let rules = ruleSet(
            [
                try rule(
                    "r",
                    blocked: maintained ? [] : [">=0"],
                    notice: "n",
                    storeURL: StoreURL(storeURL),
                    maintenance: maintained ? window : nil
                )
            ],
            notices: ["n": notice]
        )
        let identity = try client(version: "1.2", languages: languages)
        let decision = rules.decide(identity, at: second(0))
        return try #require(rules.answer(to: decision, for: identity, as: form, at: second(0)))
    }

    static func lines(_ answer: Answer) -> [String] {
        answer.fields.map { "\($0.name): \($0.value)" }
    }

    @Test func `a browser gets an HTML page with all texts escaped`() throws {
        let answer = try Self.answer(.page)
        let page = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 426)
        #expect(
            Self.lines(answer).prefix(2) == [
                "Content-Type: text/html; charset=utf-8",
                "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
            ]
        )
        #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">\n"))
        #expect(page.contains("<h1>Update &lt;now&gt;</h1>\n<p>100 % &amp; &quot;1.2&quot;</p>"))
        #expect(
            page.contains(
                "<a href=\"https://apps.example/?a=1&amp;b=&quot;2&quot;\">Get it</a>"
            )
        )
    }

    @Test func `a page has the text direction of its language`() throws {
        let page = String(decoding: try Self.answer(.page, languages: "ar-EG").body, as: UTF8.self)
        #expect(page.contains("<html lang=\"ar\" dir=\"rtl\">"))
        // Without a button text, the page shows the URL.
        #expect(page.contains("b=&quot;2&quot;\">https://apps.example/?a=1&amp;b="))
    }

    @Test(arguments: [
        ("ku", true), ("ku-Latn", false), ("az", false), ("az-Arab-IR", true), ("ur-Latn", false),
        ("iw", true), ("dv-Thaa", true), ("uz-Cyrl", false), ("en", false),
    ])
    func `a page is right-to-left if the script of its language is`(
        language: String,
        isRightToLeft: Bool
    ) throws {
        let text = NoticeText(title: try .init(parsing: "t"), message: try .init(parsing: "m"))
        let tag = try #require(LanguageTag(language))
        let words = FilledNotice(text, or: nil, in: tag, with: [:])
        let page = NoticePage(words: words, storeURL: nil)
        let direction = isRightToLeft ? " dir=\"rtl\"" : ""
        let html = String(decoding: page.bytes, as: UTF8.self)
        #expect(html.contains("<html lang=\"\(language)\"\(direction)>"))
    }

    @Test func `a body from the rules file replaces the page for browsers`() throws {
        var denying = try rule("r", blocked: [">=0"])
        denying.answer = AnswerStyle(body: .json(.boolean(true)))
        let rules = ruleSet([denying])
        let identity = try client(version: "1")
        let decision = rules.decide(identity, in: rules.scope())
        let answer = rules.answer(to: decision, for: identity, as: .page, at: second(0))
        #expect(answer?.body == Array("true".utf8))
    }

    @Test func `a gRPC call gets a trailers-only response without a message`() throws {
        let answer = try Self.answer(.grpc)
        #expect(answer.status == 200)
        #expect(answer.body == [])
        let lines = Self.lines(answer)
        #expect(
            lines.prefix(3) == [
                "Content-Type: application/grpc",
                "grpc-status: 9",
                "grpc-message: 100 %25 & \"1.2\"",
            ]
        )
        #expect(lines.contains("X-VersionGate: require"))
    }

    @Test(arguments: [
        (AnswerForm.grpcWeb, "application/grpc-web"),
        (AnswerForm.grpcWebText, "application/grpc-web-text"),
    ])
    func `a gRPC-Web call gets the trailers as its content`(form: AnswerForm, type: String) throws {
        let answer = try Self.answer(form)
        #expect(answer.status == 200)
        let lines = Self.lines(answer)
        #expect(lines.first == "Content-Type: \(type)")
        #expect(lines.contains("X-VersionGate: require"))
        #expect(!lines.contains { $0.hasPrefix("grpc-") })
        let frame =
            form == .grpcWeb
            ? answer.body : Array(try #require(Data(base64Encoded: Data(answer.body))))
        let length = frame[1...4].reduce(0) { $0 << 8 | Int($1) }
        #expect(frame[0] == 0x80 && length == frame.count - 5)
        let trailers = String(decoding: frame[5...], as: UTF8.self).split(separator: "\r\n")
        let call = Self.lines(try Self.answer(.grpc)).filter { $0.hasPrefix("grpc-") }
        #expect(
            call.map { $0.replacing(": ", with: ":", maxReplacements: 1) }
                == trailers.map(String.init)
        )
    }

    @Test func `a gRPC call during maintenance gets status 14 and Retry-After`() throws {
        let answer = try Self.answer(.grpc, maintained: true)
        #expect(Self.lines(answer).contains("grpc-status: 14"))
        #expect(Self.lines(answer).contains("Retry-After: 90"))
    }

    @Test func `grpc-message is percent-encoded to printable ASCII`() throws {
        let lines = Self.lines(try Self.answer(.grpc, languages: "ar"))
        #expect(lines.contains("grpc-message: %D9%85%D8%B7%D9%84%D9%88%D8%A8"))
    }

    /// A length-delimited protobuf field, encoded by hand.
    static func field(_ number: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(payload.count)] + payload
    }

    static func field(_ number: UInt8, _ text: String) -> [UInt8] {
        self.field(number, Array(text.utf8))
    }

    @Test func `the details of a gRPC status contain an ErrorInfo`() {
        let status = CallStatus(
            code: 9,
            message: "m",
            reason: "R",
            metadata: [("k", "v")],
            words: nil,
            link: nil
        )
        var info = Self.field(1, "R")
        info += Self.field(2, "versiongate")
        info += Self.field(3, Self.field(1, "k") + Self.field(2, "v"))
        let any =
            Self.field(1, "type.googleapis.com/google.rpc.ErrorInfo") + Self.field(2, info)
        let bytes = [0x08, 9] + Self.field(2, "m") + Self.field(3, any)
        #expect(
            status.fields.last
                == HeaderField(name: "grpc-status-details-bin", value: Base64.unpadded(bytes))
        )
    }

    @Test func `an integer of any size is encoded as a varint`() {
        var message = ProtobufMessage()
        message.add(1, 0)
        message.add(2, 300)
        message.add(16, 1)
        #expect(message.bytes == [0x08, 0, 0x10, 0xAC, 0x02, 0x80, 0x01, 1])
    }

    /// The test vectors of RFC 4648, section 10, without padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
        ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"), ("\u{FB}\u{FF}", "w7vDvw"),
    ])
    func `Base64 is encoded without padding`(text: String, encoded: String) {
        #expect(Base64.unpadded(Array(text.utf8)) == encoded)
    }
}
