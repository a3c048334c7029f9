import GatePolicy
import GateTestSupport
import StandInStreams
import Testing

@testable import GateEnvoy

/// Exchanges that last while the rules change, with a stand-in for Envoy.
@Suite(.serialized, .ownThread)
final class ModuleStreamTests {
    static let iOS = ["X-App-Platform: ios", "X-App-Version: 4.0.0"]
    static let webSocket = ["Connection: Upgrade", "Upgrade: websocket"]
    static let events = ["Accept: text/event-stream"]
    static let call = ["Content-Type: application/grpc+proto"]

    let folder: TemporaryFolder
    let follower: RulesFollower
    let configuration: Configuration

    static func rules(_ minimum: String, path: String = "/**") -> String {
        """
        rules:
          - id: ios
            match: { platform: ios, path: "\(path)" }
            minimum: "\(minimum)"
            storeUrl: https://apps.apple.com/app/id1234567890

        """
    }

    static let route = """
          - id: routed
            match: { platform: ios }
            route: { to: legacy, versions: '<5', otherwise: refuse }
        """

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.writeInPlace(Self.rules("3.0.0"), to: "rules.yaml")
        self.follower = try RulesFollower(.files(path: self.folder.path(of: "rules.yaml")))
        self.configuration = Configuration(self.follower)
    }

    deinit {
        self.folder.remove()
    }

    func replace(_ text: String) throws {
        try self.folder.replace("rules.yaml", with: text)
        for _ in 0..<2 { self.follower.check() }
    }

    func stream(
        _ lines: [String],
        method: String = "GET",
        path: String = "/a"
    ) throws -> StandInStream {
        let stream = try #require(StandInStream(self.configuration))
        try #require(stream.send(method, path, Self.iOS + lines, endsWithHead: method == "GET"))
        return stream
    }

    static let lasting: [(request: [String], response: [String])] = [
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

    @Test func `trailers cannot identify a client or contain fields of the gate`() throws {
        let stream = try self.stream(Self.call, method: "POST", path: "/shop.Orders/Upload")
        let sent = [
            ("x-app-version", "9.0"), ("checksum", "1"), ("x-versiongate-decision", "allow"),
            ("x_app_version", "9.0"), ("x-versiongate-pass", "p"), ("user-agents", "a"),
        ]
        #expect(stream.sendTrailers(sent).map(\.name) == ["checksum", "user-agents"])
        stream.receive([":status: 200"])
        let received = stream.receiveTrailers([
            ("grpc-status", "0"), ("x-versiongate", "recommend"),
        ])
        #expect(received.map(\.name) == ["grpc-status"])
    }

    @Test func `a stream whose backend changes ends, so that the client connects again`() throws {
        let stream = try self.stream(Self.webSocket)
        stream.receive([":status: 101"])
        try self.replace(Self.rules("3.0.0") + Self.route)
        #expect(!stream.receiveData())
        #expect(stream.status == 503)
    }

    @Test func `a call whose backend changes may be sent again`() throws {
        let stream = try self.stream(Self.call, method: "POST", path: "/shop.Orders/Watch")
        try self.replace(Self.rules("3.0.0") + Self.route)
        #expect(!stream.sendData())
        #expect(stream.replyLines.contains { $0.name == "grpc-status" && $0.value == "14" })
        #expect(self.facts(of: stream) == ["decision=allow", "route=legacy"])
    }

    @Test func `the log has the decision that ended a stream, and no facts of the former one`()
        throws
    {
        try self.replace(Self.rules("3.0.0") + Self.route)
        let stream = try self.stream(Self.events)
        stream.receive([":status: 200", "content-type: text/event-stream"])
        #expect(self.facts(of: stream) == ["decision=allow", "route=legacy"])
        try self.replace(Self.rules("4.1.0"))
        #expect(!stream.receiveData())
        #expect(self.facts(of: stream) == ["decision=require", "rule=ios"])
    }

    /// The last value of each fact in Envoy's metadata, apart from the revision.
    private func facts(of stream: StandInStream) -> [String] {
        var facts: [String: String] = [:]
        for line in stream.metadata {
            facts[line.name.replacing("versiongate.", with: "")] = line.value
        }
        facts["revision"] = nil
        return facts.filter { !$0.value.isEmpty }.map { "\($0.key)=\($0.value)" }.sorted()
    }

    @Test func `a response of Envoy itself passes`() throws {
        let stream = try self.stream(Self.call, method: "POST", path: "/shop.Orders/List")
        try self.replace(Self.rules("4.1.0"))
        stream.receive([":status: 503"], isLocal: true)
        #expect(stream.receiveData())
        #expect(stream.status == nil)
    }

    @Test func `a request with a body is read to its end`() throws {
        let stream = try self.stream(Self.events, method: "POST", path: "/prompts")
        try self.replace(Self.rules("4.1.0"))
        #expect(stream.sendData())
        stream.receive([":status: 200", "content-type: text/event-stream"])
        #expect(stream.receiveData())
        let upgrade = ["Connection: Upgrade", "Upgrade: h2c"]
        try self.replace(Self.rules("3.0.0"))
        let other = try self.stream(upgrade, method: "POST", path: "/photos")
        try self.replace(Self.rules("4.1.0"))
        #expect(other.sendData())
    }

    /// `seconds`: the time since the response has started.
    @Test(arguments: [(0, false), (1, false), (2, true), (100, true)])
    func `a call is evaluated again once its response is not that of a unary call`(
        seconds: Int64,
        isOutdated: Bool
    ) throws {
        let start = Timestamp(secondsSinceEpoch: 1_800_000_000)
        let lines = unsafe UnsafeBufferPointer<EnvoyLine>(start: nil, count: 0)
        let call = unsafe RevocableRequest(
            .call,
            lines,
            endsWithHead: false,
            isObserved: false,
            path: nil,
            generation: 1
        )
        let verdict = EnvoyVerdict(.preflight, of: "1", tallyPlace: 0, at: start)
        #expect(call.isOutdated(2, verdict) { start })
        #expect(unsafe call.mayLast(withResponse: lines, at: start))
        func now() -> Timestamp {
            Timestamp(secondsSinceEpoch: start.secondsSinceEpoch + seconds)
        }
        #expect(call.isOutdated(2, verdict, now: now) == isOutdated)
        #expect(!call.isOutdated(1, verdict, now: now))
    }

    static let maintenance = """
        rules:
          - id: closed
            match: { path: /** }
            maintenance: { from: 2090-01-01T00:00:00Z, until: 2099-01-01T00:00:00Z }
            accept: [lockout]
        """

    @Test func `maintenance that begins by the clock ends a stream`() throws {
        try self.replace(Self.maintenance)
        let start = try Timestamp(parsing: "2090-01-01T00:00:00Z").secondsSinceEpoch
        var second = start - 1
        let configuration = Configuration(self.follower) {
            Timestamp(secondsSinceEpoch: second)
        }
        let stream = try #require(StandInStream(configuration))
        #expect(stream.send(Self.iOS + Self.events))
        stream.receive([":status: 200", "content-type: text/event-stream"])
        #expect(stream.receiveData())
        second = start
        #expect(!stream.receiveData())
        #expect(stream.status == 503)
    }
}
