import GateTestSupport

extension ConformanceCase {
    /// Connections that stay open, connections that close, and pipelined requests.
    static let persistence: [ConformanceCase] = Self.pipelines + Self.versions + Self.pieces

    private static func pipeline(_ targets: [String]) -> String {
        targets.map { Self.request("GET", $0) }.joined()
    }

    private static let pipelines: [ConformanceCase] = [
        Self(
            .must,
            "three requests at once get their responses in order",
            "RFC 9112 9.3.2",
            client: [
                .send(Self.pipeline(["/1", "/2", "/3"]) + ClientStep.follower), .readToFollower,
            ],
            backend: ["/1": [[.pause(milliseconds: 50), .echo]]],
            demands: [
                .status(200, count: 3), .echoes("/1"), .echoes("/2", at: 1), .echoes("/3", at: 2),
                .followerIsAnswered,
            ]
        ),
        Self(
            .must,
            "requests with bodies at once",
            "RFC 9112 9.3.2",
            client: [
                .send(
                    Self.request("POST", "/1", "Content-Length: 5\r\n", "hello")
                        + Self.request(
                            "POST",
                            "/2",
                            "Transfer-Encoding: chunked\r\n",
                            "3\r\nabc\r\n0\r\n\r\n"
                        ) + ClientStep.follower
                ),
                .readToFollower,
            ],
            demands: [
                .status(200, count: 2), .echoes("/1"), .echoes("/2", at: 1), .followerIsAnswered,
            ]
        ),
        Self(
            .must,
            "nothing after close is read",
            "RFC 9112 9.6",
            client: [
                .send(Self.request("GET", "/1", "Connection: close\r\n") + ClientStep.follower),
                .readToEnd,
            ],
            demands: [.status(200), .endsThere, .saysClose]
        ),
        Self(
            .must,
            "a close in a list and in upper case",
            "RFC 9110 7.6.1",
            client: [
                .send(
                    Self.request("GET", "/1", "Connection: foo, CLOSE\r\n") + ClientStep.follower
                ),
                .readToEnd,
            ],
            demands: [.status(200), .endsThere]
        ),
        Self(
            .robustness,
            "thirty requests at once",
            "RFC 9112 9.3.2",
            client: [
                .send(Self.pipeline((1...30).map { "/\($0)" }) + ClientStep.follower),
                .readToFollower,
            ],
            demands: [
                Demand("not in order") { observation in
                    observation.final.map(\.echo?.target) == (1...30).map { "/\($0)" }
                },
                .followerIsAnswered,
            ]
        ),
        Self(
            .must,
            "a failed response in a pipeline does not shift the others",
            "RFC 9112 9.3.2",
            client: [.send(Self.pipeline(["/1", "/2"]) + ClientStep.follower), .readToFollower],
            backend: ["/1": [[.close]]],
            demands: [
                .first([502, 503, 504]),
                Demand("a response for another request") { observation in
                    observation.final.count < 2 || observation.final[1].echo?.target == "/2"
                },
            ]
        ),
    ]

    private static let versions: [ConformanceCase] = [
        Self(
            .must,
            "HTTP/1.0 closes after its response",
            "RFC 9112 9.3",
            client: [.send("GET /1 HTTP/1.0\r\nHost: gate\r\n\r\n"), .readToEnd],
            demands: [.status(200), .closes]
        ),
        Self(
            .must,
            "HTTP/1.0 without Host",
            "RFC 9112 3.2",
            client: [.send("GET /1 HTTP/1.0\r\n\r\n"), .readToEnd],
            demands: [.status(200), .closes]
        ),
        Self(
            .should,
            "HTTP/1.0 that asks for more",
            "RFC 9112 9.3",
            client: [
                .send("GET /1 HTTP/1.0\r\nHost: gate\r\nConnection: keep-alive\r\n\r\n"), .answer,
                .follow,
            ],
            demands: [.status(200), .followerIsAnswered]
        ),
        Self(
            .must,
            "a chunked response to HTTP/1.0",
            "RFC 9112 6.1",
            client: [.send("GET /1 HTTP/1.0\r\nHost: gate\r\n\r\n"), .readToEnd],
            backend: ["/1": [[.send(Self.chunkedHello)]]],
            demands: [.status(200), .answers("hello"), .answerLacks("Transfer-Encoding")]
        ),
        Self(
            .must,
            "an HTTP/1.1 response to HTTP/1.0 ends by close or length",
            "RFC 9112 6.3",
            client: [.send("GET /1 HTTP/1.0\r\nHost: gate\r\n\r\n"), .readToEnd],
            backend: ["/1": [[.send("HTTP/1.1 200 OK\r\n\r\nhello"), .close]]],
            demands: [.status(200), .answers("hello"), .answerLacks("Transfer-Encoding")]
        ),
        Self(
            .must,
            "a proxy speaks its own version",
            "RFC 9112 2.3",
            client: [.send(Self.request("GET", "/1")), .answer],
            backend: [
                "/1": [[.send("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"), .close]]
            ],
            demands: [
                .status(200),
                Demand("responds with HTTP/1.0") { $0.final.first?.response.version == "HTTP/1.1" },
            ]
        ),
        Self(
            .must,
            "HTTP/1.0 is not passed on as such with HTTP/1.1 framing",
            "RFC 9112 6.1",
            client: [
                .send("POST /1 HTTP/1.0\r\nHost: gate\r\nContent-Length: 5\r\n\r\nhello"),
                .readToEnd,
            ],
            demands: [
                .status(200), .arrives("hello"),
                Demand("chunked by HTTP/1.0") { observation in
                    observation.exchanges.allSatisfy { exchange in
                        exchange.request.version == "HTTP/1.1"
                            || exchange.request.fields["Transfer-Encoding"].isEmpty
                    }
                },
            ]
        ),
    ]

    private static let chunkedHello =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"

    private static let whole =
        "POST /1 HTTP/1.1\r\nHost: gate\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "5;a=b\r\nhello\r\n0\r\n\r\n"
    private static let broken =
        "POST /refused HTTP/1.1\r\nHost: gate\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n"

    private static let pieces: [ConformanceCase] =
        [1, 3, 7].flatMap { size in
            [
                Self(
                    .must,
                    "a request in pieces of \(size)",
                    "RFC 9112 2.1",
                    client: [
                        .sendInPieces((Self.whole + ClientStep.follower).latin1, of: size),
                        .readToFollower,
                    ],
                    demands: [.status(200), .arrives("hello"), .followerIsAnswered]
                ),
                Self(
                    .must,
                    "a malformed request in pieces of \(size)",
                    "RFC 9112 5.1",
                    client: [
                        .sendInPieces((Self.broken + ClientStep.follower).latin1, of: size),
                        .readToFollower,
                    ],
                    demands: [.status(400), .nothingReaches, .endsThere]
                ),
            ]
        } + [
            Self(
                .must,
                "a response in chunks of one byte",
                "RFC 9112 2.1",
                client: [.send(Self.request("GET", "/1")), .answer, .follow],
                backend: [
                    "/1": [
                        Self.chunkedHello.latin1.flatMap { [.send([$0]), .pause(milliseconds: 1)] }
                    ]
                ],
                demands: [.status(200), .answers("hello"), .followerIsAnswered]
            )
        ]
}

extension Demand {
    /// Demands this number of responses, all with the same status.
    static func status(_ status: Int, count: Int) -> Demand {
        Demand { observation in
            let statuses = observation.final.map(\.response.status)
            return statuses == Array(repeating: status, count: count)
                ? nil : "responds with \(statuses)"
        }
    }
}
