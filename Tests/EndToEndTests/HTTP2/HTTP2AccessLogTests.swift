import GateTestSupport
import Testing

/// The log lines of a connection's streams, one for each, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HTTP2AccessLogTests {
    private static let fields: [HTTP2Fields.Field] = [
        ("x-app-id", "com.example.shop"), ("x-app-platform", "ios"),
        ("user-agent", "Shop \"x\""), ("referer", "https://example.com/c?code=secret"),
    ]

    private static let formats: [(GateFlag, request: String, agent: String, status: String)] = [
        (
            .accessLogFormat("combined"), "\"GET /PATH HTTP/2.0\" STATUS ",
            " \"https://example.com/c\" \"Shop \\x22x\\x22\" app=\"com.example.shop\"", "STATUS"
        ),
        (
            .accessLogFormat("json"),
            "\"method\":\"GET\",\"path\":\"/PATH\",\"protocol\":\"HTTP/2.0\",",
            ",\"referer\":\"https://example.com/c\",\"user_agent\":\"Shop \\\"x\\\"\",",
            "\"status\":STATUS,"
        ),
    ]

    @Test(arguments: Self.formats)
    func `forwarded and denied streams are logged`(
        _ format: GateFlag,
        request: String,
        agent: String,
        status: String
    ) async throws {
        try await Scene.play(flags: [.accessLog, format]) { scene in
            let client = try scene.connectHTTP2()
            let cases = [(UInt32(1), "new", "9.9.9", 200), (3, "old", "3.4.9", 426)]
            for (stream, path, version, _) in cases {
                let fields = Self.fields + [("x-app-version", version)]
                try client.request(stream, "GET", "/\(path)?token=secret", fields)
            }
            for (stream, path, version, code) in cases {
                #expect(try client.response(stream).status == code)
                let line = try scene.gate.logLine("\(path)") { $0.text.contains("/\(path)") }.text
                let parts = [request, agent, status].map {
                    $0.replacing("PATH", with: path).replacing("STATUS", with: "\(code)")
                }
                for part in parts { #expect(line.contains(part), "\(line)") }
                #expect(line.contains(version))
                #expect(!line.contains("secret"))
            }
        }
    }
}
