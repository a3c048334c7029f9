import NIOCore
import NIOHTTP1
import Testing

@testable import GateAdmin

/// A connection's requests, tested without a connection.
struct AdminExchangeTests {
    private static let limits: AdminLimits = {
        var limits = AdminLimits()
        limits.bodyBytes = 4
        return limits
    }()

    private static let hosts = AdminHosts(
        try? SocketAddress(ipAddress: "127.0.0.1", port: 9901),
        listeningOn: nil
    )

    private func head(
        _ method: HTTPMethod,
        _ target: String,
        _ fields: [(String, String)] = []
    ) -> HTTPRequestHead {
        HTTPRequestHead(
            version: .http1_1,
            method: method,
            uri: target,
            headers: HTTPHeaders(fields)
        )
    }

    @Test func `a request is answered once it is complete`() {
        var exchange = AdminExchange(Self.limits, Self.hosts)
        #expect(exchange.receiveHead(self.head(.POST, "/hooks/a", [("X", "y")])) == .read)
        #expect(exchange.receiveBody(ByteBuffer(string: "ab")) == .wait)
        #expect(exchange.receiveBody(ByteBuffer(string: "cd")) == .wait)
        let request = AdminRequest(
            route: .hook(feed: "a"),
            method: .POST,
            fields: ["X": "y"],
            body: Array("abcd".utf8)
        )
        #expect(exchange.receiveEnd() == .answer(request))
        exchange.finish()
        #expect(exchange.keepsConnection)
        #expect(exchange.receiveHead(self.head(.HEAD, "/feeds")) == .read)
        #expect(exchange.isHead)
        let next = AdminRequest(route: .feeds, method: .HEAD, fields: [:])
        #expect(exchange.receiveEnd() == .answer(next))
    }

    @Test(arguments: [
        (HTTPMethod.GET, "/nothing", 404), (.POST, "/feeds", 405), (.GET, "/hooks/a", 405),
        (.CONNECT, "/feeds", 405), (.RAW(value: "BREW"), "/feeds", 405),
    ])
    func `an unknown route is refused after the head, and the connection closes`(
        method: HTTPMethod,
        target: String,
        status: Int
    ) {
        var exchange = AdminExchange(Self.limits, Self.hosts)
        guard case .refuse(let answer) = exchange.receiveHead(self.head(method, target)) else {
            Issue.record("not refused")
            return
        }
        #expect(answer.status.code == status)
        #expect(!exchange.keepsConnection)
        #expect(exchange.receiveBody(ByteBuffer(string: "abc")) == .wait)
        #expect(exchange.receiveEnd() == .discard)
        // A pipelined request after it gets no response.
        #expect(exchange.receiveHead(self.head(.GET, "/feeds")) == .discard)
    }

    @Test(
        arguments: [
            (HTTPMethod.GET, "/feeds", 421), (.HEAD, "/feeds", 421), (.POST, "/feeds", 421),
            (.GET, "/nothing", 404), (.GET, "/", 421),
            // Webhooks accept any host name, because sources may use any name for the listener.
            (.POST, "/hooks/a", nil),
        ] as [(HTTPMethod, String, UInt?)]
    )
    func `requests for an unknown host are refused, except webhooks`(
        method: HTTPMethod,
        target: String,
        status: UInt?
    ) {
        var exchange = AdminExchange(Self.limits, Self.hosts)
        let action = exchange.receiveHead(self.head(method, target, [("Host", "evil.example")]))
        switch action {
        case .refuse(let answer): #expect(answer.status.code == status)
        case .read, .readAfterContinue: #expect(status == nil)
        case .discard: Issue.record("discarded")
        }
    }

    @Test(
        arguments: [
            (HTTPMethod.GET, "/feeds", 401), (.GET, "/metrics", 401), (.POST, "/-/reload", 401),
            (.DELETE, "/metrics", 401), (.GET, "/", 401), (.GET, "/hooks/", 401),
            (.GET, "/api/v1/undo", 401), (.POST, "/api/v1/undo", 401), (.GET, "/page/main.js", 401),
            (.GET, "/-/healthy", nil), (.HEAD, "/-/ready", nil), (.POST, "/hooks/a", nil),
        ] as [(HTTPMethod, String, UInt?)]
    )
    func `with tokens, only open routes need no authorization`(
        method: HTTPMethod,
        target: String,
        status: UInt?
    ) throws {
        let tokens = try AdminTokens("night 0123456789abcdef")
        for field in [nil, ("Authorization", "Bearer wrong")] as [(String, String)?] {
            var exchange = AdminExchange(Self.limits, Self.hosts)
            let head = self.head(method, target, [field].compactMap(\.self))
            switch exchange.receiveHead(head, tokens: tokens) {
            case .refuse(let answer): #expect(answer.status.code == status)
            case .read, .readAfterContinue: #expect(status == nil)
            case .discard: Issue.record("discarded")
            }
        }
        var exchange = AdminExchange(Self.limits, Self.hosts)
        let field = ("Authorization", "Bearer 0123456789abcdef")
        switch exchange.receiveHead(self.head(method, target, [field]), tokens: tokens) {
        case .refuse(let answer): #expect(answer.status != .unauthorized)
        case .read, .readAfterContinue:
            guard case .answer(let request) = exchange.receiveEnd() else {
                Issue.record("not answered")
                return
            }
            #expect(request.operatorName == (request.route.isForOperators ? "night" : nil))
        case .discard: Issue.record("discarded")
        }
    }

    @Test func `tokens are not looked up for open routes`() {
        for (target, isNeeded) in [("/-/healthy", false), ("/hooks/a", false), ("/feeds", true)] {
            var exchange = AdminExchange(Self.limits, Self.hosts)
            var lookups = 0
            func tokens() -> AdminTokens? {
                lookups += 1
                return nil
            }
            _ = exchange.receiveHead(self.head(.GET, target), tokens: tokens())
            #expect(lookups == (isNeeded ? 1 : 0), "\(target)")
        }
    }

    @Test(arguments: [
        (HTTPMethod.GET, [("Connection", "upgrade"), ("Upgrade", "h2c")]),
        (.GET, [("Upgrade", "websocket")]), (.CONNECT, []),
    ])
    func `an upgrade request closes the connection`(
        method: HTTPMethod,
        fields: [(String, String)]
    ) {
        var exchange = AdminExchange(Self.limits, Self.hosts)
        _ = exchange.receiveHead(self.head(method, "/-/healthy", fields))
        _ = exchange.receiveEnd()
        exchange.finish()
        #expect(!exchange.keepsConnection)
        #expect(exchange.receiveHead(self.head(.GET, "/-/healthy")) == .discard)
    }

    @Test(
        arguments: [
            (HTTPMethod.POST, "/hooks/a", .open), (.GET, "/-/healthy", .open),
            (.GET, "/", .questions), (.GET, "/metrics", .questions),
            (.POST, "/api/v1/impact", .questions), (.GET, "/api/v1/undo", .changes),
            (.POST, "/api/v1/undo", .changes), (.POST, "/-/reload", .changes),
            (.POST, "/-/breaker/reset", .changes),
        ] as [(HTTPMethod, String, AdminAudience)]
    )
    func `a request with an incomplete body can lose its slot, a complete one cannot`(
        method: HTTPMethod,
        target: String,
        audience: AdminAudience
    ) {
        var exchange = AdminExchange(Self.limits, Self.hosts)
        #expect(exchange.receivingAudience == nil)
        #expect(exchange.loseSlot() == nil)
        #expect(exchange.receiveHead(self.head(method, target)) == .read)
        #expect(exchange.receivingAudience == audience)
        var complete = exchange
        guard case .answer(let request) = complete.receiveEnd() else {
            Issue.record("not answered")
            return
        }
        #expect(request.route.audience == audience)
        #expect(complete.loseSlot() == nil)
        #expect(complete.keepsConnection)
        #expect(exchange.loseSlot()?.status == .serviceUnavailable)
        #expect(!exchange.keepsConnection)
        #expect(exchange.receivingAudience == nil)
        #expect(exchange.receiveBody(ByteBuffer(string: "ab")) == .wait)
    }

    @Test(
        arguments: [
            (nil, nil), ("http://127.0.0.1:9901", nil), ("https://127.0.0.1:9901", nil),
            ("http://evil.example", 403), ("null", 403), ("http://127.0.0.1:9902", 403),
        ] as [(String?, UInt?)]
    )
    func `cross-origin requests from a browser are refused`(
        origin: String?,
        status: UInt?
    ) {
        var exchange = AdminExchange(Self.limits, Self.hosts)
        let fields = [("Host", "127.0.0.1:9901")] + (origin.map { [("Origin", $0)] } ?? [])
        switch exchange.receiveHead(self.head(.POST, "/-/reload", fields)) {
        case .refuse(let answer): #expect(answer.status.code == status)
        case .read, .readAfterContinue: #expect(status == nil)
        case .discard: Issue.record("discarded")
        }
    }

    @Test func `a browser gets a Basic challenge for the page only`() throws {
        let tokens = try AdminTokens("0123456789abcdef")
        for (target, challenges) in [("/", 2), ("/page/main.js", 2), ("/feeds", 1), ("/x", 1)] {
            var exchange = AdminExchange(Self.limits, Self.hosts)
            let action = exchange.receiveHead(self.head(.GET, target), tokens: tokens)
            guard case .refuse(let answer) = action else {
                Issue.record("not refused")
                return
            }
            let head = answer.head(keepsConnection: false)
            let sent = head.headers["WWW-Authenticate"]
            #expect(sent.count == challenges)
            #expect(sent.first == "Bearer realm=\"versiongate\"")
        }
    }

    @Test func `a malformed request gets a response unless another one is pending`() {
        var exchange = AdminExchange(Self.limits, Self.hosts)
        let answer = exchange.receiveInvalidInput(.invalidMethod)
        #expect(answer?.status == .badRequest)
        #expect(answer?.body.isEmpty == false)
        #expect(!exchange.keepsConnection)
        #expect(exchange.receiveInvalidInput(.invalidMethod) == nil)

        exchange = AdminExchange(Self.limits, Self.hosts)
        _ = exchange.receiveHead(self.head(.POST, "/hooks/a"))
        #expect(exchange.receiveInvalidInput(.invalidChunkSize)?.status == .badRequest)

        exchange = AdminExchange(Self.limits, Self.hosts)
        _ = exchange.receiveHead(self.head(.HEAD, "/feeds"))
        _ = exchange.receiveEnd()
        #expect(exchange.receiveInvalidInput(.invalidMethod) == nil)
        exchange.finish()
        let tooLarge = exchange.receiveInvalidInput(.headerOverflow)
        #expect(tooLarge?.status == .requestHeaderFieldsTooLarge)
        // This is not the response to the previous HEAD request.
        #expect(!exchange.isHead)
    }

    @Test func `a body that exceeds the limit is refused as soon as that is known`() {
        for length in ["5", "9223372036854775807"] {
            var exchange = AdminExchange(Self.limits, Self.hosts)
            let head = self.head(.POST, "/hooks/a", [("Content-Length", length)])
            guard case .refuse(let answer) = exchange.receiveHead(head) else {
                Issue.record("not refused")
                continue
            }
            #expect(answer.status == .payloadTooLarge)
        }
        var exchange = AdminExchange(Self.limits, Self.hosts)
        #expect(exchange.receiveHead(self.head(.POST, "/hooks/a")) == .read)
        #expect(exchange.receiveBody(ByteBuffer(string: "abcd")) == .wait)
        guard case .refuse(let answer) = exchange.receiveBody(ByteBuffer(string: "e")) else {
            Issue.record("not refused")
            return
        }
        #expect(answer.status == .payloadTooLarge)
        // The rest is discarded.
        #expect(exchange.receiveBody(ByteBuffer(string: "abcde")) == .wait)
        #expect(exchange.receiveEnd() == .discard)
        let isOver = exchange.receiveEndOfInput()
        #expect(!isOver, "the answer may be under way")
    }

    @Test func `a pending response is sent after the client closes its side`() {
        var exchange = AdminExchange(Self.limits, Self.hosts)
        do {
            let isOver = exchange.receiveEndOfInput()
            #expect(isOver)
        }
        exchange = AdminExchange(Self.limits, Self.hosts)
        _ = exchange.receiveHead(self.head(.GET, "/feeds"))
        do {
            let isOver = exchange.receiveEndOfInput()
            #expect(isOver)
        }
        exchange = AdminExchange(Self.limits, Self.hosts)
        _ = exchange.receiveHead(self.head(.GET, "/feeds"))
        _ = exchange.receiveEnd()
        do {
            let isOver = exchange.receiveEndOfInput()
            #expect(!isOver)
        }
        #expect(!exchange.keepsConnection)
    }

    @Test func `Expect gets a 100 if the body is within the limit`() {
        var exchange = AdminExchange(Self.limits, Self.hosts)
        let head = self.head(.POST, "/hooks/a", [("Expect", "100-Continue")])
        #expect(exchange.receiveHead(head) == .readAfterContinue)
        exchange = AdminExchange(Self.limits, Self.hosts)
        let fields = [("Expect", "100-continue"), ("Content-Length", "5")]
        guard case .refuse = exchange.receiveHead(self.head(.POST, "/hooks/a", fields)) else {
            Issue.record("not refused")
            return
        }
    }

    @Test func `a response has the fields that its content and its connection need`() {
        let answer = AdminAnswer.wrongMethod(on: .feeds)
        let head = answer.head(keepsConnection: false)
        #expect(head.status == .methodNotAllowed)
        #expect(head.headers["Allow"] == ["GET, HEAD"])
        #expect(head.headers["Connection"] == ["close"])
        #expect(head.headers["Content-Length"] == ["\(answer.body.count)"])
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains("\"detail\" : \"the allowed methods are GET, HEAD\""))
        #expect(text.contains("\"status\" : 405"))
        #expect(head.headers["Content-Type"] == ["application/problem+json"])
        #expect(answer.head(keepsConnection: true).headers["Connection"].isEmpty)
    }
}
