import NIOCore
import Testing

@testable import GateProxy

/// Typical sequences of events on a connection.
struct ExchangeStoryTests {
    private let limits = DiscardLimits(awaitedBytes: 10, bytes: 1000)

    private func forward(
        _ exchange: inout Exchange,
        requestEnded: Bool = true,
        offersUpgrade: Bool = false
    ) {
        exchange.forward(
            Exchange.Forwarding(
                requestEnded: requestEnded,
                keepsClient: true,
                retryable: false,
                offersUpgrade: offersUpgrade
            )
        )
    }

    private func head(
        _ exchange: inout Exchange,
        _ status: Int = 200
    ) -> Exchange.ResponseHeadAction {
        exchange.responseHead(status: status, switchesAsOffered: true, endsByClose: false)
    }

    @Test func `two requests are served one after the other`() {
        var exchange = Exchange.head
        for _ in 0..<2 {
            self.forward(&exchange)
            #expect(self.head(&exchange) == .forward(keepsClient: true))
            #expect(exchange.responseEnded(limits: self.limits, isStream: false) == .next)
            #expect(exchange == .idle)
        }
        #expect(exchange.clientEnded(hasMore: false) == .close)
    }

    @Test func `an upload with 100-continue is forwarded`() {
        var exchange = Exchange.head
        self.forward(&exchange, requestEnded: false)
        #expect(self.head(&exchange, 100) == .forwardInterim)
        #expect(exchange.requestEnded() == .wait)
        #expect(self.head(&exchange, 201) == .forward(keepsClient: true))
        #expect(exchange.responseEnded(limits: self.limits, isStream: false) == .next)
    }

    @Test func `after an early response on a stream the rest of the upload is discarded`() {
        var exchange = Exchange.head
        self.forward(&exchange, requestEnded: false)
        #expect(self.head(&exchange, 413) == .forward(keepsClient: true))
        #expect(exchange.responseEnded(limits: self.limits, isStream: true) == .dropUpstream)
        #expect(exchange == .idle)
    }

    @Test func `after an early response an upload beyond the limit closes the connection`() {
        var exchange = Exchange.head
        self.forward(&exchange, requestEnded: false)
        _ = self.head(&exchange, 413)
        _ = exchange.responseEnded(limits: self.limits, isStream: false)
        #expect(exchange.discarded(bytes: 1000) == .goOn)
        #expect(exchange.discarded(bytes: 1) == .close)
    }

    @Test func `a denial waits for the request body`() {
        var exchange = Exchange.head
        let action = exchange.answer(keepsClient: true, remaining: .bytes(7), limits: self.limits)
        #expect(action == .awaitBody)
        #expect(exchange.awaited(bytes: 6, limits: self.limits) == .wait)
        #expect(exchange.requestEnded() == .answer)
        #expect(exchange == .idle)
    }

    @Test func `a stale connection is retried once and not twice`() {
        var exchange = Exchange.head
        self.forward(&exchange)
        exchange.allowRetry()
        #expect(exchange.upstreamEnded() == .retry)
        #expect(exchange.upstreamEnded() == .badGateway)
    }

    @Test func `an upload is never retried`() {
        var exchange = Exchange.head
        self.forward(&exchange, requestEnded: false)
        exchange.allowRetry()
        _ = exchange.requestEnded()
        #expect(exchange.upstreamEnded() == .badGateway)
    }

    @Test func `a response that has started is never retried`() {
        var exchange = Exchange.head
        self.forward(&exchange)
        exchange.allowRetry()
        _ = self.head(&exchange)
        #expect(exchange.upstreamEnded() == .abort)
    }

    @Test func `a client that closes its side still gets its response`() {
        var exchange = Exchange.head
        self.forward(&exchange)
        #expect(exchange.clientEnded(hasMore: false) == .finish)
        #expect(self.head(&exchange) == .forward(keepsClient: false))
        #expect(
            exchange.responseEnded(limits: self.limits, isStream: false)
                == .linger(upstreamIsReusable: true)
        )
    }

    @Test func `a tunnel ends on one side and then on the other`() {
        var first = Exchange.head
        self.forward(&first, offersUpgrade: true)
        #expect(self.head(&first, 101) == .tunnel)
        var second = first
        #expect(first.clientEnded(hasMore: false) == .endUpstream)
        #expect(first.upstreamEnded() == .closeClient)
        #expect(second.upstreamEnded() == .endClient)
        #expect(second.clientEnded(hasMore: false) == .close)
        #expect(first == .closed && second == .closed)
    }

    @Test(arguments: [
        (200, false), (204, false), (299, false), (301, true), (403, true), (500, true),
    ])
    func `a 2xx response to CONNECT is a bad gateway`(_ status: Int, _ passes: Bool) {
        var exchange = Exchange.head
        exchange.forward(
            Exchange.Forwarding(
                requestEnded: true,
                keepsClient: true,
                retryable: false,
                offersUpgrade: true,
                isConnect: true
            )
        )
        #expect(self.head(&exchange, 103) == .forwardInterim)
        #expect(
            self.head(&exchange, status) == (passes ? .forward(keepsClient: true) : .badGateway)
        )
    }

    @Test func `a drain waits for the response and then closes the connection`() {
        var exchange = Exchange.head
        self.forward(&exchange)
        exchange.drain()
        #expect(self.head(&exchange) == .forward(keepsClient: false))
        #expect(
            exchange.responseEnded(limits: self.limits, isStream: false)
                == .linger(upstreamIsReusable: true)
        )
        #expect(exchange.discarded(bytes: 3) == .goOn)
        #expect(exchange.clientEnded(hasMore: false) == .close)
    }

    @Test func `the default limits are the documented ones`() {
        #expect(
            DiscardLimits.defaults
                == DiscardLimits(
                    awaitedBytes: 65_536,
                    awaitedTime: .seconds(1),
                    bytes: 67_108_864,
                    time: .seconds(30)
                )
        )
    }
}
