import NIOCore
import Testing

@testable import GateProxy

struct UpstreamBalancerTests {
    private static func time(_ milliseconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(0) + .seconds(100) + .milliseconds(milliseconds)
    }

    private static let start = Self.time(0)

    /// Returns the indexes of the addresses to which this many requests are sent.
    private static func places(
        _ balancer: inout UpstreamBalancer,
        _ count: Int,
        at now: NIODeadline = Self.start
    ) -> [Int?] {
        (0..<count).map { _ in balancer.choose(at: now)?.index }
    }

    /// Returns the trial of an address whose exclusion is over.
    private static func trial(
        _ balancer: inout UpstreamBalancer,
        of index: Int,
        at now: NIODeadline
    ) throws -> UpstreamBalancer.Trial {
        while true {
            let choice = balancer.choose(at: now)
            if choice?.index == index { return try #require(choice?.trial) }
        }
    }

    @Test(
        arguments: [
            (1, 0, [0, 0, 0]), (2, 0, [0, 1, 0, 1]), (3, 1, [1, 2, 0, 1]), (3, 7, [1, 2, 0]),
            (0, 0, [nil, nil]),
        ] as [(Int, Int, [Int?])]
    )
    func `addresses take turns`(_ count: Int, _ turn: Int, _ expected: [Int?]) {
        var balancer = UpstreamBalancer(count: count, turn: turn)
        #expect(Self.places(&balancer, expected.count) == expected)
    }

    @Test func `an address that was tried is not chosen again`() {
        var balancer = UpstreamBalancer(count: 3)
        #expect(balancer.choose(at: Self.start, besides: [0])?.index == 1)
        #expect(balancer.choose(at: Self.start, besides: [0, 2])?.index == 1)
        #expect(balancer.choose(at: Self.start, besides: [0, 1, 2]) == nil)
    }

    @Test func `an unreachable address is left out for its time`() {
        var balancer = UpstreamBalancer(count: 3)
        #expect(balancer.connectFailed(1, at: Self.start) == .eject(for: .seconds(1)))
        #expect(Self.places(&balancer, 4, at: Self.time(999)) == [0, 2, 0, 2])
        #expect(Self.places(&balancer, 3, at: Self.time(1000)).contains(1))
    }

    @Test func `an address is tried with a single request until it responds`() {
        var balancer = UpstreamBalancer(count: 2)
        _ = balancer.connectFailed(1, at: Self.start)
        #expect(Self.places(&balancer, 5, at: Self.time(1000)).filter { $0 == 1 }.count == 1)
        #expect(Self.places(&balancer, 5, at: Self.time(20_000)).allSatisfy { $0 == 0 })
        #expect(balancer.answered(1) == .hasRecovered)
        #expect(Self.places(&balancer, 4, at: Self.time(20_000)).filter { $0 == 1 }.count == 2)
    }

    @Test func `a trial without a result allows another trial`() throws {
        var balancer = UpstreamBalancer(count: 2)
        _ = balancer.connectFailed(1, at: Self.start)
        let first = try Self.trial(&balancer, of: 1, at: Self.time(1000))
        balancer.trialEnded(first, of: 1, at: Self.time(1500))
        let second = try Self.trial(&balancer, of: 1, at: Self.time(1500))
        #expect(second != first)
        // Ending the first trial again has no effect.
        balancer.trialEnded(first, of: 1, at: Self.time(1500))
        #expect(Self.places(&balancer, 4, at: Self.time(1500)).allSatisfy { $0 == 0 })
        let late = Self.time(1500) + UpstreamBalancer.longestTrial
        #expect(try Self.trial(&balancer, of: 1, at: late) != second)
    }

    @Test func `a trial with a result has ended`() throws {
        var balancer = UpstreamBalancer(count: 2)
        _ = balancer.connectFailed(1, at: Self.start)
        let trial = try Self.trial(&balancer, of: 1, at: Self.time(1000))
        var failed = balancer
        #expect(failed.answerFailed(1, at: Self.time(1000)) == .extendEjection(for: .seconds(2)))
        failed.trialEnded(trial, of: 1, at: Self.time(1000))
        #expect(Self.places(&failed, 4, at: Self.time(2999)).allSatisfy { $0 == 0 })
        #expect(balancer.answered(1) == .hasRecovered)
        balancer.trialEnded(trial, of: 1, at: Self.time(1000))
        #expect(Self.places(&balancer, 4, at: Self.time(1000)).contains(1))
    }

    @Test func `a request that could not reach one address goes to a serving one`() {
        for good in 0..<4 {
            for turn in 0..<4 {
                var balancer = UpstreamBalancer(count: 4, turn: turn)
                let bad = (0..<4).filter { $0 != good }
                for index in bad { _ = balancer.connectFailed(index, at: Self.start) }
                // The exclusion of all addresses is over, so each of them may be tried.
                let now = Self.time(60_000)
                guard let first = balancer.choose(at: now)?.index, first != good else { continue }
                _ = balancer.connectFailed(first, at: now)
                #expect(balancer.choose(at: now, besides: [first])?.index == good)
            }
        }
    }

    @Test func `without a serving address, one whose exclusion is over comes first`() {
        var balancer = UpstreamBalancer(count: 3)
        for index in 0..<3 { _ = balancer.connectFailed(index, at: Self.time(100 * Int64(index))) }
        let now = Self.time(1150)
        #expect(balancer.choose(at: now)?.trial != nil)
        _ = balancer.connectFailed(0, at: now)
        let choice = balancer.choose(at: now, besides: [0], insisting: false)
        #expect(choice?.index == 1)
        #expect(choice?.trial != nil)
        #expect(balancer.choose(at: now, besides: [0], insisting: false) == nil)
    }

    @Test func `an address is left out for longer each time, up to half a minute`() {
        var balancer = UpstreamBalancer(count: 2)
        var now = Self.start
        #expect(balancer.connectFailed(0, at: now) == .eject(for: .seconds(1)))
        for seconds: Int64 in [2, 4, 8, 16, 30, 30, 30, 30, 30, 30] {
            now = now + .seconds(30)
            while balancer.choose(at: now)?.index != 0 {}
            let action =
                seconds.isMultiple(of: 4)
                ? balancer.answerFailed(0, at: now) : balancer.connectFailed(0, at: now)
            #expect(action == .extendEjection(for: .seconds(seconds)))
        }
    }

    @Test func `a silent address is left out for longer`() {
        var balancer = UpstreamBalancer(count: 2)
        #expect(balancer.fellSilent(1, at: Self.start) == .eject(for: .seconds(4)))
        #expect(balancer.fellSilent(1, at: Self.start) == .doNothing)
        #expect(Self.places(&balancer, 4, at: Self.time(3999)).allSatisfy { $0 == 0 })
        #expect(Self.places(&balancer, 2, at: Self.time(4000)).contains(1))
        #expect(
            balancer.answerFailed(1, isSilent: true, at: Self.time(4000))
                == .extendEjection(for: .seconds(8))
        )
        for _ in 1..<UpstreamBalancer.faultLimit {
            _ = balancer.answerFailed(0, isSilent: true, at: Self.start)
        }
        #expect(
            balancer.answerFailed(0, isSilent: true, at: Self.start) == .eject(for: .seconds(4))
        )
        var alone = UpstreamBalancer(count: 1)
        #expect(alone.fellSilent(0, at: Self.start) == .doNothing)
    }

    @Test func `a second response clears the history of an address`() {
        var balancer = UpstreamBalancer(count: 2)
        _ = balancer.connectFailed(0, at: Self.start)
        while balancer.choose(at: Self.time(1000))?.index != 0 {}
        #expect(balancer.answered(0) == .hasRecovered)
        #expect(balancer.isSuspect(0))
        var answering = balancer
        #expect(balancer.connectFailed(0, at: Self.time(1000)) == .eject(for: .seconds(2)))
        #expect(answering.answered(0) == .doNothing)
        #expect(!answering.isSuspect(0))
        #expect(answering.connectFailed(0, at: Self.time(1000)) == .eject(for: .seconds(1)))
    }

    @Test func `all addresses are tried if all are left out`() {
        var balancer = UpstreamBalancer(count: 2)
        _ = balancer.connectFailed(0, at: Self.start)
        _ = balancer.connectFailed(1, at: Self.start)
        #expect(Self.places(&balancer, 4, at: Self.time(1)) == [0, 1, 0, 1])
        #expect(balancer.choose(at: Self.time(1), besides: [0], insisting: false) == nil)
        #expect(balancer.connectFailed(0, at: Self.time(1)) == .doNothing)
        #expect(balancer.answered(0) == .hasRecovered)
        #expect(Self.places(&balancer, 2, at: Self.time(1)) == [0, 0])
    }

    @Test func `the only address is never left out`() {
        var balancer = UpstreamBalancer(count: 1)
        #expect(balancer.connectFailed(0, at: Self.start) == .doNothing)
        for _ in 0..<100 {
            #expect(balancer.answerFailed(0, at: Self.start) == .doNothing)
        }
        #expect(!balancer.isSuspect(0))
    }

    @Test func `only consecutive failed responses count`() {
        var balancer = UpstreamBalancer(count: 2)
        for _ in 0..<3 {
            for _ in 1..<UpstreamBalancer.faultLimit {
                #expect(balancer.answerFailed(1, at: Self.start) == .doNothing)
            }
            #expect(balancer.isSuspect(1))
            #expect(balancer.answered(1) == .doNothing)
            #expect(!balancer.isSuspect(1))
        }
        for _ in 1..<UpstreamBalancer.faultLimit { _ = balancer.answerFailed(1, at: Self.start) }
        #expect(balancer.answerFailed(1, at: Self.start) == .eject(for: .seconds(1)))
        // Failures of requests that were in progress do not count.
        #expect(balancer.answerFailed(1, at: Self.start) == .doNothing)
    }

    @Test func `a new list keeps the state of remaining addresses`() {
        var balancer = UpstreamBalancer(count: 3)
        _ = balancer.connectFailed(2, at: Self.start)
        balancer.replace(with: [2, nil, 0])
        #expect(balancer.count == 3)
        #expect([0, 1, 2].map { balancer.isSuspect($0) } == [true, false, false])
        #expect(Self.places(&balancer, 4) == [1, 2, 1, 2])
        balancer.replace(with: [0])
        #expect(!balancer.isSuspect(0))
        balancer.replace(with: [])
        #expect(balancer.choose(at: Self.start) == nil)
    }
}
