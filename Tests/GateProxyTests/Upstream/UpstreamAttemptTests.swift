import NIOCore
import NIOEmbedded
import Testing

@testable import GateProxy

/// The choice of an address after a failed attempt to connect, without a request.
struct UpstreamAttemptTests {
    private let stage: Stage
    private var pools: UpstreamPools { self.stage.worker.clients.pools }
    private var now: NIODeadline { self.stage.worker.loop.now }

    init() throws {
        let loop = EmbeddedEventLoop()
        self.stage = try Stage(loop: loop, backends: FakeBackends(loop: loop)) { settings in
            settings.upstream.targets = (1...5).compactMap {
                UpstreamTarget("http://192.0.2.\($0):80")
            }
        }
    }

    /// Returns the address to try after all `count` attempts have failed in the same way.
    private func next(
        afterAttempts count: Int,
        _ error: any Error,
        isExcluded: Bool = false
    ) throws -> (next: UpstreamPool.Choice?, tried: [UpstreamPool.Member]) {
        var tried: [UpstreamPool.Member] = []
        for _ in 0..<count {
            let choice = self.pools.standard.next(at: self.now, besides: tried, insisting: true)
            tried.append(try #require(choice).member)
        }
        if isExcluded {
            for _ in 0..<5 {
                let member = try #require(self.pools.standard.next(at: self.now)).member
                self.pools.standard.connectFailed(member, FakeBackends.refused)
            }
        }
        let next = self.pools.nextAddress(
            after: UpstreamPool.ConnectError(cause: error),
            on: nil,
            tried: tried,
            at: self.now
        )
        return (next, tried)
    }

    @Test(arguments: [
        (1, FakeBackends.refused as any Error, true), (4, FakeBackends.refused, true),
        (5, FakeBackends.refused, false), (1, FakeBackends.timeout, true),
        (2, FakeBackends.timeout, true),
        // A request waits for three connections at most.
        (3, FakeBackends.timeout, false),
    ])
    func `another address is tried, until none is left or the request has waited long enough`(
        count: Int,
        error: any Error,
        hasNext: Bool
    ) throws {
        let (next, tried) = try self.next(afterAttempts: count, error)
        #expect((next != nil) == hasNext)
        #expect(!tried.contains { $0 === next?.member })
    }

    @Test(arguments: [
        (1, FakeBackends.refused as any Error, true), (2, FakeBackends.refused, true),
        // After three attempts, excluded addresses are no longer tried.
        (3, FakeBackends.refused, false),
        // They could time out as well.
        (1, FakeBackends.timeout, false),
    ])
    func `excluded addresses are tried only after a few quick failures`(
        count: Int,
        error: any Error,
        hasNext: Bool
    ) throws {
        let (next, _) = try self.next(afterAttempts: count, error, isExcluded: true)
        #expect((next != nil) == hasNext)
    }
}
