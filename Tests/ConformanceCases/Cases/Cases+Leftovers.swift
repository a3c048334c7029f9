import GateTestSupport

extension ConformanceCase {
    /// Bytes after a response must never become the response to another client's request.
    static let leftovers: [ConformanceCase] = [
        Self.leftover("an additional response, at once", Self.counted + Self.poison, []),
        Self.leftover(
            "an additional response, a moment later",
            Self.counted,
            [.pause(milliseconds: 60), .send(Self.poison)]
        ),
        Self.leftover("bytes beyond a length", Self.counted + "poison", []),
        Self.leftover("bytes beyond the last chunk", Self.chunkedAnswer + Self.poison, []),
        Self.leftover("one line end too many", Self.counted + "\r\n", []),
        Self.leftover(
            "half an additional response",
            Self.counted + "HTTP/1.1 200 OK\r\nX-P: poison",
            []
        ),
        Self.leftover(
            "an additional interim response",
            Self.counted + "HTTP/1.1 103 poison\r\n\r\n",
            []
        ),
        Self.leftover(
            "bytes after an empty response",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + Self.poison,
            []
        ),
        Self.leftover(
            "bytes after a response with Connection: close",
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok" + Self.poison,
            []
        ),
    ]

    private static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison"
    private static let counted = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let chunkedAnswer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"

    /// After the backend has responded to `/a`, this client and another one send more requests.
    private static func leftover(
        _ name: String,
        _ bytes: String,
        _ more: [BackendStep]
    ) -> ConformanceCase {
        Self(
            .must,
            name,
            "RFC 9112 9.2",
            client: [
                .send(Self.request()), .answer, .pause(milliseconds: 120),
                .send(Self.request("GET", "/b")), .answer, .reconnect,
                .send(Self.request("GET", "/c")), .answer, .follow,
            ],
            backend: ["/a": [[.send(bytes)] + more]],
            demands: [
                .clientNeverHears("poison"), .followerIsAnswered,
                Demand("a response for another request") { observation in
                    observation.final.dropFirst().allSatisfy { answer in
                        answer.response.status >= 500
                            || ["/b", "/c"].contains(answer.echo?.target)
                    }
                },
            ],
            ours: [.echoes("/b", at: 1), .echoes("/c", at: 2)]
        )
    }
}
