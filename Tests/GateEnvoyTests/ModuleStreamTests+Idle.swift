import GatePolicy
import GateTestSupport
import StandInStreams
import Synchronization
import Testing

@testable import GateEnvoy

/// Exchanges in which nothing is sent while the rules change.
extension ModuleStreamTests {
    /// A clock that the test sets.
    final class Clock: Sendable {
        private let second: Atomic<Int64>

        init(_ second: Int64) {
            self.second = Atomic(second)
        }

        func set(_ second: Int64) { self.second.store(second, ordering: .releasing) }

        var now: Timestamp { Timestamp(secondsSinceEpoch: self.second.load(ordering: .acquiring)) }
    }

    private static let eventStream = [":status: 200", "content-type: text/event-stream"]
    private static let start: Int64 = 1_800_000_000

    private var openCount: Int { self.follower.openStreams.count }

    /// The watching thread does this after each look at the files.
    private func wake() { self.follower.wakeStreams() }

    @Test(arguments: lasting)
    func `an idle stream of a denied client ends by itself`(
        request: [String],
        response: [String]
    ) throws {
        let stream = try self.stream(request)
        stream.receive(response)
        #expect(self.openCount == 1)
        self.wake()
        #expect(stream.runEvents() == 0)
        try self.replace(Self.rules("3.9.0"))
        self.wake()
        self.wake()
        #expect(stream.runEvents() == 1)
        self.wake()
        #expect(stream.runEvents() == 0)
        #expect(stream.status == nil)
        try self.replace(Self.rules("4.1.0"))
        self.wake()
        #expect(stream.runEvents() == nil)
        #expect(stream.status == 426)
        #expect(self.openCount == 0)
    }

    @Test(arguments: [[], events, webSocket])
    func `an ordinary exchange is not woken`(request: [String]) throws {
        let stream = try self.stream(request)
        #expect(self.openCount == 0)
        stream.receive([":status: 200", "content-type: application/json"])
        #expect(self.openCount == 0)
    }

    @Test func `an exchange that has ended is not woken`() throws {
        do {
            let stream = try self.stream(Self.events)
            stream.receive(Self.eventStream)
            stream.receive(Self.eventStream)
            #expect(self.openCount == 1)
        }
        #expect(self.openCount == 0)
        let stream = try self.stream(Self.call, method: "POST", path: "/shop.Orders/List")
        stream.receive([":status: 200", "grpc-status: 5"], endsWithHead: true)
        #expect(self.openCount == 0)
        try self.replace(Self.rules("4.1.0"))
        self.wake()
        #expect(stream.runEvents() == 0)
    }

    @Test func `a stream that ended with its next message is not woken`() throws {
        let stream = try self.stream(Self.events)
        stream.receive(Self.eventStream)
        try self.replace(Self.rules("4.1.0"))
        #expect(!stream.receiveData())
        self.wake()
        #expect(self.openCount == 0)
    }

    @Test func `a stream whose message was evaluated by the new rules is not woken`() throws {
        let stream = try self.stream(Self.events)
        stream.receive(Self.eventStream)
        try self.replace(Self.rules("3.9.0"))
        #expect(stream.receiveData())
        self.wake()
        #expect(stream.runEvents() == 0)
    }

    @Test func `rules that change before the response starts end an idle stream`() throws {
        let stream = try self.stream(Self.events)
        try self.replace(Self.rules("4.1.0"))
        self.wake()
        stream.receive(Self.eventStream)
        self.wake()
        #expect(stream.runEvents() == nil)
    }

    @Test func `an idle stream whose backend changes ends`() throws {
        let stream = try self.stream(Self.webSocket)
        stream.receive([":status: 101"])
        try self.replace(Self.rules("3.0.0") + Self.route)
        self.wake()
        #expect(stream.runEvents() == nil)
        #expect(stream.status == 503)
    }

    @Test func `an idle stream on a route that observes continues`() throws {
        let stream = try #require(StandInStream(self.configuration))
        stream.use(try #require(Route("mode: observe")))
        self.follower.addObservingRules()
        try #require(stream.send(Self.iOS + Self.events))
        stream.receive(Self.eventStream)
        try self.replace(Self.rules("4.1.0"))
        self.wake()
        #expect(stream.runEvents() == 1)
    }

    /// The client could not know whether it was executed.
    @Test func `an idle call without a response continues`() throws {
        let stream = try self.stream(Self.call, method: "POST", path: "/shop.Orders/Watch")
        try self.replace(Self.rules("4.1.0"))
        self.wake()
        #expect(stream.runEvents() == 0)
        #expect(self.openCount == 0)
    }

    /// `second`: the second in which the rules change, after the start of the response.
    @Test(arguments: [(0, 0), (1, 0), (2, 1), (-3600, 1)])
    func `an idle call ends once its response is not that of a unary call`(
        second: Int64,
        events: Int
    ) throws {
        let clock = Clock(Self.start)
        let path = self.folder.path(of: "rules.yaml")
        let follower = try RulesFollower(.files(path: path)) { clock.now }
        let stream = try #require(StandInStream(Configuration(follower) { clock.now }))
        try #require(stream.send("POST", "/shop.Orders/Watch", Self.iOS + Self.call))
        stream.receive([":status: 200", "content-type: application/grpc"])
        clock.set(Self.start + second)
        try self.folder.replace("rules.yaml", with: Self.rules("4.1.0"))
        for _ in 0..<2 { follower.check() }
        follower.wakeStreams()
        if events == 0 {
            #expect(stream.runEvents() == 0)
            clock.set(Self.start + 2)
            follower.wakeStreams()
        }
        #expect(stream.runEvents() == nil)
        #expect(stream.replyLines.contains { $0.name == "grpc-status" && $0.value == "9" })
    }

    @Test func `an idle stream ends when maintenance begins by the clock`() throws {
        try self.replace(Self.maintenance)
        let start = try Timestamp(parsing: "2090-01-01T00:00:00Z").secondsSinceEpoch
        let clock = Clock(start - 1)
        let path = self.folder.path(of: "rules.yaml")
        let follower = try RulesFollower(.files(path: path)) { clock.now }
        let stream = try #require(StandInStream(Configuration(follower) { clock.now }))
        try #require(stream.send(Self.iOS + Self.events))
        stream.receive(Self.eventStream)
        follower.wakeStreams()
        #expect(stream.runEvents() == 0)
        clock.set(start - 100)
        follower.wakeStreams()
        #expect(stream.runEvents() == 1)
        clock.set(start)
        follower.wakeStreams()
        #expect(stream.runEvents() == nil)
        #expect(stream.status == 503)
    }

    @Test func `many streams are woken in turns, however often the rules change`() throws {
        let streams = try (0..<OpenStreams.wakeLimit + 10).map { _ in
            let stream = try self.stream(Self.events)
            stream.receive(Self.eventStream)
            return stream
        }
        var woken: [Int] = []
        for minimum in ["3.1.0", "3.2.0"] {
            try self.replace(Self.rules(minimum))
            self.wake()
            woken.append(streams.count { $0.runEvents() == 1 })
        }
        #expect(woken == [OpenStreams.wakeLimit, 10])
        self.wake()
        #expect(streams.count { $0.runEvents() == 1 } == OpenStreams.wakeLimit)
    }
}
