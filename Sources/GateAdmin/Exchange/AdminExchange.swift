internal import NIOCore
internal import NIOHTTP1

/// The requests of one connection, one after the other; says what is to be done, and does none of it.
struct AdminExchange {
    enum HeadAction: Equatable {
        /// The connection is about to end.
        case discard
        case read
        /// As `read`, once the client has been told to go on (RFC 9110 section 10.1.1).
        case readAfterContinue
        case refuse(AdminAnswer)
    }

    enum BodyAction: Equatable {
        case wait
        case refuse(AdminAnswer)
        case close
    }

    enum EndAction: Equatable {
        case answer(AdminRequest)
        /// The connection is about to end.
        case discard
        case close
    }

    private enum State {
        /// Waiting for a request head.
        case idle
        case reading(AdminRequest)
        case answering
        /// The last answer is given. Whatever still arrives is discarded.
        case ended
    }

    private let limits: AdminLimits
    private let hosts: AdminHosts
    private var state = State.idle
    /// Whether the connection goes on after the answer.
    private(set) var keepsConnection = true
    /// Whether the answer has no body.
    private(set) var isHead = false

    init(_ limits: AdminLimits, _ hosts: AdminHosts) {
        self.limits = limits
        self.hosts = hosts
    }

    /// Whether the next request may begin.
    var isIdle: Bool {
        switch self.state {
        case .idle: true
        case .reading, .answering, .ended: false
        }
    }

    /// The audience of the request whose body is incomplete.
    var receivingAudience: AdminAudience? {
        switch self.state {
        case .reading(let request): request.route.audience
        case .idle, .answering, .ended: nil
        }
    }

    /// A request head arrived.
    ///
    /// `tokens`: the tokens of which operators must show one, on any address; `nil` if none are configured.
    mutating func receiveHead(
        _ head: HTTPRequestHead,
        tokens: @autoclosure () -> AdminTokens? = nil
    ) -> HeadAction {
        switch self.state {
        case .idle, .reading, .answering: break
        case .ended: return .discard
        }
        // After a request for another protocol the decoder would keep all further bytes, and decode none.
        self.keepsConnection = head.isKeepAlive && !head.asksForAnotherProtocol
        self.isHead = head.method == .HEAD
        let route = AdminRoute(head.uri)
        var operatorName: String?
        if route?.isForOperators ?? true, let tokens = tokens() {
            guard let token = tokens.token(stated: head.headers["Authorization"]) else {
                return self.refuse(.unauthorized(isPage: route?.isPage ?? false))
            }
            operatorName = token.name
        }
        guard let route else {
            return self.refuse(.refusal(.notFound, "there is nothing here"))
        }
        guard !route.isForOperators || self.hosts.admits(head.headers["Host"]) else {
            return self.refuse(.strangeHost)
        }
        guard route.methods.contains(head.method) else {
            return self.refuse(.wrongMethod(on: route))
        }
        guard !route.isForOperators || Self.isOfOwnPage(head.headers) else {
            return self.refuse(.strangeOrigin)
        }
        if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }),
            length > self.limits.bodyBytes
        {
            return self.refuse(self.tooLarge)
        }
        self.state = .reading(
            AdminRequest(
                route: route,
                method: head.method,
                query: AdminQuery(head.uri),
                fields: head.headers,
                operatorName: operatorName
            )
        )
        let waits = head.headers[canonicalForm: "Expect"]
            .contains { $0.lowercased() == "100-continue" }
        return waits && head.version == .http1_1 ? .readAfterContinue : .read
    }

    /// Whether no page of a stranger asks: the browser of an operator would send his password along
    /// (RFC 6454 section 7).
    private static func isOfOwnPage(_ fields: HTTPHeaders) -> Bool {
        let hosts = fields["Host"]
        return fields["Origin"].allSatisfy { origin in
            hosts.contains { origin == "http://\($0)" || origin == "https://\($0)" }
        }
    }

    mutating func receiveBody(_ piece: ByteBuffer) -> BodyAction {
        switch self.state {
        case .reading(var request):
            guard request.body.count + piece.readableBytes <= self.limits.bodyBytes else {
                self.end()
                return .refuse(self.tooLarge)
            }
            // One owner, or every piece would copy all that came before it.
            self.state = .idle
            request.body += piece.readableBytesView
            self.state = .reading(request)
            return .wait
        case .ended:
            return .wait
        case .idle, .answering:
            return .close
        }
    }

    mutating func receiveEnd() -> EndAction {
        switch self.state {
        case .reading(let request):
            self.state = .answering
            return .answer(request)
        case .ended:
            return .discard
        case .idle, .answering:
            return .close
        }
    }

    /// The bytes that came are no request, or no rest of one.
    ///
    /// - Returns: what the client is told before the connection ends; `nil`: it has its answer.
    mutating func receiveNonsense(_ error: HTTPParserError) -> AdminAnswer? {
        switch self.state {
        case .idle: self.isHead = false
        case .reading: break
        case .answering, .ended: return nil
        }
        self.end()
        return error == .headerOverflow
            ? .refusal(.requestHeaderFieldsTooLarge, "the head is too large")
            : .refusal(.badRequest, "this is no request of HTTP/1.1")
    }

    /// The client sends no more; true if there is nothing left to be done for it.
    mutating func receiveEndOfInput() -> Bool {
        self.keepsConnection = false
        switch self.state {
        case .answering, .ended: return false
        case .idle, .reading: return true
        }
    }

    /// The slot of an incomplete request body is taken by another connection; `nil` if the body is complete.
    mutating func loseSlot() -> AdminAnswer? {
        switch self.state {
        case .reading: break
        case .idle, .answering, .ended: return nil
        }
        self.end()
        return .tooManyBodies
    }

    /// The answer is sent, and the next request may begin if the connection is kept.
    mutating func finish() {
        self.state = self.keepsConnection ? .idle : .ended
    }

    private mutating func refuse(_ answer: AdminAnswer) -> HeadAction {
        self.end()
        return .refuse(answer)
    }

    /// The answer that is about to be given is the last one.
    private mutating func end() {
        self.keepsConnection = false
        self.state = .ended
    }

    private var tooLarge: AdminAnswer {
        .refusal(.payloadTooLarge, "a body may have \(self.limits.bodyBytes) bytes")
    }
}

extension HTTPRequestHead {
    /// Whether the connection is to be used for something else after this request (RFC 9110 sections 7.8
    /// and 9.3.6).
    fileprivate var asksForAnotherProtocol: Bool {
        self.method == .CONNECT || self.headers.contains(name: "Upgrade")
    }
}

/// A request to the admin listener, read to its end.
struct AdminRequest: Sendable, Equatable {
    var route: AdminRoute
    var method = HTTPMethod.GET
    var query = AdminQuery("")
    var fields: HTTPHeaders
    /// The name of the token that was shown; `nil` where none is asked for, or it has no name.
    var operatorName: String?
    var body: [UInt8] = []
}
