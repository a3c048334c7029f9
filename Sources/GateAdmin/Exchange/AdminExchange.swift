internal import NIOCore
internal import NIOHTTP1

/// The state machine for the requests on one connection; it returns the actions that the caller performs.
struct AdminExchange {
    enum HeadAction: Equatable {
        /// Discard the input, because the connection is about to close.
        case discard
        case read
        /// Send a 100 (Continue) response (RFC 9110 section 10.1.1), and then read the body.
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
        /// Discard the input, because the connection is about to close.
        case discard
        case close
    }

    private enum State {
        /// Waiting for a request head.
        case idle
        case reading(AdminRequest)
        case answering
        /// The last response has been sent; further input is discarded.
        case ended
    }

    private let limits: AdminLimits
    private let hosts: AdminHosts
    private var state = State.idle
    /// Whether the connection stays open after the response.
    private(set) var keepsConnection = true
    /// Whether the response has no body because the request method is HEAD.
    private(set) var isHead = false

    init(_ limits: AdminLimits, _ hosts: AdminHosts) {
        self.limits = limits
        self.hosts = hosts
    }

    /// The audience of the request whose body is incomplete; `nil` if there is none.
    var receivingAudience: AdminAudience? {
        switch self.state {
        case .reading(let request): request.route.audience
        case .idle, .answering, .ended: nil
        }
    }

    /// Handles a request head.
    ///
    /// `tokens` contains the accepted tokens, of which one is required even on loopback addresses; `nil` if none are
    /// configured.
    mutating func receiveHead(
        _ head: HTTPRequestHead,
        tokens: @autoclosure () -> AdminTokens? = nil
    ) -> HeadAction {
        switch self.state {
        case .idle, .reading, .answering: break
        case .ended: return .discard
        }
        // After a request for another protocol, the decoder would buffer all subsequent bytes
        // without decoding them.
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
            return self.refuse(.refusal(.notFound, "there is no endpoint with this path"))
        }
        guard !route.isForOperators || self.hosts.admits(head.headers["Host"]) else {
            return self.refuse(.disallowedHost)
        }
        guard route.methods.contains(head.method) else {
            return self.refuse(.wrongMethod(on: route))
        }
        guard !route.isForOperators || Self.isOfOwnPage(head.headers) else {
            return self.refuse(.crossOrigin)
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

    /// Returns whether the request comes from the gate's own page, or from a client that sends no `Origin`.
    ///
    /// Requests from other pages (RFC 6454 section 7) are rejected, because a browser adds the operator's password to
    /// such requests.
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
            // The assignment leaves a single reference to the body, so that appending a chunk does not
            // copy the previous chunks.
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

    /// Handles invalid input: a malformed request head or body.
    ///
    /// - Returns: The response to send before the connection closes; `nil` if the request already has its response.
    mutating func receiveInvalidInput(_ error: HTTPParserError) -> AdminAnswer? {
        switch self.state {
        case .idle: self.isHead = false
        case .reading: break
        case .answering, .ended: return nil
        }
        self.end()
        return error == .headerOverflow
            ? .refusal(.requestHeaderFieldsTooLarge, "the request head is too large")
            : .refusal(.badRequest, "the request is not valid HTTP/1.1")
    }

    /// Handles the end of input; returns whether the connection can be closed at once.
    mutating func receiveEndOfInput() -> Bool {
        self.keepsConnection = false
        switch self.state {
        case .answering, .ended: return false
        case .idle, .reading: return true
        }
    }

    /// Handles the loss of the slot for an incomplete request body.
    ///
    /// - Returns: The error response; `nil` if no request body is incomplete.
    mutating func loseSlot() -> AdminAnswer? {
        switch self.state {
        case .reading: break
        case .idle, .answering, .ended: return nil
        }
        self.end()
        return .tooManyBodies
    }

    /// Handles the end of a response; the next request can start if the connection stays open.
    mutating func finish() {
        self.state = self.keepsConnection ? .idle : .ended
    }

    private mutating func refuse(_ answer: AdminAnswer) -> HeadAction {
        self.end()
        return .refuse(answer)
    }

    /// Marks the next response as the last response on the connection.
    private mutating func end() {
        self.keepsConnection = false
        self.state = .ended
    }

    private var tooLarge: AdminAnswer {
        .refusal(.payloadTooLarge, "the body exceeds \(self.limits.bodyBytes) bytes")
    }
}

extension HTTPRequestHead {
    /// Whether the client wants to use the connection for another protocol after this request (RFC 9110
    /// sections 7.8 and 9.3.6).
    fileprivate var asksForAnotherProtocol: Bool {
        self.method == .CONNECT || self.headers.contains(name: "Upgrade")
    }
}

/// A complete request to the admin listener.
struct AdminRequest: Sendable, Equatable {
    var route: AdminRoute
    var method = HTTPMethod.GET
    var query = AdminQuery("")
    var fields: HTTPHeaders
    /// The name of the token in the request; `nil` if no token is required or it has no name.
    var operatorName: String?
    var body: [UInt8] = []
}
