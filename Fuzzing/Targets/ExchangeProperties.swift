import GateProxy
import NIOCore

/// Properties of an exchange with any order of events.
///
/// The input is a script with one number for each event, followed by numbers for its parameters. A second, simpler
/// record of the events is kept, and every action is compared with it.
struct ExchangeProperties {
    private static let limits = DiscardLimits(awaitedBytes: 40, bytes: 200)

    private var exchange = Exchange.head
    private var book = Book()
    private var script: Script

    /// The history of the connection's current request.
    private struct Book {
        var isForwarded = false
        var requestEnded = false
        /// The backend has sent a head, possibly an interim one.
        var backendSpoke = false
        var responseStarted = false
        var mayKeepClient = true
        var offersUpgrade = false
        var retries = 0
        var retriesAllowed = 0
        var othersAsked = 0
        var interims = 0
        var discarded: UInt64 = 0
        /// The request that waits for a connection, while it is in progress.
        var unsent: ForwardedRequest?
    }

    static func check(_ input: [UInt8]) throws(Finding) {
        var properties = ExchangeProperties(script: Script(input))
        while !properties.script.isAtEnd { try properties.step() }
    }

    private init(script: Script) {
        self.script = script
    }

    private mutating func step() throws(Finding) {
        let before = self.exchange
        switch self.script.number(below: 16) {
        case 0: self.forward()
        case 1: try self.answer()
        case 2: self.allowRetry()
        case 3: try self.endRequest()
        case 4: try self.receiveHead()
        case 5: try self.endResponse()
        case 6: try self.discard()
        case 7: try self.endClient()
        case 8: try self.endUpstream()
        case 9: try self.breakUpstream()
        case 10: self.drain()
        case 11: try self.timeOut()
        case 12: try self.beginHead()
        case 13: try self.connect()
        case 14: self.writeLast()
        default: self.endTunnel()
        }
        if case .forwarding = self.exchange {} else { self.book.unsent = nil }
        try self.checkDeadline()
        if before == .closed {
            try expect(self.exchange, is: .closed, "a closed exchange continues")
        }
    }

    /// Starts connecting for a request, or ends connecting.
    private mutating func connect() throws(Finding) {
        guard self.script.flag() else {
            let unsent = self.exchange.endConnecting()
            try expect(unsent == self.book.unsent, "the waiting request is lost, or there is none")
            self.book.unsent = nil
            return
        }
        let request = ForwardedRequest.sample()
        self.exchange.connect(sending: request)
        self.book.unsent = request
    }

    /// Forwards a request if the exchange waits for a head; otherwise, no head is read.
    private mutating func forward() {
        let forwarding = Exchange.Forwarding(
            requestEnded: self.script.flag(),
            keepsClient: self.script.flag(),
            retryable: false,
            offersUpgrade: self.script.flag()
        )
        guard self.exchange.isBetweenRequests else { return }
        self.book = Book()
        self.book.isForwarded = true
        self.book.requestEnded = forwarding.requestEnded
        self.book.mayKeepClient = forwarding.keepsClient
        self.book.offersUpgrade = forwarding.offersUpgrade
        self.exchange.forward(forwarding)
    }

    /// Lets the gate respond to a head, or to a request that it could not forward.
    private mutating func answer() throws(Finding) {
        let keepsClient = self.script.flag()
        let count = UInt64(self.script.number(below: 256))
        let remaining: Exchange.RemainingBody =
            switch self.script.number(below: 4) {
            case 0: .nothing
            case 1: .bytes(count)
            case 2: .chunked
            default: .unknown
            }
        switch self.exchange {
        case .head, .idle: self.book = Book()
        case .forwarding where !self.book.responseStarted: break
        default: return
        }
        let action = self.exchange.answer(
            keepsClient: keepsClient,
            remaining: remaining,
            limits: Self.limits
        )
        self.book.isForwarded = false
        switch action {
        case .answer:
            try expect(keepsClient && remaining == .nothing, "kept with \(remaining) remaining")
        case .awaitBody:
            let isSmall = remaining == .chunked || count <= Self.limits.awaitedBytes
            try expect(keepsClient && isSmall, "waited for \(count)")
        case .answerAndLinger:
            try expect(!keepsClient || remaining != .nothing, "closed without a reason")
        }
    }

    /// Records the gate's response to a failed backend or to a client timeout.
    private mutating func refuse() {
        _ = self.exchange.answer(keepsClient: false, remaining: .unknown, limits: Self.limits)
        self.book.isForwarded = false
    }

    private mutating func allowRetry() {
        if case .forwarding = self.exchange, self.book.requestEnded, !self.book.backendSpoke {
            self.book.retriesAllowed += 1
            self.exchange.allowRetry()
        }
    }

    private mutating func endRequest() throws(Finding) {
        let before = self.exchange
        self.book.requestEnded = self.book.requestEnded || self.book.isForwarded
        switch self.exchange.requestEnded() {
        case .answer:
            guard case .awaitingBody = before else {
                throw Finding("a held response after \(before)")
            }
            try expect(self.exchange, is: .idle, "the next request")
        case .wait: break
        }
    }

    private mutating func receiveHead() throws(Finding) {
        let statuses = [100, 101, 103, 199, 200, 204, 304, 426, 500, 999]
        let status = statuses[self.script.number(below: statuses.count)]
        let switches = self.script.flag()
        let endsByClose = self.script.flag()
        let isAwaited = self.book.isForwarded && !self.book.responseStarted
        let action = self.exchange.responseHead(
            status: status,
            switchesAsOffered: switches,
            endsByClose: endsByClose
        )
        switch action {
        case .discard:
            try expect(!self.isForwarding || self.book.responseStarted, "a response was dropped")
        case .forwardInterim:
            self.book.backendSpoke = true
            self.book.interims += 1
            try expect(isAwaited && status < 200 && status != 101, "\(status) as interim")
            try expect(self.book.interims <= Exchange.interimLimit, "endless interim responses")
        case .forward(let keepsClient):
            self.book.backendSpoke = true
            self.book.responseStarted = true
            try expect(isAwaited && status >= 200, "\(status) as the final response")
            if endsByClose { self.book.mayKeepClient = false }
            try expect(keepsClient, is: self.book.mayKeepClient, "whether the client is kept")
        case .tunnel:
            try expect(
                isAwaited && status == 101 && switches && self.book.offersUpgrade,
                "a tunnel that was not requested"
            )
            self.book.isForwarded = false
        case .badGateway:
            self.book.backendSpoke = true
            try expect(isAwaited && status < 200, "\(status) refused")
            self.refuse()
        }
    }

    private mutating func endResponse() throws(Finding) {
        // The end of a response is read only after its head.
        guard self.book.responseStarted, self.isForwarding else { return }
        let isStream = self.script.flag()
        let action = self.exchange.responseEnded(limits: Self.limits, isStream: isStream)
        self.book.isForwarded = false
        self.book.discarded = 0
        switch action {
        case .next:
            try expect(
                self.book.requestEnded && self.book.mayKeepClient,
                "the next request on a connection that ends"
            )
        case .dropUpstream:
            try expect(
                !self.book.requestEnded && self.book.mayKeepClient && isStream,
                "another request after one that has not ended"
            )
        case .linger(let isReusable):
            try expect(
                !self.book.mayKeepClient || !self.book.requestEnded && !isStream,
                "a connection ends that could be kept"
            )
            try expect(
                isReusable,
                is: self.book.requestEnded,
                "whether the backend's connection is reusable"
            )
        case .close: throw Finding("closed at the end of a response")
        }
    }

    private mutating func discard() throws(Finding) {
        let count = self.script.number(below: 256)
        let before = self.exchange
        if case .awaitingBody(let budget) = before {
            let action = self.exchange.awaited(bytes: count, limits: Self.limits)
            try expect(budget <= Self.limits.awaitedBytes, "a budget beyond the limits")
            let fits = UInt64(count) <= budget
            return try expect(action, is: fits ? .wait : .answerAndLinger, "\(count) of \(budget)")
        }
        guard self.exchange.discarded(bytes: count) == .goOn else {
            return try expect(self.exchange, is: .closed, "after too much")
        }
        switch (before, self.exchange) {
        case (.lingering(let before), .lingering(let after)):
            try expect(after.budget + UInt64(count), is: before.budget, "the budget")
            try expect(before.budget <= Self.limits.bytes, "a budget beyond the limits")
            try expect(after.end, is: before.end, "the end of the wait")
        default: throw Finding("discarded in \(before)")
        }
    }

    private mutating func endClient() throws(Finding) {
        let before = self.exchange
        let hasMore = self.script.flag()
        switch self.exchange.clientEnded(hasMore: hasMore) {
        case .finish where hasMore:
            try expect(self.exchange, is: before, "with more unread input")
        case .finish where before == self.exchange && !self.isForwarding:
            guard case .awaitingBody = before else { throw Finding("waiting in \(before)") }
        case .finish:
            self.book.mayKeepClient = false
            try expect(self.isForwarding && self.book.requestEnded, "waiting in \(before)")
        case .close: try expect(self.exchange, is: .closed, "after the client")
        case .endUpstream:
            guard case .tunnel = self.exchange else { throw Finding("half closed in \(before)") }
        }
    }

    private mutating func endUpstream() throws(Finding) {
        let before = self.exchange
        switch self.exchange.upstreamEnded() {
        case .retry:
            self.book.retries += 1
            try expect(!self.book.backendSpoke, "sent again after the backend had responded")
            try expect(self.book.requestEnded, "sent again before the request had ended")
            try expect(
                self.book.retries <= self.book.retriesAllowed,
                "sent again more often than allowed"
            )
        case .badGateway:
            try expect(!self.book.responseStarted, "a second answer")
            self.refuse()
        case .abort, .closeClient: try expect(self.exchange, is: .closed, "after an end")
        case .endClient:
            guard case .tunnel = self.exchange else { throw Finding("half closed in \(before)") }
        case .doNothing: try expect(self.exchange, is: before, "nothing was to be done")
        }
    }

    private mutating func breakUpstream() throws(Finding) {
        let before = self.exchange
        switch self.exchange.upstreamViolatedProtocol() {
        case .badGateway:
            try expect(!self.book.responseStarted, "a second answer")
            self.refuse()
        case .abort: try expect(self.exchange, is: .closed, "after an abort")
        case .doNothing: try expect(self.exchange, is: before, "nothing was to be done")
        }
    }

    private mutating func drain() {
        // A client whose response has started may send another request.
        if self.isForwarding, !self.book.responseStarted { self.book.mayKeepClient = false }
        self.exchange.drain()
    }

    private mutating func timeOut() throws(Finding) {
        let hasPartialHead = self.script.flag()
        let isRepeatable = self.script.flag()
        let before = self.exchange
        let action = self.exchange.timedOut(
            hasPartialHead: hasPartialHead,
            upstreamStalls: self.script.flag(),
            isRepeatable: isRepeatable,
            limits: Self.limits
        )
        switch action {
        case .tryAnotherBackend:
            self.book.othersAsked += 1
            try expect(
                isRepeatable && self.book.requestEnded,
                "an unrepeatable request for another backend"
            )
            try expect(
                !self.book.backendSpoke,
                "another backend tried after the first had responded"
            )
            try expect(self.book.othersAsked, is: 1, "the number of other backends tried")
        case .requestTimeout, .gatewayTimeout:
            try expect(
                before.isBetweenRequests && hasPartialHead
                    || self.isForwarding && !self.book.responseStarted,
                "\(action) in \(before)"
            )
            self.refuse()
        case .answerAndLinger:
            guard case .awaitingBody = before else { throw Finding("\(action) in \(before)") }
        case .close: try expect(self.exchange, is: .closed, "after the timeout")
        }
    }

    /// Checks that the timeout of a head starts once, regardless of the number of its parts.
    private mutating func beginHead() throws(Finding) {
        let before = self.exchange
        let isFirst = self.exchange.headBegan()
        try expect(isFirst, is: before == .idle, "whether the head's timeout starts")
        try expect(self.exchange, is: isFirst ? .head : before, "a head in \(before)")
    }

    private mutating func writeLast() {
        let end = NIODeadline.uptimeNanoseconds(UInt64(self.script.number(below: 256)))
        self.exchange.lastResponseWritten(end: end)
    }

    private mutating func endTunnel() {
        let end = NIODeadline.uptimeNanoseconds(UInt64(self.script.number(below: 256)))
        self.exchange.endTunnel(by: end)
    }

    /// Checks that every state has a deadline, except those whose deadline is in the connection pool.
    private func checkDeadline() throws(Finding) {
        switch (self.exchange.wait, self.exchange) {
        case (.connection, .forwarding(let forwarding)) where forwarding.isConnecting: break
        case (.connection, _): throw Finding("no deadline in \(self.exchange)")
        case (.rest(until: let end), .lingering(let lingering)):
            try expect(end, is: lingering.end, "the end of the wait")
        case (.rest(until: let end), .tunnel(let tunnel)):
            try expect(end, is: tunnel.end, "the end of the tunnel")
        default: break
        }
    }

    private var isForwarding: Bool {
        if case .forwarding = self.exchange { return true }
        return false
    }
}
