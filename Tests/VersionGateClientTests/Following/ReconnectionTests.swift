import Testing

@testable import VersionGateClient

struct ReconnectionTests {
    typealias Ending = Reconnection.Ending
    typealias Step = Reconnection.Step

    @Test
    func `a stream that ends after an event is reconnected without a state change`() {
        var reconnection = Reconnection()
        reconnection.named(retryMilliseconds: 2000)
        reconnection.succeeded()
        #expect(reconnection.ended(.ended, share: 0) == Step(delay: 2, isLost: false))
        reconnection.succeeded()
        #expect(reconnection.ended(.ended, share: 0.5) == Step(delay: 3, isLost: false))
    }

    @Test
    func `a stream that ends before an event is a failure`() {
        var reconnection = Reconnection()
        #expect(reconnection.ended(.ended, share: 0) == Step(delay: 3, isLost: false))
        #expect(reconnection.ended(.ended, share: 0) == Step(delay: 6, isLost: true))
    }

    @Test
    func `each failure doubles the delay up to a limit, and an event resets it`() {
        var reconnection = Reconnection()
        reconnection.named(retryMilliseconds: 5000)
        let delays = (0..<30).map { _ in reconnection.ended(.failed, share: 0).delay }
        #expect(Array(delays.prefix(6)) == [5, 10, 20, 40, 80, 150])
        #expect(delays.dropFirst(5).allSatisfy { $0 == 150 })
        #expect(reconnection.ended(.failed, share: 0.999).delay < 300)
        reconnection.succeeded()
        #expect(reconnection.ended(.failed, share: 0) == Step(delay: 5, isLost: true))
    }

    struct Named: Sendable {
        var milliseconds: Int
        var seconds: Double
    }

    @Test(arguments: [
        Named(milliseconds: 0, seconds: 0.1), Named(milliseconds: -5, seconds: 0.1),
        Named(milliseconds: 50, seconds: 0.1), Named(milliseconds: 3765, seconds: 3.765),
        Named(milliseconds: Int.max, seconds: 150),
    ])
    func `the gate's retry time is clamped`(_ named: Named) {
        var reconnection = Reconnection()
        reconnection.named(retryMilliseconds: named.milliseconds)
        #expect(reconnection.ended(.failed, share: 0).delay == named.seconds)
    }

    @Test
    func `Retry-After is honored up to an hour`() {
        for (seconds, delay) in [(1.0, 3.0), (60, 60), (1e9, 3600)] {
            var reconnection = Reconnection()
            let step = reconnection.ended(.refused(retryAfter: seconds), share: 0)
            #expect(step == Step(delay: delay, isLost: true))
        }
    }
}
