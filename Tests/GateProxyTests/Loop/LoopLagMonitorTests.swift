import NIOCore
import Testing

@testable import GateProxy

struct LoopLagMonitorTests {
    @Test(arguments: [
        ([], false), ([0], false), ([5000], false), ([5000, 5000], true), ([1001, 1001], true),
        ([1000, 1000], false), ([5000, 0, 5000], false), ([5000, 5000, 0], false),
        ([5000, 5000, 5000], true), ([5000, 5000, 0, 5000], false), ([-5, -5], false),
    ])
    func `only a loop that is repeatedly late is overloaded`(_ lags: [Int], _ isLasting: Bool) {
        var monitor = LoopLagMonitor()
        for lag in lags { monitor.tick(late: .milliseconds(Int64(lag))) }
        #expect(monitor.isLasting == isLasting)
    }

    @Test func `an overloaded loop refuses forwarded requests until it catches up`() throws {
        let uptime = ManualUptime()
        let stage = try Stage(uptime: uptime)
        stage.worker.start()
        let upstream = try stage.upstream()
        let client = try stage.client()
        for (lag, isForwarded) in [(1500, true), (1500, false), (1500, false), (0, true)] {
            uptime.now = uptime.now + LoopContext.tickInterval + .milliseconds(Int64(lag))
            stage.tick()
            try client.receive(Message.get)
            #expect(upstream.socket.takeSent().isEmpty != isForwarded)
            if isForwarded {
                try upstream.receive(Message.ok)
                #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 200 "))
            } else {
                let refusal = client.socket.takeSent()
                #expect(refusal.hasPrefix("HTTP/1.1 503 "))
                #expect(refusal.contains("Retry-After: 1\r\n"))
            }
            // A request that needs no backend gets a response as usual.
            try client.receive(Message.outdated)
            #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
        }
    }
}
