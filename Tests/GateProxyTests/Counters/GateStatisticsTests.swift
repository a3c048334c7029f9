import GatePolicy
import NIOCore
import Testing
import WireSamples

@testable import GateProxy

/// The statistics of a worker after requests on its event loop.
struct GateStatisticsTests {
    @Test func `requests are counted by their terms, also across rule changes`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        func ask() throws {
            try client.receive(Message.get)
            try upstream.receive(Message.ok)
            try client.receive(Message.outdated)
        }
        try ask()
        stage.worker.use(try Stage.ruleSet(minimum: "2.5"))
        try ask()
        let statistics = stage.worker.statistics
        #expect(
            statistics.requests == [
                RequestTerms(kind: .allow): 2, RequestTerms(kind: .require, rule: "floor"): 2,
            ]
        )
        #expect(statistics.counters.requests == 4)
    }

    @Test func `latency is measured until the denial, the backend and its response`() throws {
        let uptime = ManualUptime()
        let stage = try Stage(uptime: uptime) { $0.measuresLatency = true }
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.outdated)
        try client.receive(Message.get)
        uptime.now = uptime.now + .milliseconds(30)
        try upstream.receive(wire("HTTP/1.1 103 Early Hints"))
        uptime.now = uptime.now + .milliseconds(10)
        try upstream.receive(Message.ok)
        let latency = stage.worker.statistics.latency
        #expect(latency.denied.counts.reduce(0, +) == 1)
        #expect(latency.forwarded.counts.reduce(0, +) == 1)
        #expect(latency.answered.counts.reduce(0, +) == 1)
        #expect(latency.answered.sum == TimeAmount.milliseconds(40).nanoseconds)
    }

    @Test func `the clock is not read if latency is not measured`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        try upstream.receive(Message.ok)
        try client.receive(Message.outdated)
        #expect(stage.worker.statistics.latency == LatencyFigures())
    }

    @Test func `statistics of one backend from several loops are merged`() {
        var one = BackendStatistics(name: "http://a:80")
        one.addresses = ["192.0.2.1:80": false, "192.0.2.2:80": false]
        one.idleConnections = 2
        one.failures.connections = 1
        var other = one
        other.addresses["192.0.2.2:80"] = true
        other.failures.answers = 3
        var sum = GateStatistics()
        for backend in [one, other] {
            var part = GateStatistics()
            part.backends = [backend]
            part.openConnections = 4
            part.requests = [.preflight: 2]
            sum.add(part)
        }
        var both = BackendStatistics(name: "http://a:80")
        both.addresses = ["192.0.2.1:80": false, "192.0.2.2:80": true]
        both.idleConnections = 4
        both.failures = .init(connections: 2, answers: 3)
        #expect(sum.backends == [both])
        #expect(sum.openConnections == 8)
        #expect(sum.requests == [.preflight: 4])
    }
}
