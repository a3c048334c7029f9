import NIOCore
import Testing

@testable import GateProxy

struct UpstreamBalancerTests {
    private static func time(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(0) + .seconds(100) + .milliseconds(milliseconds)
    }

    private static let start = Self.time(0)

    @Test(
        arguments: [
            (1, 0, [0, 0, 0]), (2, 0, [0, 1, 0, 1]), (3, 1, [1, 2, 0, 1]), (3, 7, [1, 2, 0]),
            (0, 0, [nil, nil]),
        ] as [(Int, Int, [Int?])]
    )
    func `each has its turn`(_ count: Int, _ turn: Int, _ expected: [Int?]) {
        var balancer = UpstreamBalancer(count: count, turn: turn)
        #expect(expected.map { _ in balancer.choose(at: Self.start) } == expected)
    }

    @Test func `what was tried is not taken again`() {
        var balancer = UpstreamBalancer(count: 3)
        #expect(balancer.choose(at: Self.start, besides: [0]) == 1)
        #expect(balancer.choose(at: Self.start, besides: [0, 2]) == 1)
        #expect(balancer.choose(at: Self.start, besides: [0, 1, 2]) == nil)
    }

    @Test func `one that cannot be reached is left out until its time is over`() {
        var balancer = UpstreamBalancer(count: 3)
        #expect(balancer.connectFailed(1, at: Self.start) == .eject(for: .seconds(1)))
        let meanwhile = (0..<4).map { _ in balancer.choose(at: Self.time(999)) }
        #expect(meanwhile == [0, 2, 0, 2])
        let after = (0..<3).map { _ in balancer.choose(at: Self.time(1000)) }
        #expect(after.contains(1))
    }

    @Test func `one alone tries whether it is back`() {
        var balancer = UpstreamBalancer(count: 2)
        _ = balancer.connectFailed(1, at: Self.start)
        let choices = (0..<5).map { _ in balancer.choose(at: Self.time(1000)) }
        #expect(choices.filter { $0 == 1 }.count == 1)
        #expect(balancer.connected(1) == .welcomeBack)
        let later = (0..<4).map { _ in balancer.choose(at: Self.time(1000)) }
        #expect(later.filter { $0 == 1 }.count == 2)
    }

    @Test func `it is left out longer each time, and never longer than half a minute`() {
        var balancer = UpstreamBalancer(count: 2)
        var now = Self.start
        #expect(balancer.connectFailed(0, at: now) == .eject(for: .seconds(1)))
        for seconds: Int64 in [2, 4, 8, 16, 30, 30, 30, 30, 30, 30] {
            now = now + .seconds(30)
            while balancer.choose(at: now) != 0 {}
            #expect(balancer.connectFailed(0, at: now) == .keepOut(for: .seconds(seconds)))
        }
    }

    @Test func `an answer makes its past forgotten, a mere connection does not`() {
        var balancer = UpstreamBalancer(count: 2)
        _ = balancer.connectFailed(0, at: Self.start)
        while balancer.choose(at: Self.time(1000)) != 0 {}
        _ = balancer.connected(0)
        #expect(balancer.isSuspect(0))
        var answering = balancer
        #expect(balancer.connectFailed(0, at: Self.time(1000)) == .eject(for: .seconds(2)))
        answering.answered(0)
        #expect(!answering.isSuspect(0))
        #expect(answering.connectFailed(0, at: Self.time(1000)) == .eject(for: .seconds(1)))
    }

    @Test func `all are tried where all are left out`() {
        var balancer = UpstreamBalancer(count: 2)
        _ = balancer.connectFailed(0, at: Self.start)
        _ = balancer.connectFailed(1, at: Self.start)
        #expect((0..<4).map { _ in balancer.choose(at: Self.time(1)) } == [0, 1, 0, 1])
        #expect(balancer.choose(at: Self.time(1), besides: [0], insisting: false) == nil)
        #expect(balancer.connectFailed(0, at: Self.time(1)) == .doNothing)
        #expect(balancer.connected(0) == .welcomeBack)
        #expect((0..<2).map { _ in balancer.choose(at: Self.time(1)) } == [0, 0])
    }

    @Test func `the only one is never left out`() {
        var balancer = UpstreamBalancer(count: 1)
        #expect(balancer.connectFailed(0, at: Self.start) == .doNothing)
        for _ in 0..<100 {
            #expect(balancer.answerFailed(0, at: Self.start) == .doNothing)
        }
        #expect(!balancer.isSuspect(0))
    }

    @Test func `failed answers count only one after the other`() {
        var balancer = UpstreamBalancer(count: 2)
        for _ in 0..<3 {
            for _ in 1..<UpstreamBalancer.faultLimit {
                #expect(balancer.answerFailed(1, at: Self.start) == .doNothing)
            }
            #expect(balancer.isSuspect(1))
            balancer.answered(1)
            #expect(!balancer.isSuspect(1))
        }
        for _ in 1..<UpstreamBalancer.faultLimit { _ = balancer.answerFailed(1, at: Self.start) }
        #expect(balancer.answerFailed(1, at: Self.start) == .eject(for: .seconds(1)))
        // Those that were under way tell nothing new.
        #expect(balancer.answerFailed(1, at: Self.start) == .doNothing)
    }

    @Test func `one that is back and fails to answer is left out at once, and longer`() {
        var balancer = UpstreamBalancer(count: 2)
        _ = balancer.connectFailed(1, at: Self.start)
        while balancer.choose(at: Self.time(1000)) != 1 {}
        _ = balancer.connected(1)
        #expect(balancer.answerFailed(1, at: Self.time(1000)) == .eject(for: .seconds(2)))
    }

    @Test func `another list keeps what is known of those that stay`() {
        var balancer = UpstreamBalancer(count: 3)
        _ = balancer.connectFailed(2, at: Self.start)
        balancer.replace(with: [2, nil, 0])
        #expect(balancer.count == 3)
        #expect([0, 1, 2].map { balancer.isSuspect($0) } == [true, false, false])
        #expect((0..<4).map { _ in balancer.choose(at: Self.start) } == [1, 2, 1, 2])
        balancer.replace(with: [0])
        #expect(!balancer.isSuspect(0))
        balancer.replace(with: [])
        #expect(balancer.choose(at: Self.start) == nil)
    }
}
