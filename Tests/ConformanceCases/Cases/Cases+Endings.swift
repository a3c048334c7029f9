import GateTestSupport

extension ConformanceCase {
    /// Clients and backends that end a connection at an inconvenient time.
    static let endings: [ConformanceCase] =
        Self.halfCloses + Self.brokenRequests + Self.staleConnections

    private static let halfCloses: [ConformanceCase] = [
        Self(
            .robustness,
            "a client that half-closes after its request",
            "RFC 9112 9.6",
            client: [
                .send(Self.request("POST", "/a", "Content-Length: 5\r\n", "hello")),
                .finishSending, .readToEnd,
            ],
            backend: ["/a": [[.pause(milliseconds: 100), .echo]]],
            demands: [.status(200), .arrives("hello")]
        ),
        Self(
            .robustness,
            "a client that half-closes after three requests",
            "RFC 9112 9.6",
            client: [
                .send(["/1", "/2", "/3"].map { Self.request("GET", $0) }.joined()),
                .finishSending, .readToEnd,
            ],
            demands: [.status(200, count: 3), .echoes("/3", at: 2), .closes]
        ),
        Self(
            .robustness,
            "a client that sends nothing",
            "RFC 9112 9.5",
            client: [.finishSending, .readToEnd],
            demands: [
                .closes, .nothingReaches,
                Demand("responds without a request") { observation in
                    observation.answers.allSatisfy { [400, 408].contains($0.response.status) }
                },
            ]
        ),
    ]

    /// A truncated request must not look complete to the backend.
    private static func brokenOff(
        _ name: String,
        _ bytes: String,
        _ end: ClientStep
    ) -> ConformanceCase {
        let last: [ClientStep] =
            if case .finishSending = end { [.finishSending, .readToEnd] } else { [end] }
        return Self(
            .must,
            name,
            "RFC 9112 8",
            client: [.send(bytes), .pause(milliseconds: 30)] + last + [.pause(milliseconds: 30)],
            demands: [
                Demand("a truncated request looks complete") { observation in
                    observation.exchanges.allSatisfy { !$0.isComplete }
                },
                Demand("a broken request succeeds") { observation in
                    observation.final.allSatisfy { $0.response.status >= 400 }
                },
            ]
        )
    }

    private static let brokenBodies: [(String, String)] = [
        ("half a counted body", "Content-Length: 100\r\n\r\nhalf"),
        ("a chunk without its end", "Transfer-Encoding: chunked\r\n\r\nff\r\nhalf"),
        (
            "a chunked body without its last chunk",
            "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
        ),
        ("a last chunk without its end", "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n"),
        ("half a head", "X-A: 1\r\nX-B"),
    ]

    private static let brokenRequests: [ConformanceCase] = Self.brokenBodies.flatMap {
        name,
        text in
        let bytes = "POST /a HTTP/1.1\r\nHost: gate\r\n\(text)"
        return [
            Self.brokenOff("\(name), half-closed", bytes, .finishSending),
            Self.brokenOff("\(name), reset", bytes, .reset),
        ]
    }

    private static let staleConnections: [ConformanceCase] = [
        Self(
            .should,
            "a GET on a connection that the backend has closed",
            "RFC 9112 9.3.1",
            client: [
                .send(Self.request("GET", "/1")), .answer, .awaitBackendEnd,
                .pause(milliseconds: 20), .send(Self.request("GET", "/2")), .answer,
            ],
            backend: ["/1": [[.answer(body: "one"), .close]]],
            demands: [.statuses([200], [200]), .echoes("/2", at: 1)]
        ),
        Self(
            .must,
            "a POST that the backend has read is not sent again",
            "RFC 9110 9.2.2",
            client: [
                .send(Self.request("GET", "/1")), .answer,
                .send(Self.request("POST", "/2", "Content-Length: 4\r\n", "once")), .answer,
            ],
            backend: ["/2": [[.readBody, .close]]],
            demands: [.atMost(1, requestsTo: "/2")],
            ours: [.statuses([200], [502])]
        ),
        Self(
            .robustness,
            "a GET is not retried without end",
            "RFC 9112 9.3.1",
            client: [
                .send(Self.request("GET", "/1")), .answer, .send(Self.request("GET", "/2")),
                .answer,
            ],
            backend: ["/2": [[.close]]],
            demands: [.atMost(3, requestsTo: "/2")],
            ours: [.atMost(2, requestsTo: "/2"), .statuses([200], [502])]
        ),
        Self(
            .robustness,
            "a client that disconnects ends its exchange",
            "RFC 9112 9.5",
            client: [
                .send(Self.request()), .awaitRequests(1), .reset, .awaitBackendEnd,
            ],
            backend: ["/a": [[.stall]]],
            demands: [Demand("the exchange continues for seconds") { $0.trouble == nil }]
        ),
    ]
}
