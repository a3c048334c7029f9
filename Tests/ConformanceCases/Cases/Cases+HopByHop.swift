import GateTestSupport

extension ConformanceCase {
    /// Fields that apply to a single connection.
    static let hopByHop: [ConformanceCase] =
        Self.requestHops + Self.answerHops + Self.ownFields

    private static func request(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        _ fields: String,
        lacks: [String] = [],
        demands: [Demand] = []
    ) -> ConformanceCase {
        Self(
            strength,
            name,
            section,
            client: [.send(Self.request("GET", "/a", fields)), .answer],
            demands: [.status(200), .all(lacks.map { .backendLacks($0) }), .all(demands)]
        )
    }

    private static let requestHops: [ConformanceCase] = [
        Self.request(
            .must,
            "a field that Connection names",
            "RFC 9110 7.6.1",
            "Connection: X-Secret\r\nX-Secret: 1\r\nX-Open: 1\r\n",
            lacks: ["X-Secret"],
            demands: [.backendSees("X-Open", "1")]
        ),
        Self.request(
            .must,
            "several fields that Connection names",
            "RFC 9110 7.6.1",
            "Connection: keep-alive, X-One ,\tx-TWO\r\nX-One: 1\r\nX-Two: 2\r\n",
            lacks: ["X-One", "X-Two"]
        ),
        Self.request(
            .must,
            "fields that two Connection lines name",
            "RFC 9110 7.6.1",
            "Connection: X-One\r\nX-One: 1\r\nX-Two: 2\r\nConnection: X-Two\r\n",
            lacks: ["X-One", "X-Two"]
        ),
        Self.request(
            .must,
            "a field before and after the Connection line that names it",
            "RFC 9110 7.6.1",
            "X-One: 1\r\nConnection: x-one\r\nX-One: 2\r\n",
            lacks: ["X-One"]
        ),
        Self.request(
            .must,
            "empty members of Connection",
            "RFC 9110 5.6.1",
            "Connection: ,, X-One,,\r\nX-One: 1\r\n",
            lacks: ["X-One"]
        ),
        Self.request(
            .should,
            "Keep-Alive",
            "RFC 9110 7.6.1",
            "Keep-Alive: timeout=9\r\n",
            lacks: ["Keep-Alive"]
        ),
        Self.request(
            .should,
            "Proxy-Connection",
            "RFC 9110 7.6.1",
            "Proxy-Connection: keep-alive\r\n",
            lacks: ["Proxy-Connection"]
        ),
        Self.request(
            .must,
            "TE without a name in Connection",
            "RFC 9110 10.1.4",
            "TE: gzip\r\n",
            demands: [Self.teIsTrailers]
        ),
        Self.request(
            .must,
            "TE",
            "RFC 9110 7.6.1",
            "Connection: TE\r\nTE: gzip;q=0.5\r\n",
            demands: [Self.teIsTrailers]
        ),
        Self.request(
            .should,
            "Upgrade without a name in Connection",
            "RFC 9110 7.8",
            "Upgrade: websocket\r\n",
            lacks: ["Upgrade"]
        ),
        Self.request(
            .robustness,
            "a Connection field without a token",
            "RFC 9110 7.6.1",
            "Connection: @@@\r\nX-Open: 1\r\n",
            demands: [.backendSees("X-Open", "1")]
        ),
    ]

    private static let teIsTrailers = Demand("a TE value other than trailers reaches the backend") {
        $0.exchanges.first?.request.fields["TE"].allSatisfy { $0 == "trailers" } ?? true
    }

    private static func answer(
        _ strength: Strength,
        _ name: String,
        _ fields: String,
        _ lacks: String...,
        keeps: [Demand] = []
    ) -> ConformanceCase {
        Self.answered(
            strength,
            name,
            "RFC 9110 7.6.1",
            "HTTP/1.1 200 OK\r\n\(fields)Content-Length: 5\r\n\r\nhello",
            then: [],
            demands: [.status(200), .answers("hello")] + lacks.map { .answerLacks($0) } + keeps
        )
    }

    private static let answerHops: [ConformanceCase] = [
        Self.answer(
            .must,
            "a field that the response's Connection names",
            "Connection: X-Hop\r\nX-Hop: 1\r\nX-End: 1\r\n",
            "X-Hop",
            keeps: [.answerField("X-End", "1")]
        ),
        Self.answer(
            .must,
            "fields that two Connection lines of the response name",
            "X-One: 1\r\nConnection: x-one\r\nConnection: close, X-Two\r\nX-Two: 1\r\n",
            "X-One",
            "X-Two"
        ),
        Self.answer(
            .should,
            "the response's Keep-Alive",
            "Keep-Alive: timeout=5, max=3\r\n",
            keeps: [.answerLacks("Keep-Alive", "max=3")]
        ),
        Self.answer(
            .should,
            "the response's Proxy-Connection",
            "Proxy-Connection: keep-alive\r\n",
            "Proxy-Connection"
        ),
        .answered(
            .must,
            "the backend's close is not the client's",
            "RFC 9110 7.6.1",
            "HTTP/1.1 200 OK\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nContent-Length: 5\r\n\r\nhello",
            demands: [.status(200), .answerLacks("X-Hop"), .answers("hello")]
        ),
    ]

    /// A `Connection` field must not remove a field that the proxy itself relies on.
    private static func own(_ name: String) -> ConformanceCase {
        Self(
            .must,
            "Connection names \(name)",
            "RFC 9110 7.6.1",
            client: [
                .send(
                    Self.request(
                        "POST",
                        "/a",
                        "Connection: \(name)\r\nContent-Length: 5\r\n",
                        "hello"
                    ) + ClientStep.follower
                ),
                .readToFollower,
            ],
            demands: [
                .refusedOr(
                    .arrives("hello"),
                    .requests(1),
                    .isUnambiguous,
                    refused: [.nothingReaches]
                )
            ],
            ours: [.refusedOr(.backendSees("Host", "gate"))]
        )
    }

    private static let ownFields: [ConformanceCase] = [
        Self.own("Host"), Self.own("Content-Length"), Self.own("Transfer-Encoding"),
        Self.own("X-Forwarded-For"), Self.own("Connection"),
        Self(
            .must,
            "Connection names Transfer-Encoding of a chunked body",
            "RFC 9110 7.6.1",
            client: [
                .send(
                    Self.request(
                        "POST",
                        "/a",
                        "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n",
                        "5\r\nhello\r\n0\r\n\r\n"
                    ) + ClientStep.follower
                ),
                .readToFollower,
            ],
            demands: [
                .refusedOr(
                    .arrives("hello"),
                    .requests(1),
                    .isUnambiguous,
                    refused: [.nothingReaches]
                )
            ]
        ),
    ]
}
