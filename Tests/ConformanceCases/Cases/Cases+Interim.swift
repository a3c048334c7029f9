import GateTestSupport

extension ConformanceCase {
    /// Interim responses, responses before the end of the request, and `Expect`.
    static let interim: [ConformanceCase] = Self.hints + Self.expectations + Self.earlyAnswers

    private static let earlyHint = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    private static func hinted(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ bytes: String,
        demands: [Demand]
    ) -> ConformanceCase {
        Self(
            strength,
            name,
            section,
            client: [.send(Self.request()), .answer, .follow],
            backend: ["/a": [[.send(bytes)]]],
            demands: demands
        )
    }

    private static let hints: [ConformanceCase] = [
        Self.hinted(
            .must,
            "interim responses are forwarded",
            "RFC 9110 15.2",
            Self.earlyHint + Self.earlyHint + Self.hello,
            demands: [.interim(103, 103), .status(200), .answers("hello"), .followerIsAnswered]
        ),
        Self.hinted(
            .must,
            "an unknown interim response",
            "RFC 9110 15.2",
            "HTTP/1.1 199 Odd\r\n\r\n" + Self.hello,
            demands: [.status(200), .answers("hello"), .followerIsAnswered]
        ),
        Self.hinted(
            .must,
            "an unsolicited 100",
            "RFC 9110 15.2",
            "HTTP/1.1 100 Continue\r\n\r\n" + Self.hello,
            demands: [.status(200), .answers("hello"), .followerIsAnswered]
        ),
        Self.hinted(
            .must,
            "an interim response with a length",
            "RFC 9110 15.2",
            "HTTP/1.1 103 Hints\r\nContent-Length: 5\r\n\r\n" + Self.hello,
            demands: [.refusedOr(.status(200), .answers("hello"), .followerIsAnswered)]
        ),
        Self(
            .must,
            "no interim response to HTTP/1.0",
            "RFC 9110 15.2",
            client: [.send("GET /a HTTP/1.0\r\nHost: gate\r\n\r\n"), .answer],
            backend: ["/a": [[.send(Self.earlyHint + Self.hello)]]],
            demands: [.interim(), .status(200), .answers("hello")]
        ),
        .answered(
            .must,
            "an interim response alone",
            "RFC 9110 15.2",
            "HTTP/1.1 103 Hints\r\n\r\n",
            demands: [.first(Array(500...504))],
            ours: [.status(502, 504)]
        ),
        .answered(
            .robustness,
            "interim responses without end",
            "RFC 9110 15.2",
            String(repeating: "HTTP/1.1 103 Hints\r\n\r\n", count: 20_000),
            then: [.stall],
            demands: [
                Demand("they continue without end") { observation in
                    observation.pending.count + (observation.final.first?.interim.count ?? 0) < 5000
                }
            ]
        ),
    ]

    private static func expecting(
        _ name: String,
        _ section: String = "RFC 9110 10.1.1",
        _ strength: Strength = .must,
        client: [ClientStep],
        backend: [BackendStep],
        demands: [Demand]
    ) -> ConformanceCase {
        let head = Self.request("POST", "/a", "Expect: 100-continue\r\nContent-Length: 5\r\n")
        return Self(
            strength,
            name,
            section,
            client: [.send(head)] + client,
            backend: ["/a": [backend]],
            demands: demands
        )
    }

    private static let expectations: [ConformanceCase] = [
        Self.expecting(
            "a client that waits for 100",
            client: [.interim, .send("hello"), .answer, .follow],
            backend: [.continueIfExpected, .echo],
            demands: [
                Demand("no 100 comes") { $0.final.first?.interim.first?.status == 100 },
                .status(200), .arrives("hello"), .followerIsAnswered,
            ]
        ),
        Self.expecting(
            "a client that does not wait for 100",
            client: [.send("hello"), .answer, .follow],
            backend: [.echo],
            demands: [.status(200), .arrives("hello"), .followerIsAnswered]
        ),
        Self.expecting(
            "a backend that refuses instead of sending 100",
            "RFC 9110 10.1.1",
            .robustness,
            client: [.answer],
            backend: [.answer("417 No"), .close],
            demands: [.status(417)]
        ),
        Self(
            .must,
            "no 100 to HTTP/1.0",
            "RFC 9110 10.1.1",
            client: [
                .send(
                    "POST /a HTTP/1.0\r\nHost: gate\r\nExpect: 100-continue\r\n"
                        + "Content-Length: 5\r\n\r\nhello"
                ),
                .answer,
            ],
            demands: [.interim(), .status(200), .arrives("hello")]
        ),
        Self(
            .robustness,
            "an unknown expectation",
            "RFC 9110 10.1.1",
            client: [
                .send(
                    Self.request("POST", "/a", "Expect: magic\r\nContent-Length: 5\r\n", "hello")
                ),
                .answer,
            ],
            demands: [.first([200, 417])]
        ),
        Self(
            .must,
            "an expectation without a body",
            "RFC 9110 10.1.1",
            client: [
                .send(Self.request("GET", "/a", "Expect: 100-continue\r\n")), .answer, .follow,
            ],
            demands: [.status(200), .followerIsAnswered]
        ),
    ]

    private static let earlyAnswers: [ConformanceCase] = [
        Self(
            .robustness,
            "a response before the body has arrived",
            "RFC 9112 9.3",
            client: [
                .send(Self.request("POST", "/a", "Content-Length: 1000000\r\n", "the beginning")),
                .answer, .send(Self.request("GET", "/smuggled")), .pause(milliseconds: 50),
            ],
            backend: ["/a": [[.answer("413 Too Large"), .stall]]],
            demands: [.status(413)],
            ours: [.neverReaches("GET /smuggled")]
        ),
        Self(
            .robustness,
            "a response before the chunked body has arrived",
            "RFC 9112 9.3",
            client: [
                .send(
                    Self.request(
                        "POST",
                        "/a",
                        "Transfer-Encoding: chunked\r\n",
                        "d\r\nthe beginning\r\n"
                    )
                ),
                .answer,
            ],
            backend: ["/a": [[.answer("413 Too Large"), .stall]]],
            demands: [.status(413)]
        ),
        Self(
            .must,
            "an early response and a close while the body is incomplete",
            "RFC 9112 9.6",
            client: [
                .send(Self.request("POST", "/a", "Content-Length: 300000\r\n").latin1),
                .send(String(repeating: "x", count: 300_000).latin1), .answer,
            ],
            backend: [
                "/a": [
                    [
                        .answer("403 No", fields: "Connection: close\r\n"),
                        .pause(milliseconds: 50), .close,
                    ]
                ]
            ],
            demands: [.first([403, 502])]
        ),
        Self(
            .must,
            "an early response is not used for the next request",
            "RFC 9112 9.3.2",
            client: [
                .send(
                    Self.request("POST", "/a", "Content-Length: 5\r\n", "hello")
                        + ClientStep.follower
                ),
                .readToFollower,
            ],
            backend: ["/a": [[.answer("200 OK", body: "early")]]],
            demands: [.status(200), .answers("early")]
        ),
    ]
}
