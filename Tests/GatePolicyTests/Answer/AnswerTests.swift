import GatePolicy
import Testing

@Suite struct AnswerTests {
    @Test func `a web app of another origin can read the response`() {
        #expect(
            Answer.crossOriginFields(origin: "https://app.example") == [
                HeaderField(name: "Access-Control-Allow-Origin", value: "https://app.example"),
                HeaderField(name: "Access-Control-Allow-Credentials", value: "true"),
                HeaderField(
                    name: "Access-Control-Expose-Headers",
                    value: "X-VersionGate, Retry-After, Deprecation, Sunset, ETag, grpc-status, "
                        + "grpc-message, grpc-status-details-bin"
                ),
            ]
        )
        #expect(Answer.crossOriginFields(origin: "null").count == 3)
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "https://é.example", "a\u{7F}"])
    func `an invalid origin is not reflected`(origin: String) {
        #expect(Answer.crossOriginFields(origin: origin) == [])
    }
}
