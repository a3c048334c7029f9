import GateTestSupport

extension ConformanceCase {
    /// Protocol tricks must not bypass the gate's rules: builds before 3.5.0 are denied.
    static let enforcement: [ConformanceCase] =
        Self.connectionTricks + Self.fieldTricks + Self.targetTricks + Self.denialFraming

    private static let outdated =
        "X-App-Id: com.example.shop\r\nX-App-Platform: ios\r\nX-App-Version: 3.4.9\r\n"
    private static let current =
        "X-App-Id: com.example.shop\r\nX-App-Platform: ios\r\nX-App-Version: 3.5.0\r\n"

    private static func denied(
        _ name: String,
        _ section: String,
        _ bytes: String
    ) -> ConformanceCase {
        Self(
            .must,
            name,
            section,
            client: [.send(bytes), .answer],
            demands: [.status(426), .isProblem, .nothingReaches]
        )
    }

    private static let connectionTricks: [ConformanceCase] = [
        "X-App-Version", "close, x-app-version", "X-App-Platform, X-App-Id", "X-App-Id",
        "keep-alive, X-APP-VERSION ,", "User-Agent, X-App-Version",
    ].map { value in
        Self.denied(
            "Connection: \(value)",
            "RFC 9110 7.6.1",
            Self.request("GET", "/a", "Connection: \(value)\r\n" + Self.outdated)
        )
    }

    private static let fieldTricks: [ConformanceCase] = [
        Self.denied(
            "an outdated build",
            "RFC 9110 15.5.22",
            Self.request("GET", "/a", Self.outdated)
        ),
        Self.denied(
            "names in upper case",
            "RFC 9110 5.1",
            Self.request(
                "GET",
                "/a",
                "X-APP-ID: com.example.shop\r\nX-APP-PLATFORM: ios\r\nX-APP-VERSION: 3.4.9\r\n"
            )
        ),
        Self.denied(
            "no space before the values",
            "RFC 9110 5.5",
            Self.request(
                "GET",
                "/a",
                "X-App-Id:com.example.shop\r\nX-App-Platform:ios\r\nX-App-Version:3.4.9\r\n"
            )
        ),
        Self.denied(
            "tabs around the values",
            "RFC 9110 5.5",
            Self.request(
                "GET",
                "/a",
                "X-App-Id:\tcom.example.shop\t\r\nX-App-Platform:\tios \r\nX-App-Version: \t3.4.9\t\r\n"
            )
        ),
        Self.denied(
            "a HTTP/1.0 request",
            "RFC 9112 2.5",
            "GET /a HTTP/1.0\r\nHost: gate\r\n\(Self.outdated)\r\n"
        ),
        Self.denied(
            "an upgrade",
            "RFC 9110 7.8",
            Self.request(
                "GET",
                "/ws",
                Self.outdated + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
            )
        ),
        Self.denied(
            "a method override",
            "RFC 9110 9.1",
            Self.request("POST", "/a", Self.outdated + "X-HTTP-Method-Override: OPTIONS\r\n")
        ),
        Self(
            .must,
            "a decision header that the client made up",
            "RFC 9110 7.6.1",
            client: [
                .send(Self.request("GET", "/a", "X-VersionGate-Decision: allow; forged\r\n")),
                .answer,
            ],
            demands: [.status(200), .neverReaches("forged")]
        ),
        Self(
            .must,
            "an identity in trailers has no effect",
            "RFC 9110 6.5.1",
            client: [
                .send(
                    Self.request(
                        "POST",
                        "/a",
                        Self.outdated + "Transfer-Encoding: chunked\r\nTrailer: X-App-Version\r\n",
                        "0\r\nX-App-Version: 9.9.9\r\n\r\n"
                    )
                ),
                .answer,
            ],
            demands: [.status(426), .nothingReaches]
        ),
    ]

    private static let targetTricks: [ConformanceCase] =
        [
            Self.denied(
                "an absolute target",
                "RFC 9112 3.2.2",
                "GET http://gate/a HTTP/1.1\r\nHost: gate\r\n\(Self.outdated)\r\n"
            )
        ]
        + ["/healthz/../a", "/healthz%2f..%2fa", "//healthz/../a", "/healthz/%2e%2e/a"].map {
            target in
            Self.denied(
                "an exempt path that leads elsewhere: \(target)",
                "RFC 3986 5.2.4",
                Self.request("GET", target, Self.outdated)
            )
        }

    private static let denialFraming: [ConformanceCase] = [
        Self(
            .must,
            "the body of a denied request is not a request",
            "RFC 9112 9.3",
            client: [
                .send(
                    Self.request(
                        "POST",
                        "/a",
                        Self.outdated + "Content-Length: 38\r\n",
                        Self.request("GET", "/smuggled")
                    ) + ClientStep.follower
                ),
                .readToFollower,
            ],
            demands: [
                .status(426), .neverReaches("/smuggled"), .nothingReaches, .followerIsAnswered,
            ]
        ),
        Self(
            .must,
            "the chunked body of a denied request is not a request",
            "RFC 9112 9.3",
            client: [
                .send(
                    Self.request(
                        "POST",
                        "/a",
                        Self.outdated + "Transfer-Encoding: chunked\r\n",
                        "26\r\n" + Self.request("GET", "/smuggled") + "\r\n0\r\n\r\n"
                    ) + ClientStep.follower
                ),
                .readToFollower,
            ],
            demands: [.status(426), .neverReaches("/smuggled"), .nothingReaches]
        ),
        Self(
            .must,
            "a denied client that waits for 100 never gets it",
            "RFC 9110 10.1.1",
            client: [
                .send(
                    Self.request(
                        "POST",
                        "/a",
                        Self.outdated + "Expect: 100-continue\r\nContent-Length: 1000000\r\n"
                    )
                ),
                .answer,
            ],
            demands: [.interim(), .status(426), .nothingReaches]
        ),
        Self(
            .must,
            "a denial to HEAD has no body",
            "RFC 9110 9.3.2",
            client: [
                .send(Self.request("HEAD", "/a", Self.outdated)), .answerToHead, .follow,
            ],
            demands: [.status(426), .nothingReaches, .followerIsAnswered]
        ),
        Self(
            .must,
            "old and new builds in one pipeline",
            "RFC 9112 9.3.2",
            client: [
                .send(
                    Self.request("GET", "/1", Self.current)
                        + Self.request("GET", "/2", Self.outdated)
                        + Self.request("GET", "/3", Self.current) + ClientStep.follower
                ),
                .readToFollower,
            ],
            demands: [
                .statuses([200], [426], [200]), .echoes("/1"), .echoes("/3", at: 2), .requests(2),
                .followerIsAnswered,
            ]
        ),
        Self(
            .must,
            "a denied upgrade request opens no tunnel",
            "RFC 9110 7.8",
            client: [
                .send(
                    Self.request(
                        "GET",
                        "/ws",
                        Self.outdated + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                    ) + ClientStep.follower
                ),
                .readToFollower,
            ],
            demands: [.status(426), .nothingReaches]
        ),
    ]
}
