import GatePolicy
import GateTestSupport
import Glibc
import StandInStreams
import Testing

@testable import GateEnvoy

/// Exchanges that last while the rules change, with a stand-in for Envoy.
@Suite(.serialized, .ownThread)
final class ModuleStreamTests {
    private static let iOS = ["X-App-Platform: ios", "X-App-Version: 4.0.0"]
    private static let webSocket = ["Connection: Upgrade", "Upgrade: websocket"]
    private static let events = ["Accept: text/event-stream"]
    private static let call = ["Content-Type: application/grpc+proto"]

    private let folder: TemporaryFolder
    private let follower: RulesFollower
    private let configuration: Configuration

    private static func rules(_ minimum: String, path: String = "/**") -> String {
        """
        rules:
          - id: ios
            match: { platform: ios, path: "\(path)" }
            minimum: "\(minimum)"
            storeUrl: https://apps.apple.com/app/id1234567890

        """
    }

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.writeInPlace(Self.rules("3.0.0"), to: "rules.yaml")
        self.follower = try RulesFollower(.files(path: self.folder.path(of: "rules.yaml")))
        self.configuration = Configuration(self.follower)
    }

    deinit {
        self.folder.remove()
    }

    private func replace(_ text: String) throws {
        try self.folder.replace("rules.yaml", with: text)
        for _ in 0..<2 { self.follower.check() }
    }

    private func stream(
        _ lines: [String],
        method: String = "GET",
        path: String = "/a"
    ) throws -> StandInStream {
        let stream = try #require(StandInStream(self.configuration))
        try #require(stream.send(method, path, Self.iOS + lines, endsWithHead: method == "GET"))
        return stream
    }

    private static let lasting: [(request: [String], response: [String])] = [
        (webSocket, [":status: 101", "upgrade: websocket"]),
        (events, [":status: 200", "content-type: text/event-stream; charset=utf-8"]),
        (
            ["Accept: application/json;q=0.5, Text/Event-Stream;q=0.9"],
            [":status: 200", "content-type: text/event-stream"]
        ),
    ]

    @Test(arguments: lasting)
    func `a stream of a denied client ends with its next message`(
        request: [String],
        response: [String]
    ) throws {
        let stream = try self.stream(request)
        stream.receive(response)
        #expect(stream.receiveData() && stream.sendData())
        try self.replace(Self.rules("3.9.0"))
        #expect(stream.receiveData() && stream.sendData())
        #expect(stream.status == nil)
        try self.replace(Self.rules("4.1.0"))
        #expect(!stream.receiveData())
        #expect(stream.status == 426)
    }

    @Test(arguments: lasting)
    func `a message of the client ends it as well`(
        request: [String],
        response: [String]
    ) throws {
        let stream = try self.stream(request)
        stream.receive(response)
        try self.replace(Self.rules("4.1.0"))
        #expect(!stream.sendData())
        #expect(stream.status == 426)
    }

    private static let ordinary: [(request: [String], response: [String])] = [
        ([], [":status: 200", "content-type: text/event-stream"]),
        (["Accept: text/event-streams"], [":status: 200", "content-type: text/event-stream"]),
        (events, [":status: 200", "content-type: application/json"]),
        (webSocket, [":status: 200", "content-type: application/json"]),
    ]

    @Test(arguments: ordinary)
    func `an ordinary response is completed`(request: [String], response: [String]) throws {
        let stream = try self.stream(request)
        stream.receive(response)
        try self.replace(Self.rules("4.1.0"))
        #expect(stream.receiveData())
        #expect(stream.status == nil)
    }

    @Test func `a call in which the client still sends gets the status of the denial`() throws {
        let stream = try self.stream(Self.call, method: "POST", path: "/shop.Orders/Watch")
        #expect(stream.sendData())
        try self.replace(Self.rules("4.1.0"))
        #expect(!stream.sendData())
        #expect(stream.status == 200)
        #expect(stream.replyLines.contains { $0.name == "grpc-status" && $0.value == "9" })
    }

    /// The client of a unary call would conclude that the backend has not executed it.
    @Test func `a response to a call that has just started passes`() throws {
        let stream = try self.stream(Self.call, method: "POST", path: "/shop.Orders/List")
        try self.replace(Self.rules("4.1.0"))
        stream.receive([":status: 200", "content-type: application/grpc"])
        #expect(stream.receiveData())
        #expect(stream.status == nil)
    }

    @Test func `a request is evaluated as it arrived`() throws {
        let stream = try self.stream(Self.events, path: "/events?x=1")
        stream.receive([":status: 200", "content-type: text/event-stream"])
        try self.replace(Self.rules("4.1.0", path: "/other"))
        #expect(stream.receiveData())
        try self.replace(Self.rules("4.1.0", path: "/events"))
        #expect(!stream.receiveData())
    }

    @Test func `a stream on a route that observes continues`() throws {
        let stream = try #require(StandInStream(self.configuration))
        stream.use(try #require(Route("mode: observe")))
        RulesWatch.shared.addObservingRules()
        self.follower.addObservingRules()
        try #require(stream.send(Self.iOS + Self.events))
        stream.receive([":status: 200", "content-type: text/event-stream"])
        try self.replace(Self.rules("4.1.0"))
        #expect(stream.receiveData())
    }

    @Test func `a stream whose backend changes ends, so that the client connects again`() throws {
        let stream = try self.stream(Self.webSocket)
        stream.receive([":status: 101"])
        let route =
            "  - { id: r, match: { platform: ios }, route: { to: legacy, versions: '<5', otherwise: refuse } }"
        try self.replace(Self.rules("3.0.0") + route)
        #expect(!stream.receiveData())
        #expect(stream.status == 503)
    }

    @Test func `maintenance that begins by the clock ends a stream`() throws {
        let start = ThreadRules.wallClock().secondsSinceEpoch + 2
        let time = Timestamp(secondsSinceEpoch: start).description
        try self.replace(
            """
            rules:
              - id: closed
                match: { path: /** }
                maintenance: { from: \(time), until: 2099-01-01T00:00:00Z }
                accept: [lockout]
            """
        )
        let stream = try self.stream(Self.events)
        stream.receive([":status: 200", "content-type: text/event-stream"])
        #expect(stream.receiveData())
        while ThreadRules.wallClock().secondsSinceEpoch < start { usleep(10_000) }
        #expect(!stream.receiveData())
        #expect(stream.status == 503)
    }
}
