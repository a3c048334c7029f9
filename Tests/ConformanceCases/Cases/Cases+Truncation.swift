import GateTestSupport

extension ConformanceCase {
    /// A response that the backend truncates must not look complete to the client.
    static let truncation: [ConformanceCase] =
        Self.truncations.flatMap { name, bytes in
            [
                Self.truncated("\(name), closed", bytes, .close),
                Self.truncated("\(name), reset", bytes, .reset),
            ]
        } + [
            Self.truncated("no length, reset", "HTTP/1.1 200 OK\r\n\r\nthe beginning", .reset)
        ]

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static let truncations: [(String, String)] = [
        ("a counted body", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nthe beginning"),
        ("a counted body without a byte", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
        ("within a chunk", Self.chunked + "ff\r\nthe beginning"),
        ("within a chunk size", Self.chunked + "d\r\nthe beginning\r\n1"),
        ("between chunks", Self.chunked + "d\r\nthe beginning\r\n"),
        ("before the line end of a chunk", Self.chunked + "d\r\nthe beginning"),
        ("before the last line end", Self.chunked + "d\r\nthe beginning\r\n0\r\n"),
        ("within trailers", Self.chunked + "d\r\nthe beginning\r\n0\r\nX-Sum: 1\r\n"),
        ("at a bad chunk size", Self.chunked + "d\r\nthe beginning\r\nzz\r\n0\r\n\r\n"),
        (
            "at a chunk size that wraps",
            Self.chunked + "d\r\nthe beginning\r\n10000000000000005\r\n"
        ),
        ("at data beyond a chunk", Self.chunked + "d\r\nthe beginning of\r\n0\r\n\r\n"),
    ]

    private static func truncated(
        _ name: String,
        _ bytes: String,
        _ end: BackendStep
    ) -> ConformanceCase {
        Self(
            .must,
            name,
            "RFC 9112 8",
            // Without the pause, a reset could discard the data sent before it.
            client: [.send(Self.request() + ClientStep.follower), .readToFollower],
            backend: ["/a": [[.send(bytes), .pause(milliseconds: 20), end]]],
            demands: [.neverLooksComplete],
            ours: [
                .unless({ ($0.final.first?.response.status ?? 0) >= 500 }, .endsThere),
                .atMost(1, requestsTo: "/a"),
            ]
        )
    }
}
