import GateWire
import NIOCore

/// The response to a request, from waiting for it to the framing of its content for the client.
struct ResponseRelay {
    /// How a client of HTTP/1 finds the end of the content.
    enum Framing: Equatable {
        /// By the backend's framing, which is passed on, or there is no content.
        case asReceived
        /// By chunks that the gate writes: the backend speaks HTTP/2 and announced no length.
        case chunked
        /// By the close of the connection, as on the backend connection.
        case untilClose
        /// By the close of the connection: the client speaks HTTP/1.0, and the gate removes the chunks.
        case dechunked

        /// Whether the connection is closed after the content.
        var endsByClose: Bool {
            switch self {
            case .untilClose, .dechunked: true
            case .asReceived, .chunked: false
            }
        }
    }

    private enum State {
        /// No response is expected, or the gate has written one.
        case none
        /// A response of the gate waits for the rest of the request body.
        case held(RenderedAnswer)
        /// The request waits for the first byte of the backend's response.
        case pending
        /// The head of the backend's response has been passed on.
        ///
        /// `upstreamKeepsAlive`: whether the backend keeps its connection open.
        case relaying(Framing, upstreamKeepsAlive: Bool)
    }

    private var state = State.none
    /// Whether the request method is `HEAD`.
    private(set) var isHead = false
    /// Whether the client speaks HTTP/1.0.
    private(set) var isHTTP10 = false

    // Inlined, so that a new value is written in place.
    @inline(__always)
    init() {}

    /// Sets what the request says about its response.
    @inline(__always)
    mutating func begin(isHead: Bool, isHTTP10: Bool) {
        self.isHead = isHead
        self.isHTTP10 = isHTTP10
    }
}

/// Responses of the gate.
extension ResponseRelay {
    /// Holds a response until the request body is complete.
    mutating func hold(_ answer: RenderedAnswer) {
        self.state = .held(answer)
    }

    /// Removes and returns the held response.
    mutating func takeHeld() -> RenderedAnswer? {
        guard case .held(let answer) = self.state else { return nil }
        self.state = .none
        return answer
    }
}

/// Responses of the backend.
extension ResponseRelay {
    /// Whether the request waits for the first byte of the backend's response.
    var isPending: Bool {
        if case .pending = self.state { true } else { false }
    }

    /// Starts to wait for the backend's response.
    ///
    /// - Returns: `false` if the request waits already.
    @inline(__always)
    mutating func beginPending() -> Bool {
        guard case .none = self.state else { return false }
        self.state = .pending
        return true
    }

    /// Ends the wait: the response has started, or none will come.
    ///
    /// - Returns: Whether the request was waiting.
    @inline(__always)
    mutating func endPending() -> Bool {
        guard case .pending = self.state else { return false }
        self.state = .none
        return true
    }

    /// The framing for the client of a response with this head.
    @inline(__always)
    func framing(of head: borrowing ResponseHead, facts: ResponseFacts) -> Framing {
        switch facts.framing {
        case .chunked where self.isHTTP10: .dechunked
        case .chunked where head.hasUnannouncedBody: .chunked
        case .untilClose: .untilClose
        case .none, .length, .chunked: .asReceived
        }
    }

    /// Starts to pass a response on.
    @inline(__always)
    mutating func relay(_ framing: Framing, upstreamKeepsAlive: Bool) {
        self.state = .relaying(framing, upstreamKeepsAlive: upstreamKeepsAlive)
    }

    /// The framing of the response that is passed on; `asReceived` before it starts.
    @inline(__always)
    var framing: Framing {
        if case .relaying(let framing, _) = self.state { framing } else { .asReceived }
    }

    /// Whether the backend keeps its connection open after the response.
    @inline(__always)
    var upstreamKeepsAlive: Bool {
        if case .relaying(_, let keepsAlive) = self.state { keepsAlive } else { false }
    }

    /// The announcement of what happens to the client's connection after the response (RFC 9112 9.3).
    func connection(keepsClient: Bool) -> ResponseHeadWriter.Connection {
        switch (keepsClient, self.isHTTP10) {
        case (true, false): .keep
        case (true, true): .keepExplicitly
        case (false, _): .close
        }
    }
}
