import CEnvoyStandIn
import GatePolicy
import GateTestSupport
import Glibc
import StandInStreams
import Testing

@testable import GateEnvoy

/// The module, with a stand-in for Envoy.
@Suite(.serialized, .ownThread)
final class ModuleTests {
    private static let rules = #"""
        identity: { query: { version: v, platform: p } }
        exempt: [/health]
        rules:
          - id: ios
            match: { platform: ios }
            minimum: "3.5.0"
            recommended: "4.2.0"
            storeUrl: https://apps.apple.com/app/id1234567890
          - id: closed
            match: { path: /closed/** }
            maintenance: { from: 2020-01-01T00:00:00Z, until: 2099-01-01T00:00:00Z }
            accept: [lockout]
          - id: routed
            match: { platform: android }
            route: { to: legacy, versions: "<4.0.0", otherwise: refuse }
        """#
    static let old = ["X-App-Platform: ios", "X-App-Version: 3.4.9"]
    private static let recent = ["X-App-Platform: ios", "X-App-Version: 4.0.0"]
    private static let current = ["X-App-Platform: ios", "X-App-Version: 4.2.0"]

    let folder: TemporaryFolder
    private let path: String
    private let follower: RulesFollower
    private let configuration: Configuration

    init() throws {
        self.folder = try TemporaryFolder()
        try self.folder.writeInPlace(Self.rules, to: "rules.yaml")
        self.path = self.folder.path(of: "rules.yaml")
        self.follower = try RulesFollower(.files(path: self.path))
        self.configuration = Configuration(self.follower)
    }

    deinit {
        self.folder.remove()
    }

    private func stream() throws -> StandInStream {
        try #require(StandInStream(self.configuration))
    }

    /// The log since the last call.
    static func takeLog() -> String {
        let log = unsafe stand_in_take_log()
        defer { unsafe free(log) }
        return unsafe String(cString: log)
    }

    private static func value(_ name: String, of lines: [StandInStream.Line]) -> [String] {
        lines.filter { $0.name == name }.map(\.value)
    }

    @Test func `an old build gets the denial in its language`() throws {
        let stream = try self.stream()
        #expect(!stream.send("GET", "/", Self.old + ["Accept-Language: ja"]))
        #expect(stream.status == 426)
        #expect(Self.value("content-language", of: stream.replyLines) == ["ja"])
        #expect(Self.value("x-versiongate", of: stream.replyLines) == ["require"])
        #expect(stream.body.contains(#""currentVersion":"3.4.9""#))
    }

    @Test func `a current build passes, with the decision for the backend`() throws {
        let stream = try self.stream()
        #expect(stream.send(Self.current))
        #expect(stream.status == nil)
        #expect(Self.value("x-versiongate-decision", of: stream.requestLines) == ["allow"])
    }

    @Test(arguments: [
        "X-VersionGate-Decision: maintenance", "X-VersionGate: require", "X_VersionGate: require",
        "X-VersionGate-Route: legacy", "x-versiongate_route: legacy", "X-VersionGate-Pass: forged",
        "X-VersionGate-Preview: forged", "X_App_Version: 9.9.9",
    ])
    func `the backend gets no forged field`(line: String) throws {
        let stream = try self.stream()
        #expect(stream.send(Self.current + [line]))
        let expected = ["x-app-platform: ios", "x-app-version: 4.2.0"]
        #expect(
            stream.requestLines.map(\.description) == expected + ["x-versiongate-decision: allow"]
        )
    }

    @Test func `the backend gets one line with the lowest of two versions`() throws {
        let stream = try self.stream()
        #expect(stream.send(Self.current + ["X-App-Version: 9.0"]))
        #expect(Self.value("x-app-version", of: stream.requestLines) == ["4.2.0"])
    }

    @Test func `a client of a route gets the name of the backend`() throws {
        let stream = try self.stream()
        #expect(stream.send(["X-App-Platform: android", "X-App-Version: 3.0"]))
        #expect(Self.value("x-versiongate-route", of: stream.requestLines) == ["legacy"])
        #expect(stream.selectsRouteAgain)
    }

    @Test func `a client cannot select a backend`() throws {
        let forged = try self.stream()
        #expect(forged.send(Self.current + ["X-VersionGate-Route: legacy"]))
        #expect(Self.value("x-versiongate-route", of: forged.requestLines) == [])
        #expect(forged.selectsRouteAgain)
        // Otherwise, another selection would be in vain.
        let other = try self.stream()
        #expect(other.send(Self.current))
        #expect(!other.selectsRouteAgain)
    }

    @Test func `the backend's response gets the hint, and loses a forged one`() throws {
        let stream = try self.stream()
        #expect(stream.send(Self.recent))
        stream.receive([":status: 200", "X-VersionGate: require"])
        let hints = Self.value("x-versiongate", of: stream.responseLines)
        #expect(hints.count == 1)
        #expect(hints.first?.hasPrefix(#"recommend; latest="4.2.0""#) == true)
    }

    @Test func `a response of Envoy itself gets no hint`() throws {
        let stream = try self.stream()
        #expect(stream.send(Self.recent))
        stream.receive([":status: 503"], isLocal: true)
        #expect(stream.responseLines.map(\.name) == [":status"])
    }

    @Test func `a preflight and an exempt path pass`() throws {
        let preflight = try self.stream()
        let fields = ["Origin: https://web.example", "Access-Control-Request-Method: GET"]
        #expect(preflight.send("OPTIONS", "/", Self.old + fields))
        let exempt = try self.stream()
        #expect(exempt.send("GET", "/health", Self.old))
        // A request with a body is no preflight.
        let other = try self.stream()
        #expect(!other.send("OPTIONS", "/", Self.old + fields, endsWithHead: false))
    }

    @Test func `a web app on another origin can read the denial`() throws {
        let stream = try self.stream()
        #expect(!stream.send("GET", "/", Self.old + ["Origin: https://web.example"]))
        let origin = Self.value("access-control-allow-origin", of: stream.replyLines)
        #expect(origin == ["https://web.example"])
    }

    @Test func `a gRPC call gets its status in the head`() throws {
        let stream = try self.stream()
        let fields = Self.old + ["Content-Type: application/grpc"]
        #expect(!stream.send("POST", "/shop.Orders/List", fields))
        #expect(stream.status == 200)
        #expect(stream.body.isEmpty)
        #expect(Self.value("grpc-status", of: stream.replyLines) == ["9"])
    }

    @Test func `maintenance has the time to wait`() throws {
        let stream = try self.stream()
        #expect(!stream.send("GET", "/closed/1", Self.current))
        #expect(stream.status == 503)
        let wait = try #require(Self.value("retry-after", of: stream.replyLines).first)
        #expect(Int(wait).map { $0 > 0 } == true)
    }

    @Test func `a WebSocket of a browser may state its identity in the query`() throws {
        let stream = try self.stream()
        let upgrade = ["Connection: Upgrade", "Upgrade: websocket"]
        #expect(!stream.send("GET", "/socket?v=3.0&p=ios", upgrade, endsWithHead: false))
        // Only WebSockets need this.
        let other = try self.stream()
        #expect(other.send("GET", "/socket?v=3.0&p=ios", []))
    }

    @Test func `new rules apply to the next request, and broken ones do not`() throws {
        #expect(try self.stream().send(Self.current))
        _ = Self.takeLog()
        let raised = Self.rules.replacing("3.5.0", with: "4.3.0")
        try self.replace(raised.replacing("4.2.0", with: "4.4.0"))
        #expect(try !self.stream().send(Self.current))
        #expect(Self.takeLog().contains("rules loaded, revision"))
        try self.replace("rules: [")
        #expect(try !self.stream().send(Self.current))
        let log = Self.takeLog()
        #expect(log.contains("rules.yaml:2:1: not valid YAML"))
        #expect(log.contains("rules not loaded; keeping revision"))
        // The same error is not logged again.
        self.follower.check()
        #expect(Self.takeLog().isEmpty)
        try self.replace(raised.replacing("4.2.0", with: "4.4.0"))
        #expect(Self.takeLog().contains("rules valid again, revision"))
        try self.replace(Self.rules)
        #expect(try self.stream().send(Self.current))
    }

    @Test func `rules that were in force before may return, even if they let more clients pass`()
        throws
    {
        func rules(_ minimum: String, _ more: String) -> String {
            """
            rules:
              - id: ios
                match: { platform: ios }
                minimum: "\(minimum)"
                storeUrl: https://apps.apple.com/app/id1234567890
            \(more)
            """
        }
        let planned = rules("5.0.0", "    enforceFrom: 2099-06-01T00:00:00Z")
        try self.folder.writeInPlace(planned, to: "plan.yaml")
        let follower = try RulesFollower(.files(path: self.folder.path(of: "plan.yaml")))
        let configuration = Configuration(follower)
        func send() throws -> Bool {
            try #require(StandInStream(configuration)).send(Self.old)
        }
        func replace(_ text: String) throws {
            try self.folder.replace("plan.yaml", with: text)
            for _ in 0..<2 { follower.check() }
        }
        #expect(try send())
        try replace(rules("4.0.0", ""))
        #expect(try !send())
        // New rules like these are refused, an undo is not.
        try replace(planned.replacing("5.0.0", with: "6.0.0"))
        #expect(try !send())
        try replace(planned)
        #expect(try send())
    }

    @Test func `a thread drops the rules of a filter that Envoy has released`() throws {
        let thread = ThreadState()
        weak var dropped: ThreadRules?
        do {
            let released = FilterConfiguration(self.follower, counter: nil)
            dropped = thread.rules(of: released, observing: false) { _ in }
        }
        let other = FilterConfiguration(self.follower, counter: nil)
        #expect(dropped != nil)
        let kept = thread.rules(of: other, observing: false) { _ in }
        #expect(dropped == nil)
        #expect(kept === thread.rules(of: other, observing: false) { _ in })
    }

    /// Replaces the file, and lets the follower see the new one twice.
    private func replace(_ text: String) throws {
        try self.folder.replace("rules.yaml", with: text)
        for _ in 0..<2 { self.follower.check() }
    }

    @Test func `observing rules deny nothing`() throws {
        try self.replace("mode: observe\n" + Self.rules)
        let stream = try self.stream()
        #expect(stream.send(Self.old))
        #expect(Self.value("versiongate.observed", of: stream.metadata) == ["ios"])
        let current = try self.stream()
        #expect(current.send(Self.current))
        #expect(Self.value("versiongate.observed", of: current.metadata) == [])
    }

    @Test func `a route that observes denies nothing, after a change of the rules, too`() throws {
        let filter = try #require(Configuration("rules: \(self.path)"))
        let observing = try #require(Route("mode: observe"))
        var revisions: [[String]] = []
        for (minimum, below) in [("3.5.0", "3.4.9"), ("3.6.0", "3.5.9")] {
            let text = Self.rules.replacing(#"minimum: "3.5.0""#, with: "minimum: \"\(minimum)\"")
            try self.folder.replace("rules.yaml", with: text)
            try Deadline.usual.poll("the new rules") {
                let stream = StandInStream(filter)
                let client = ["X-App-Platform: ios", "X-App-Version: \(below)"]
                return stream?.send(client) == false ? true : nil
            }
            let observed = try #require(StandInStream(filter))
            observed.use(observing)
            #expect(observed.send(Self.old))
            #expect(Self.value("versiongate.decision", of: observed.metadata) == ["recommend"])
            #expect(Self.value("versiongate.observed", of: observed.metadata) == ["ios"])
            let denied = try #require(StandInStream(filter))
            #expect(!denied.send(Self.old))
            revisions.append(Self.value("versiongate.revision", of: denied.metadata))
        }
        #expect(revisions.first != revisions.last)
    }

    @Test func `a route can have the path that the rules are evaluated for`() throws {
        let closed = try #require(Route(#"{"path": "/closed/now"}"#))
        let stream = try self.stream()
        stream.use(closed)
        #expect(!stream.send("GET", "/open", Self.current))
        #expect(stream.status == 503)
        #expect(try self.stream().send("GET", "/open", Self.current))
        // The request itself stays as it is.
        let exempt = try self.stream()
        exempt.use(try #require(Route("path: /health")))
        #expect(exempt.send("GET", "/closed/1", Self.old))
        #expect(exempt.requestLines.map(\.description).contains("x-app-version: 3.4.9"))
    }

    @Test(arguments: ["X-VersionGate-Route: legacy", "x-versiongate-route:"])
    func `a client cannot select the settings of a route`(line: String) throws {
        let observing = try #require(Route("mode: observe"))
        let enforcing = try #require(Route("mode: enforce"))
        let stream = try self.stream()
        stream.use(observing, selectedAgain: enforcing)
        #expect(!stream.send(Self.old + [line]))
        let other = try self.stream()
        other.use(observing, selectedAgain: enforcing)
        #expect(other.send(Self.current + [line, line]))
        #expect(Self.value("x-versiongate-route", of: other.requestLines) == [])
        #expect(Self.value("versiongate.decision", of: other.metadata) == ["allow"])
    }

    @Test(arguments: [
        ("", "write 'mode: observe'"), ("mode: off", "'off' is not a valid mode"),
        ("path: payments", "'payments' is not a path"), ("rules: /x", "unknown setting 'rules'"),
        ("mode: observe\nmode: observe", "mode"),
        ("\n\u{11}\n\u{4}mode\u{12}\t\u{1A}\u{7}observe", "google.protobuf.StringValue"),
    ])
    func `wrong settings of a route are refused with the reason`(settings: String, reason: String) {
        _ = Self.takeLog()
        #expect(Route(settings) == nil)
        #expect(Self.takeLog().contains(reason))
    }

    @Test(arguments: [
        ("", "write 'rules: PATH'"), ("rules:", "write 'rules: PATH'"), ("published:", "PATH"),
        ("rule: /x", "unknown setting 'rule'"), ("[1]", "expected settings"),
        (#"{"rules": "/nonexistent/rules.yaml"}"#, "there is no such file or folder"),
        ("rules: /x\nrules: /y", "rules"),
    ])
    func `a wrong configuration is refused with the reason`(settings: String, reason: String) {
        _ = Self.takeLog()
        #expect(Configuration(settings) == nil)
        #expect(Self.takeLog().contains(reason))
    }

    @Test func `rules with feeds are refused, because the module fetches nothing`() throws {
        _ = Self.takeLog()
        let feed = "{ id: a, source: https, url: https://example.com/rules.yaml }"
        let rules = "feeds: [\(feed)]\nrules: []\n"
        try self.folder.writeInPlace(rules, to: "feeds.yaml")
        let path = self.folder.path(of: "feeds.yaml")
        #expect(Configuration("rules: \(path)") == nil)
        #expect(Self.takeLog().contains("this program cannot fetch feeds"))
    }

    @Test func `filters with the same path share their rules`() throws {
        let first = try #require(Configuration("rules: \(self.path)"))
        let second = try #require(Configuration(#"{"rules": "\#(self.path)"}"#))
        #expect(first.follower === second.follower)
    }

    @Test func `a device makes no difference, unless there are two`() throws {
        for device in ["a", "b"] {
            let stream = try self.stream()
            #expect(stream.send(Self.current + ["X-Device-Id: \(device)"]))
            #expect(Self.value("x-device-id", of: stream.requestLines) == [device])
        }
        let stream = try self.stream()
        #expect(stream.send(Self.current + ["X-Device-Id: a", "X-Device-Id: b"]))
        #expect(Self.value("x-device-id", of: stream.requestLines).count <= 1)
    }

    @Test func `the decision and the rule are in Envoy's metadata and counters`() throws {
        let stream = try self.stream()
        #expect(!stream.send(Self.old))
        let metadata = stream.metadata.map(\.description)
        #expect(metadata.contains("versiongate.decision: require"))
        #expect(metadata.contains("versiongate.rule: ios"))
        #expect(stream.counted == ["other,ios,require,ios,enforce"])
        #expect(metadata.contains { $0.hasPrefix("versiongate.revision: ") })
        let other = try self.stream()
        #expect(other.send([]))
        #expect(other.metadata.map(\.description) == ["versiongate.decision: allow"])
    }

    @Test func `clients of a class share a denial, each with its own version`() throws {
        for version in ["3.4.9", "3.4.8", " v3.1", "3.4.9 (93)", "3.4.9"] {
            let stream = try self.stream()
            #expect(!stream.send(["X-App-Platform: ios", "X-App-Version:\(version)"]))
            let own = try AppVersion(parsing: version.split(separator: "(")[0].description)
            #expect(stream.body.contains(#""currentVersion":"\#(own)""#), "\(version)")
        }
    }

    @Test func `each request is counted once, at the latest with the next second`() {
        var tally = RequestTally()
        let place = tally.place(of: .preflight)
        var added: [UInt64] = []
        for second in [1, 1, 1, 2, 2] as [Int64] {
            tally.count(place)
            tally.report(at: Timestamp(secondsSinceEpoch: second)) { count, _ in
                added.append(count)
            }
        }
        #expect(added == [1, 3])
        tally.reportAll { count, _ in added.append(count) }
        #expect(added == [1, 3, 1])
    }
}
