import GatePolicy
import Testing

@Suite struct AnswerTests {
    @Test func `a web app of another origin can read the answer`() {
        #expect(
            Answer.crossOriginFields(origin: "https://app.example") == [
                HeaderField(name: "Access-Control-Allow-Origin", value: "https://app.example"),
                HeaderField(name: "Access-Control-Expose-Headers", value: "X-VersionGate"),
            ]
        )
        #expect(Answer.crossOriginFields(origin: "null").count == 2)
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "https://é.example", "a\u{7F}"])
    func `what is no origin is not repeated`(origin: String) {
        #expect(Answer.crossOriginFields(origin: origin) == [])
    }
}
