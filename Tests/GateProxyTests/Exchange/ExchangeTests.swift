import GateFuzzing
import GateWire
import NIOCore
import Testing

@testable import GateProxy

/// Every event in every state, including invalid combinations.
struct ExchangeTests {
    private typealias Row<Action> = (before: Exchange, action: Action, after: Exchange)

    private static let limits = DiscardLimits(awaitedBytes: 10, bytes: 1000)

    static func forwarding(
        requestEnded: Bool = true,
        unsent: ForwardedRequest? = nil,
        responseStarted: Bool = false,
        keepsClient: Bool = true,
        retryable: Bool = false,
        offersUpgrade: Bool = false,
        interims: Int = 0
    ) -> Exchange {
        var forwarding = Exchange.Forwarding(
            requestEnded: requestEnded,
            keepsClient: keepsClient,
            retryable: retryable,
            offersUpgrade: offersUpgrade
        )
        forwarding.unsent = unsent
        forwarding.responseStarted = responseStarted
        forwarding.interims = interims
        return .forwarding(forwarding)
    }

    private static let uploading = Self.forwarding(requestEnded: false)
    private static let waiting = Self.forwarding()
    private static let waitingLast = Self.forwarding(keepsClient: false)
    private static let retryable = Self.forwarding(retryable: true)
    private static let upgrading = Self.forwarding(offersUpgrade: true)
    private static let early = Self.forwarding(requestEnded: false, responseStarted: true)
    private static let earlyLast = Self.forwarding(
        requestEnded: false,
        responseStarted: true,
        keepsClient: false
    )
    private static let answering = Self.forwarding(responseStarted: true)
    private static let answeringLast = Self.forwarding(responseStarted: true, keepsClient: false)
    private static let awaiting = Exchange.awaitingBody(budget: 100)
    private static let lingering = Exchange.lingering(Exchange.Lingering(budget: 100))
    private static let farewell = Exchange.lingering(
        Exchange.Lingering(budget: 100, end: .uptimeNanoseconds(7))
    )
    private static let lingers = Exchange.lingering(Exchange.Lingering(budget: 1000))
    private static let unsent = ForwardedRequest.sample()
    private static let connecting = Self.forwarding(requestEnded: false, unsent: Self.unsent)
    private static let tunnel = Exchange.tunnel(Exchange.Tunnel())
    private static let clientGone = Exchange.tunnel(Exchange.Tunnel(clientEnded: true))
    private static let endingTunnel = Exchange.tunnel(
        Exchange.Tunnel(end: .uptimeNanoseconds(9))
    )
    private static let upstreamGone = Exchange.tunnel(Exchange.Tunnel(upstreamEnded: true))

    private static let streaming = Exchange.streaming(
        EventStream(
            received: ForwardedRequest.sample().received,
            address: "192.0.2.1",
            isChunked: true,
            lastTag: ""
        )
    )

    private static let states: [Exchange] = [
        .head, .idle, uploading, connecting, waiting, waitingLast, retryable, upgrading, early,
        earlyLast, answering, answeringLast, awaiting, lingering, farewell, tunnel, endingTunnel,
        clientGone, upstreamGone, streaming, .closed,
    ]

    private static func lingering(_ before: Exchange.Lingering, budget: UInt64) -> Exchange {
        .lingering(Exchange.Lingering(budget: budget, end: before.end))
    }

    /// Checks a table, which must have a row for every state.
    private func check<Action: Equatable>(
        _ rows: [Row<Action>],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ event: (inout Exchange) -> Action
    ) {
        let missing = Self.states.filter { state in !rows.contains { $0.before == state } }
        #expect(missing == [], sourceLocation: sourceLocation)
        for row in rows {
            var exchange = row.before
            let action = event(&exchange)
            #expect(action == row.action, "in \(row.before)", sourceLocation: sourceLocation)
            #expect(exchange == row.after, "from \(row.before)", sourceLocation: sourceLocation)
        }
    }

    @Test func `after a response from the gate, the connection is idle or lingers`() {
        typealias Case = (Bool, Exchange.RemainingBody, Exchange.AnswerAction, Exchange)
        let cases: [Case] = [
            (true, .nothing, .answer, .idle),
            (true, .bytes(1), .awaitBody, .awaitingBody(budget: 1)),
            (true, .bytes(10), .awaitBody, .awaitingBody(budget: 10)),
            (true, .bytes(11), .answerAndLinger, Self.lingers),
            (true, .chunked, .awaitBody, .awaitingBody(budget: 10)),
            (true, .bytes(.max), .answerAndLinger, Self.lingers),
            (true, .unknown, .answerAndLinger, Self.lingers),
            (false, .nothing, .answerAndLinger, Self.lingers),
            (false, .bytes(1), .answerAndLinger, Self.lingers),
            (false, .chunked, .answerAndLinger, Self.lingers),
            (false, .unknown, .answerAndLinger, Self.lingers),
        ]
        for (keepsClient, remaining, action, after) in cases {
            for before in [Exchange.head, .idle, Self.waiting, Self.uploading] {
                var exchange = before
                let answer = exchange.answer(
                    keepsClient: keepsClient,
                    remaining: remaining,
                    limits: Self.limits
                )
                #expect(answer == action)
                #expect(exchange == after)
            }
        }
    }

    @Test func `a response does not wait for a body beyond the limit`() {
        self.check(
            Self.states.map { state in
                guard case .awaitingBody = state else { return (state, .wait, state) }
                return (state, .answerAndLinger, Self.lingers)
            }
        ) { $0.awaited(bytes: 101, limits: Self.limits) }
        var exchange = Self.awaiting
        #expect(exchange.awaited(bytes: 60, limits: Self.limits) == .wait)
        #expect(exchange.awaited(bytes: 40, limits: Self.limits) == .wait)
        #expect(exchange == .awaitingBody(budget: 0))
        #expect(exchange.awaited(bytes: 1, limits: Self.limits) == .answerAndLinger)
    }

    @Test func `with a limit of zero, no response waits for a body`() {
        let limits = DiscardLimits(awaitedBytes: 0, bytes: 1000)
        for remaining in [Exchange.RemainingBody.bytes(1), .chunked] {
            var exchange = Exchange.head
            let action = exchange.answer(keepsClient: true, remaining: remaining, limits: limits)
            #expect(action == .answerAndLinger)
        }
    }

    @Test func `only a complete request on a reused connection may be retried`() {
        self.check(
            Self.states.map { state in
                guard case .forwarding(var forwarding) = state, forwarding.requestEnded else {
                    return (state, true, state)
                }
                forwarding.retryable = true
                return (state, true, .forwarding(forwarding))
            }
        ) { exchange in
            exchange.allowRetry()
            return true
        }
    }

    @Test func `the end of a request is handled in every state`() {
        self.check([
            (.head, .wait, .head),
            (.idle, .wait, .idle),
            (Self.uploading, .wait, Self.waiting),
            (Self.connecting, .wait, Self.forwarding(unsent: Self.unsent)),
            (Self.waiting, .wait, Self.waiting),
            (Self.waitingLast, .wait, Self.waitingLast),
            (Self.retryable, .wait, Self.retryable),
            (Self.upgrading, .wait, Self.upgrading),
            (Self.early, .wait, Self.answering),
            (Self.earlyLast, .wait, Self.answeringLast),
            (Self.answering, .wait, Self.answering),
            (Self.answeringLast, .wait, Self.answeringLast),
            (Self.awaiting, .answer, .idle),
            (Self.lingering, .wait, Self.lingering),
            (Self.farewell, .wait, Self.farewell),
            (Self.tunnel, .wait, Self.tunnel),
            (Self.endingTunnel, .wait, Self.endingTunnel),
            (Self.clientGone, .wait, Self.clientGone),
            (Self.upstreamGone, .wait, Self.upstreamGone),
            (Self.streaming, .wait, Self.streaming),
            (.closed, .wait, .closed),
        ]) { $0.requestEnded() }
    }

    @Test func `a final response head is handled in every state`() {
        self.check([
            (.head, .discard, .head),
            (.idle, .discard, .idle),
            (Self.uploading, .forward(keepsClient: true), Self.early),
            (
                Self.connecting, .forward(keepsClient: true),
                Self.forwarding(requestEnded: false, unsent: Self.unsent, responseStarted: true)
            ),
            (Self.waiting, .forward(keepsClient: true), Self.answering),
            (Self.waitingLast, .forward(keepsClient: false), Self.answeringLast),
            (Self.retryable, .forward(keepsClient: true), Self.answering),
            (
                Self.upgrading, .forward(keepsClient: true),
                Self.forwarding(responseStarted: true, offersUpgrade: true)
            ),
            (Self.early, .discard, Self.early),
            (Self.earlyLast, .discard, Self.earlyLast),
            (Self.answering, .discard, Self.answering),
            (Self.answeringLast, .discard, Self.answeringLast),
            (Self.awaiting, .discard, Self.awaiting),
            (Self.lingering, .discard, Self.lingering),
            (Self.farewell, .discard, Self.farewell),
            (Self.tunnel, .discard, Self.tunnel),
            (Self.endingTunnel, .discard, Self.endingTunnel),
            (Self.clientGone, .discard, Self.clientGone),
            (Self.upstreamGone, .discard, Self.upstreamGone),
            (Self.streaming, .discard, Self.streaming),
            (.closed, .discard, .closed),
        ]) { $0.responseHead(status: 200, switchesAsOffered: false, endsByClose: false) }
    }

    @Test func `a response that ends with its connection is the last for the client`() {
        for (before, after) in [
            (Self.uploading, Self.earlyLast), (Self.waiting, Self.answeringLast),
            (Self.waitingLast, Self.answeringLast),
        ] {
            var exchange = before
            let action = exchange.responseHead(
                status: 200,
                switchesAsOffered: false,
                endsByClose: true
            )
            #expect(action == .forward(keepsClient: false))
            #expect(exchange == after)
        }
    }

    @Test func `an interim response head is handled in every state`() {
        self.check(
            Self.states.map { state in
                guard case .forwarding(var forwarding) = state, !forwarding.responseStarted else {
                    return (state, .discard, state)
                }
                forwarding.retryable = false
                forwarding.interims = 1
                return (state, .forwardInterim, .forwarding(forwarding))
            }
        ) { $0.responseHead(status: 103, switchesAsOffered: false, endsByClose: false) }
    }

    @Test func `too many interim heads cause a bad gateway`() {
        var exchange = Self.waiting
        var actions: [Exchange.ResponseHeadAction] = []
        for _ in 0...Exchange.interimLimit {
            actions.append(
                exchange.responseHead(status: 102, switchesAsOffered: false, endsByClose: false)
            )
        }
        #expect(actions.dropLast().allSatisfy { $0 == .forwardInterim })
        #expect(actions.last == .badGateway)
    }

    @Test func `a 101 is only accepted if an upgrade was offered`() {
        for (before, isOffered, action, after) in [
            (Self.upgrading, true, Exchange.ResponseHeadAction.tunnel, Self.tunnel),
            (Self.upgrading, false, .badGateway, Self.upgrading),
            (Self.waiting, true, .badGateway, Self.waiting),
            (Self.uploading, true, .badGateway, Self.uploading),
            (Self.answering, true, .discard, Self.answering),
            (Self.tunnel, true, .discard, Self.tunnel),
            (.head, true, .discard, .head),
            (Self.streaming, true, .discard, Self.streaming),
            (.closed, true, .discard, .closed),
        ] {
            var exchange = before
            #expect(
                exchange.responseHead(
                    status: 101,
                    switchesAsOffered: isOffered,
                    endsByClose: false
                ) == action
            )
            #expect(exchange == after)
        }
    }

    @Test func `the end of a response is handled in every state`() {
        self.check([
            (.head, .close, .closed),
            (.idle, .close, .closed),
            (Self.uploading, .linger(upstreamIsReusable: false), Self.lingers),
            (Self.connecting, .linger(upstreamIsReusable: false), Self.lingers),
            (Self.waiting, .next, .idle),
            (Self.waitingLast, .linger(upstreamIsReusable: true), Self.lingers),
            (Self.retryable, .next, .idle),
            (Self.upgrading, .next, .idle),
            (Self.early, .linger(upstreamIsReusable: false), Self.lingers),
            (Self.earlyLast, .linger(upstreamIsReusable: false), Self.lingers),
            (Self.answering, .next, .idle),
            (Self.answeringLast, .linger(upstreamIsReusable: true), Self.lingers),
            (Self.awaiting, .close, .closed),
            (Self.lingering, .close, .closed),
            (Self.farewell, .close, .closed),
            (Self.tunnel, .close, .closed),
            (Self.endingTunnel, .close, .closed),
            (Self.clientGone, .close, .closed),
            (Self.upstreamGone, .close, .closed),
            (Self.streaming, .close, .closed),
            (.closed, .close, .closed),
        ]) { $0.responseEnded(limits: Self.limits, isStream: false) }
    }

    @Test func `the end of a response on a stream discards the rest of the request`() {
        let rows: [(Exchange, Exchange.ResponseEndAction, Exchange)] = [
            (Self.uploading, .dropUpstream, .idle),
            (Self.early, .dropUpstream, .idle),
            (Self.earlyLast, .linger(upstreamIsReusable: false), Self.lingers),
            (Self.answering, .next, .idle),
            (Self.answeringLast, .linger(upstreamIsReusable: true), Self.lingers),
        ]
        for (before, action, after) in rows {
            var exchange = before
            #expect(exchange.responseEnded(limits: Self.limits, isStream: true) == action)
            #expect(exchange == after)
        }
    }

    @Test func `discarded bytes are limited in every state`() {
        self.check(
            Self.states.map { state in
                switch state {
                case .lingering(let lingering):
                    (state, .goOn, Self.lingering(lingering, budget: 1))
                case .head, .idle, .forwarding, .awaitingBody, .awaitingMessage, .streaming,
                    .tunnel, .closed:
                    (state, .close, .closed)
                }
            }
        ) { $0.discarded(bytes: 99) }
        var exchange = Self.lingering
        #expect(exchange.discarded(bytes: 100) == .goOn)
        #expect(exchange.discarded(bytes: 0) == .goOn)
        #expect(exchange.discarded(bytes: 1) == .close)
        #expect(exchange == .closed)
    }

    @Test func `the end of the client's side is handled in every state`() {
        self.check([
            (.head, .close, .closed),
            (.idle, .close, .closed),
            (Self.uploading, .close, .closed),
            (Self.connecting, .close, .closed),
            (Self.waiting, .finish, Self.waitingLast),
            (Self.waitingLast, .finish, Self.waitingLast),
            (Self.retryable, .finish, Self.forwarding(keepsClient: false, retryable: true)),
            (Self.upgrading, .finish, Self.forwarding(keepsClient: false, offersUpgrade: true)),
            (Self.early, .close, .closed),
            (Self.earlyLast, .close, .closed),
            (Self.answering, .finish, Self.answeringLast),
            (Self.answeringLast, .finish, Self.answeringLast),
            (Self.awaiting, .finish, Self.awaiting),
            (Self.lingering, .close, .closed),
            (Self.farewell, .close, .closed),
            (Self.tunnel, .endUpstream, Self.clientGone),
            (
                Self.endingTunnel, .endUpstream,
                .tunnel(Exchange.Tunnel(clientEnded: true, end: .uptimeNanoseconds(9)))
            ),
            (Self.clientGone, .endUpstream, Self.clientGone),
            (Self.upstreamGone, .close, .closed),
            (Self.streaming, .close, .closed),
            (.closed, .close, .closed),
        ]) { $0.clientEnded(hasMore: false) }
    }

    @Test func `the end of the client's side with unread input is handled in every state`() {
        self.check([
            (.head, .finish, .head),
            (.idle, .finish, .idle),
            (Self.uploading, .finish, Self.uploading),
            (Self.connecting, .finish, Self.connecting),
            (Self.waiting, .finish, Self.waiting),
            (Self.waitingLast, .finish, Self.waitingLast),
            (Self.retryable, .finish, Self.retryable),
            (Self.upgrading, .finish, Self.upgrading),
            (Self.early, .finish, Self.early),
            (Self.earlyLast, .finish, Self.earlyLast),
            (Self.answering, .finish, Self.answering),
            (Self.answeringLast, .finish, Self.answeringLast),
            (Self.awaiting, .finish, Self.awaiting),
            (Self.lingering, .close, .closed),
            (Self.farewell, .close, .closed),
            (Self.tunnel, .endUpstream, Self.clientGone),
            (
                Self.endingTunnel, .endUpstream,
                .tunnel(Exchange.Tunnel(clientEnded: true, end: .uptimeNanoseconds(9)))
            ),
            (Self.clientGone, .endUpstream, Self.clientGone),
            (Self.upstreamGone, .close, .closed),
            (Self.streaming, .close, .closed),
            (.closed, .close, .closed),
        ]) { $0.clientEnded(hasMore: true) }
    }

    @Test func `the end of the backend connection is handled in every state`() {
        self.check([
            (.head, .doNothing, .head),
            (.idle, .doNothing, .idle),
            (Self.uploading, .badGateway, Self.uploading),
            (Self.connecting, .badGateway, Self.connecting),
            (Self.waiting, .badGateway, Self.waiting),
            (Self.waitingLast, .badGateway, Self.waitingLast),
            (Self.retryable, .retry, Self.waiting),
            (Self.upgrading, .badGateway, Self.upgrading),
            (Self.early, .abort, .closed),
            (Self.earlyLast, .abort, .closed),
            (Self.answering, .abort, .closed),
            (Self.answeringLast, .abort, .closed),
            (Self.awaiting, .doNothing, Self.awaiting),
            (Self.lingering, .doNothing, Self.lingering),
            (Self.farewell, .doNothing, Self.farewell),
            (Self.tunnel, .endClient, Self.upstreamGone),
            (
                Self.endingTunnel, .endClient,
                .tunnel(Exchange.Tunnel(upstreamEnded: true, end: .uptimeNanoseconds(9)))
            ),
            (Self.clientGone, .closeClient, .closed),
            (Self.upstreamGone, .endClient, Self.upstreamGone),
            (Self.streaming, .doNothing, Self.streaming),
            (.closed, .doNothing, .closed),
        ]) { $0.upstreamEnded() }
    }

    @Test func `a malformed response is handled in every state`() {
        self.check(
            Self.states.map { state in
                switch state {
                case .forwarding(let forwarding) where !forwarding.responseStarted:
                    (state, .badGateway, state)
                case .forwarding, .tunnel: (state, .abort, .closed)
                case .head, .idle, .awaitingBody, .awaitingMessage, .streaming, .lingering, .closed:
                    (state, .doNothing, state)
                }
            }
        ) { $0.upstreamViolatedProtocol() }
    }

    @Test func `a drain makes a pending response the last on its connection`() {
        self.check(
            Self.states.map { state in
                guard case .forwarding(var forwarding) = state, !forwarding.responseStarted else {
                    return (state, true, state)
                }
                forwarding.keepsClient = false
                return (state, true, .forwarding(forwarding))
            }
        ) { exchange in
            exchange.drain()
            return true
        }
    }

    @Test(
        arguments: [(false, false), (false, true), (true, false), (true, true)],
        [false, true]
    )
    func `a timeout is handled in every state`(
        _ client: (hasPartialHead: Bool, upstreamStalls: Bool),
        isRepeatable: Bool
    ) {
        let (hasPartialHead, upstreamStalls) = client
        self.check(
            Self.states.map { state -> Row<Exchange.TimeoutAction> in
                switch state {
                case .head where hasPartialHead, .idle where hasPartialHead, .awaitingMessage:
                    (state, .requestTimeout, state)
                case .forwarding(let forwarding)
                where isRepeatable && forwarding.requestEnded && !forwarding.responseStarted:
                    (state, .tryAnotherBackend, Self.silenced(forwarding))
                case .forwarding(let forwarding) where !forwarding.responseStarted:
                    forwarding.requestEnded || upstreamStalls
                        ? (state, .gatewayTimeout, state) : (state, .requestTimeout, state)
                case .awaitingBody: (state, .answerAndLinger, Self.lingers)
                case .head, .idle, .forwarding, .streaming, .lingering, .tunnel, .closed:
                    (state, .close, .closed)
                }
            }
        ) {
            $0.timedOut(
                hasPartialHead: hasPartialHead,
                upstreamStalls: upstreamStalls,
                isRepeatable: isRepeatable,
                limits: Self.limits
            )
        }
    }

    @Test func `a request is not retried after an interim response`() {
        var exchange = Self.forwarding(interims: 1)
        #expect(Self.timeOutRetryable(&exchange) == .gatewayTimeout)
    }

    @Test func `a request is retried with only one other backend`() {
        var exchange = Self.waiting
        #expect(Self.timeOutRetryable(&exchange) == .tryAnotherBackend)
        #expect(Self.timeOutRetryable(&exchange) == .gatewayTimeout)
    }

    private static func silenced(_ before: Exchange.Forwarding) -> Exchange {
        var forwarding = before
        (forwarding.upstreamTimedOut, forwarding.retryable) = (true, false)
        return .forwarding(forwarding)
    }

    private static func timeOutRetryable(_ exchange: inout Exchange) -> Exchange.TimeoutAction {
        exchange.timedOut(
            hasPartialHead: false,
            upstreamStalls: false,
            isRepeatable: true,
            limits: Self.limits
        )
    }

    @Test func `the first bytes of a head start its timeout, others do not`() {
        self.check(
            Self.states.map { $0 == .idle ? ($0, true, .head) : ($0, false, $0) }
        ) { $0.headBegan() }
    }

    @Test func `only a forwarded request waits for a connection`() {
        self.check(
            Self.states.map { state in
                guard case .forwarding(var forwarding) = state else { return (state, true, state) }
                forwarding.unsent = Self.unsent
                return (state, true, .forwarding(forwarding))
            }
        ) { exchange in
            exchange.connect(sending: Self.unsent)
            return true
        }
    }

    @Test
    func `a waiting request is returned once, and not after it has ended`() {
        self.check(
            Self.states.map { state in
                guard case .forwarding(var forwarding) = state, forwarding.isConnecting else {
                    return (state, nil, state)
                }
                forwarding.unsent = nil
                return (state, Self.unsent, .forwarding(forwarding))
            }
        ) { $0.endConnecting() }
        var exchange = Self.connecting
        exchange.close()
        #expect(exchange.endConnecting() == nil)
    }

    @Test func `only a last response starts the lingering close when it is written`() {
        self.check(
            Self.states.map { state in
                guard case .lingering = state else { return (state, true, state) }
                return (state, true, Self.farewell)
            }
        ) { exchange in
            exchange.lastResponseWritten(end: .uptimeNanoseconds(7))
            return true
        }
    }

    @Test func `only a tunnel gets an end`() {
        self.check(
            Self.states.map { state in
                guard case .tunnel(var tunnel) = state else { return (state, true, state) }
                tunnel.end = .uptimeNanoseconds(9)
                return (state, true, .tunnel(tunnel))
            }
        ) { exchange in
            exchange.endTunnel(by: .uptimeNanoseconds(9))
            return true
        }
    }

    @Test func `the deadline depends on the side that must act next`() {
        let rows: [(Exchange, Exchange.Wait)] = [
            (.head, .head),
            (.idle, .request),
            (Self.uploading, .body),
            (Self.connecting, .connection),
            (Self.waiting, .response),
            (Self.waitingLast, .response),
            (Self.retryable, .response),
            (Self.upgrading, .response),
            (Self.early, .response),
            (Self.earlyLast, .response),
            (Self.answering, .response),
            (Self.answeringLast, .response),
            (Self.awaiting, .awaitedBody),
            (Self.lingering, .lastBytes),
            (Self.farewell, .rest(until: .uptimeNanoseconds(7))),
            (Self.tunnel, .tunnel),
            (Self.endingTunnel, .rest(until: .uptimeNanoseconds(9))),
            (Self.clientGone, .tunnel),
            (Self.upstreamGone, .tunnel),
            (Self.streaming, .heartbeat),
            (.closed, .lastBytes),
        ]
        #expect(rows.map(\.0) == Self.states)
        for (state, wait) in rows { #expect(state.wait == wait, "in \(state)") }
    }

    @Test func `a call to the gate waits for its message`() {
        var exchange = Exchange.idle
        exchange.awaitMessage(of: .check)
        #expect(exchange == .awaitingMessage(.check))
        #expect(exchange.wait == .body)
        #expect(!exchange.isBetweenRequests)
        #expect(!exchange.takesContent)
        #expect(exchange.clientEnded(hasMore: false) == .finish)
        exchange.endCall()
        #expect(exchange == .idle)
    }
}
