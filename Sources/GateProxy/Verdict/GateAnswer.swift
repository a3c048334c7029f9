package import GateWire

/// An answer of the gate about the exchange itself, as problem details (RFC 9457).
package struct GateAnswer: Equatable, Sendable {
    package var status: Int
    package var detail: String
    /// Seconds after which another try makes sense.
    package var retryAfter: Int?

    package init(status: Int, detail: String, retryAfter: Int? = nil) {
        self.status = status
        self.detail = detail
        self.retryAfter = retryAfter
    }

    package init(_ fault: MessageFault) {
        self.init(status: fault.status, detail: fault.explanation)
    }

    package static let requestTimeout = GateAnswer(
        status: 408,
        detail: "The request did not arrive in time."
    )
    package static let contentTooLarge = GateAnswer(
        status: 413,
        detail: "The request body is larger than this gateway lets pass."
    )
    package static let badGateway = GateAnswer(
        status: 502,
        detail: "The backend gave no valid answer."
    )
    package static let unreachable = GateAnswer(
        status: 502,
        detail: "The backend could not be reached."
    )
    package static let overloaded = GateAnswer(
        status: 503,
        detail: "This gateway serves as many connections as it may.",
        retryAfter: 1
    )
    package static let tooManyFromAddress = GateAnswer(
        status: 429,
        detail: "This gateway serves as many connections from this address as it may.",
        retryAfter: 1
    )
    package static let tooManyPending = GateAnswer(
        status: 503,
        detail: "Too many requests wait for the backend.",
        retryAfter: 1
    )
    package static let late = GateAnswer(
        status: 503,
        detail: "This gateway has more to do than it can.",
        retryAfter: 1
    )
    package static let outOfDescriptors = GateAnswer(
        status: 503,
        detail: "This gateway can open no connection to the backend for now.",
        retryAfter: 1
    )
    package static let tooManyStreams = GateAnswer(
        status: 503,
        detail: "This gateway serves as many event streams as it may."
    )
    package static let connectTimeout = GateAnswer(
        status: 504,
        detail: "The backend did not accept the connection in time."
    )
    package static let gatewayTimeout = GateAnswer(
        status: 504,
        detail: "The backend did not answer in time."
    )

    /// Whether it stands for an answer that the backend failed to give; of what the gate itself has no
    /// room for, the status is another one.
    var blamesBackend: Bool { self.status == 502 || self.status == 504 }

    /// The body; every text in it is the gate's own and needs no escaping.
    var body: String {
        """
        {"type":"about:blank","title":"\(StatusLine.reason(self.status))",\
        "status":\(self.status),"detail":"\(self.detail)"}
        """
    }
}
