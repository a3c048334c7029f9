import GatePolicy
import GateTestSupport
import StandInStreams
import Synchronization
import Testing

@testable import GateEnvoy

/// Exchanges in which nothing is sent while the rules change.
extension ModuleStreamTests {
    /// A clock that the test sets.
    private final class Clock: Sendable {
        let second: Atomic<Int64>

        init(_ second: Int64) {
            self.second = Atomic(second)
        }

        var now: Timestamp { Timestamp(secondsSinceEpoch: self.second.load(ordering: .acquiring)) }
    }

    @Test(arguments: lasting)
    func `an idle stream of a denied client ends by itself`(
        request: [String],
        response: [String]
    ) throws {
        let stream = try self.stream(request)
        stream.receive(response)
        #expect(self.follower.openStreams.count == 1)
        self.follower.wakeStreams()
        #expect(stream.runEvents() == 0)
        try self.replace(Self.rules("3.9.0"))
        self.follower.wakeStreams()
        self.follower.wakeStreams()
        #expect(stream.runEvents() == 1)
        self.follower.wakeStreams()
        #expect(stream.runEvents() == 0)
        #expect(stream.status == nil)
        try self.replace(Self.rules("4.1.0"))
        self.follower.wakeStreams()
        #expect(stream.runEvents() == nil)
        #expect(stream.status == 426)
        #expect(self.follower.openStreams.count == 0)
    }

    private static let shortLived: [(request: [String], response: [String])] = [
        ([], [":status: 200", "content-type: application/json"]),
        (events, [":status: 200", "content-type: application/json"]),
        (webSocket, [":status: 200"]),
    ]

    @Test(arguments: shortLived)
    func `an ordinary exchange is not woken`(request: [String], response: [String]) throws {
        let stream = try self.stream(request)
        #expect(self.follower.openStreams.count == 0)
        stream.receive(response)
        #expect(self.follower.openStreams.count == 0)
    }

    @Test func `an exchange that has ended is not woken`() throws {
        do {
            let stream = try self.stream(Self.events)
            stream.receive([":status: 200", "content-type: text/event-stream"])
            #expect(self.follower.openStreams.count == 1)
        }
        #expect(self.follower.openStreams.count == 0)
        let stream = try self.stream(Self.call, method: "POST", path: "/shop.Orders/List")
        stream.receive([":status: 200", "grpc-status: 5"], endsWithHead: true)
        #expect(self.follower.openStreams.count == 0)
        try self.replace(Self.rules("4.1.0"))
        self.follower.wakeStreams()
        #expect(stream.runEvents() == 0)
    }

    @Test func `a stream that ended with its next message is not woken`() throws {
        let stream = try self.stream(Self.events)
        stream.receive([":status: 200", "content-type: text/event-stream"])
        try self.replace(Self.rules("4.1.0"))
        #expect(!stream.receiveData())
        #expect(self.follower.openStreams.count == 0)
    }

    @Test func `an idle call ends once its response is not that of a unary call`() throws {
        let start: Int64 = 1_800_000_000
        let clock = Clock(start)
        let configuration = Configuration(self.follower) { clock.now }
        let stream = try #require(StandInStream(configuration))
        try #require(stream.send("POST", "/shop.Orders/Watch", Self.iOS + Self.call))
        stream.receive([":status: 200", "content-type: application/grpc"])
        try self.replace(Self.rules("4.1.0"))
        for second in [start, start + 1] {
            clock.second.store(second, ordering: .releasing)
            self.follower.wakeStreams()
            #expect(stream.runEvents() == 1)
        }
        clock.second.store(start + 2, ordering: .releasing)
        self.follower.wakeStreams()
        #expect(stream.runEvents() == nil)
    }

    @Test func `an idle stream ends when maintenance begins by the clock`() throws {
        try self.replace(
            """
            rules:
              - id: closed
                match: { path: /** }
                maintenance: { from: 2090-01-01T00:00:00Z, until: 2099-01-01T00:00:00Z }
                accept: [lockout]
            """
        )
        let start = try Timestamp(parsing: "2090-01-01T00:00:00Z").secondsSinceEpoch
        let clock = Clock(start - 1)
        let path = self.folder.path(of: "rules.yaml")
        let follower = try RulesFollower(.files(path: path)) { clock.now }
        let configuration = Configuration(follower) { clock.now }
        let stream = try #require(StandInStream(configuration))
        try #require(stream.send(Self.iOS + Self.events))
        stream.receive([":status: 200", "content-type: text/event-stream"])
        follower.wakeStreams()
        #expect(stream.runEvents() == 0)
        clock.second.store(start, ordering: .releasing)
        follower.wakeStreams()
        #expect(stream.runEvents() == nil)
        #expect(stream.status == 503)
    }

    @Test func `many streams are woken in turns`() throws {
        let streams = try (0..<OpenStreams.wakeLimit + 10).map { _ in
            let stream = try self.stream(Self.events)
            stream.receive([":status: 200", "content-type: text/event-stream"])
            return stream
        }
        try self.replace(Self.rules("4.1.0"))
        for ended in [OpenStreams.wakeLimit, OpenStreams.wakeLimit + 10] {
            self.follower.wakeStreams()
            #expect(streams.count { $0.runEvents() == nil } == ended)
        }
    }
}
