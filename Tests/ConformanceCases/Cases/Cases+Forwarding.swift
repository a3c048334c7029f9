import GateTestSupport

extension ConformanceCase {
    /// Methods, targets in absolute form, upgrades.
    static let forwarding: [ConformanceCase] =
        Self.methodsPassed + Self.absoluteTargets + Self.upgrades

    private static func passed(_ method: String, _ target: String) -> ConformanceCase {
        Self(
            .must,
            "\(method) \(target)",
            "RFC 9110 7.6",
            client: [.send(Self.request(method, target)), .answer, .follow],
            demands: [
                .status(200), .methodIs(method), .targetIs(target), .followerIsAnswered,
            ]
        )
    }

    private static let methodsPassed: [ConformanceCase] = [
        Self.passed("DELETE", "/a"), Self.passed("PATCH", "/a?b=c"), Self.passed("PUT", "/"),
        Self.passed("OPTIONS", "/a"), Self.passed("PROPFIND", "/a/"), Self.passed("GET", "/a//b"),
        Self.passed("GET", "/a;b=c/d"), Self.passed("GET", "/a?"),
        Self.passed("GET", "/a%2fb?c=%20+"),
        Self.passed("GET", "/a?b=[1]|2"),
        Self(
            .must,
            "HEAD",
            "RFC 9110 9.3.2",
            client: [.send(Self.request("HEAD")), .answerToHead, .follow],
            backend: ["/a": [[.send("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n")]]],
            demands: [
                .status(200), .methodIs("HEAD"), .answerField("Content-Length", "12345"),
                .followerIsAnswered,
            ]
        ),
        Self(
            .must,
            "HEAD with a chunked response",
            "RFC 9112 6.1",
            client: [.send(Self.request("HEAD")), .answerToHead, .follow],
            backend: ["/a": [[.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")]]],
            demands: [.status(200), .methodIs("HEAD"), .followerIsAnswered]
        ),
        Self(
            .must,
            "a GET with a body",
            "RFC 9110 9.3.1",
            client: [
                .send(Self.request("GET", "/a", "Content-Length: 5\r\n", "hello")), .answer,
                .follow,
            ],
            demands: [.status(200), .arrives("hello"), .followerIsAnswered]
        ),
        Self(
            .must,
            "a DELETE with a chunked body",
            "RFC 9110 9.3.5",
            client: [
                .send(
                    Self.request(
                        "DELETE",
                        "/a",
                        "Transfer-Encoding: chunked\r\n",
                        "5\r\nhello\r\n0\r\n\r\n"
                    )
                ),
                .answer, .follow,
            ],
            demands: [.status(200), .arrives("hello"), .followerIsAnswered]
        ),
    ]

    private static func absolute(
        _ name: String,
        _ target: String,
        host: String = "gate",
        demands: [Demand]
    ) -> ConformanceCase {
        Self(
            .must,
            name,
            "RFC 9112 3.2.2",
            client: [.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n"), .answer],
            demands: [.refusedOr(.status(200), .all(demands))]
        )
    }

    private static let absoluteTargets: [ConformanceCase] = [
        Self.absolute(
            "a target in absolute form",
            "http://gate/a?b",
            demands: [.targetIs("/a?b", "http://gate/a?b")]
        ),
        Self.absolute(
            "the host of an absolute target beats Host",
            "http://gate/a",
            host: "evil",
            demands: [
                .targetIs("/a", "http://gate/a"),
                Demand("the other host reaches the backend") { observation in
                    observation.exchanges.first?.request.fields["Host"] != ["evil"]
                },
            ]
        ),
        Self.absolute(
            "an absolute target without a path",
            "http://gate",
            demands: [.targetIs("/", "http://gate", "http://gate/")]
        ),
        Self.absolute(
            "an absolute target with a query but no path",
            "http://gate?a=b",
            demands: [.targetIs("/?a=b", "http://gate?a=b", "http://gate/?a=b")]
        ),
        Self.absolute(
            "a scheme in upper case",
            "HTTP://gate/a",
            demands: [.targetIs("/a", "HTTP://gate/a", "http://gate/a")]
        ),
    ]

    private static let webSocket =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    private static let switching =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    private static let upgrades: [ConformanceCase] = [
        Self(
            .robustness,
            "an upgrade that the backend accepts",
            "RFC 9110 7.8",
            client: [
                .send(Self.request("GET", "/ws", Self.webSocket)), .answer, .send("ping!"),
                .bytes(5),
            ],
            backend: ["/ws": [[.send(Self.switching), .mirror]]],
            demands: [.status(101), .answerField("Upgrade", "websocket"), .hears("ping!")]
        ),
        Self(
            .must,
            "an upgrade that the backend refuses",
            "RFC 9110 7.8",
            client: [.send(Self.request("GET", "/ws", Self.webSocket)), .answer, .follow],
            backend: ["/ws": [[.answer("403 No", body: "no")]]],
            demands: [.status(403), .answers("no"), .followerIsAnswered]
        ),
        Self(
            .must,
            "what follows a refused upgrade is a request",
            "RFC 9110 7.8",
            client: [
                .send(Self.request("GET", "/ws", Self.webSocket) + ClientStep.follower),
                .readToFollower,
            ],
            backend: ["/ws": [[.answer("403 No", body: "no")]]],
            demands: [
                Demand.first([403]),
                Demand("what follows reaches the backend as something else") { observation in
                    observation.record.connections.allSatisfy { connection in
                        if case .failed = connection.end { false } else { true }
                    }
                },
            ]
        ),
        Self(
            .must,
            "an upgrade on HTTP/1.0",
            "RFC 9110 7.8",
            client: [.send("GET /ws HTTP/1.0\r\nHost: gate\r\n\(Self.webSocket)\r\n"), .answer],
            demands: [.refusedOr(.status(200)), .backendLacks("Upgrade")]
        ),
    ]
}
