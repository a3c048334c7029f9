import GateCensus
import GatePolicy
import GateWire
import NIOCore
import NIOEmbedded
import Synchronization
import Testing
import WireSamples

@testable import GateProxy

/// Requests with passes.
struct PassTests {
    /// Passes by their field values, and those that were used.
    private final class Passes: Sendable {
        private let known: [String: Pass]
        private let used = Mutex<Set<Pass.ID>>([])
        /// The fields that were read.
        let read = Mutex<[String]>([])

        init(at now: Timestamp) {
            let start = now.advanced(by: -1)
            func pass(_ number: UInt64, isSingleUse: Bool = false) -> Pass {
                Pass(
                    id: Pass.ID(number),
                    issued: start,
                    until: now.advanced(by: 10),
                    isSingleUse: isSingleUse
                )
            }
            self.known = ["good": pass(1), "once": pass(2, isSingleUse: true)]
        }

        var settings: PassSettings {
            PassSettings(
                read: { value, client, now in
                    self.read.withLock { $0.append(value) }
                    guard let pass = self.known[value] else { return .refused(.invalid) }
                    guard now < pass.until else { return .refused(.expired) }
                    guard pass.issued <= now else { return .refused(.notYetValid) }
                    return client.app.value == "other" ? .refused(.otherClient) : .valid(pass)
                },
                use: { pass in self.used.withLock { $0.insert(pass.id).inserted } },
                isUsable: { pass in self.used.withLock { !$0.contains(pass.id) } }
            )
        }
    }

    private let passes = Passes(at: WallClock().now)

    private func stage(
        ruleSet: RuleSet? = nil,
        log: AccessLogLines? = nil,
        format: AccessLogFormat = .json
    ) throws -> Stage {
        try Stage(ruleSet: ruleSet, accessLog: log) {
            $0.passes = self.passes.settings
            if log != nil { $0.accessLog = format }
        }
    }

    private static func ruleSet(
        minimum: String = "2.0",
        revoked: Set<Pass.ID> = [],
        _ change: (inout RuleDefinition) -> Void = { _ in }
    ) throws -> RuleSet {
        var rule = RuleDefinition(id: "floor", minimum: try AppVersion(parsing: minimum))
        change(&rule)
        return RuleSet(
            RuleSetDefinition(revision: minimum, rules: [rule], revokedPasses: revoked)
        )
    }

    private static func get(
        _ pass: String...,
        version: String = "1",
        target: String = "/a",
        fields: [String] = []
    ) -> String {
        let lines = pass.map { "X-VersionGate-Pass: \($0)" }
        return wire(
            ["GET \(target) HTTP/1.1", "Host: a", "X-App-Version: \(version)"] + lines + fields
        )
    }

    private static func refusals(_ stage: Stage) -> [Pass.Refusal: UInt64] {
        stage.worker.loop.counters.passes
    }

    @Test func `a request with a pass is forwarded, counted and logged as passed`() throws {
        let lines = AccessLogLines()
        let stage = try self.stage(log: lines)
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.get("good"))
        let forwarded = upstream.socket.takeSent()
        #expect(forwarded.contains("X-VersionGate-Decision: passed\r\n"))
        #expect(!forwarded.contains("X-VersionGate-Pass") && !forwarded.contains("good"))
        try upstream.receive(Message.ok)
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 200 "))
        let statistics = stage.worker.statistics
        let terms = RequestTerms(kind: .allow, rule: "floor", isPassed: true)
        #expect(statistics.requests == [terms: 1])
        #expect(statistics.counters.passed == 1 && statistics.counters.allowed == 0)
        #expect(Self.refusals(stage) == [:])
        stage.worker.loop.accessLog?.tick()
        let id = Pass.ID(1)
        #expect(
            lines.text.contains(
                "\"decision\":\"passed\",\"rule\":\"floor\",\"pass\":\"\(id)\",\"request_id\""
            )
        )
    }

    @Test func `the census counts a client with a pass as one that passes`() throws {
        let hash = try #require(SipHash(key: Array(repeating: 1, count: 16)))
        let stage = try Stage {
            $0.passes = self.passes.settings
            $0.census = CensusTally.Settings(maxCells: 10, hash: hash)
        }
        _ = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.get("bad"))
        try client.receive(Self.get("good"))
        var bucket = CensusBucket(limit: 10)
        bucket.add(try #require(stage.worker.loop.census).take())
        let outcomes = bucket.cells.keys.map { "\($0.outcome.kind) \($0.outcome.rule)" }
        #expect(Set(outcomes) == ["require floor", "allow none"])
        #expect(bucket.cells.values.map(\.watched).sorted() == [0, 1])
    }

    @Test func `a preview applies to a request with a pass`() throws {
        let stage = try Stage {
            $0.passes = self.passes.settings
            let until = Timestamp(secondsSinceEpoch: .max)
            $0.previews = { _, _ in .shows(Preview(kind: .maintenance, until: until)) }
        }
        let client = try stage.client()
        try client.receive(Self.get("good", fields: ["X-VersionGate-Preview: x"]))
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 503 "))
        #expect(stage.worker.statistics.counters.passed == 1)
    }

    @Test func `the text log names the pass`() throws {
        let lines = AccessLogLines()
        let stage = try self.stage(log: lines, format: .combined)
        _ = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.get("good"))
        client.disconnect()
        stage.worker.loop.accessLog?.tick()
        #expect(
            lines.text.contains(
                "decision=\"passed\" rule=\"floor\" observed=\"-\" pass=\"\(Pass.ID(1))\" request_id"
            )
        )
    }

    @Test(
        arguments: [
            (["bad"], [], Pass.Refusal.invalid), ([""], [], .invalid),
            (["good "], ["good"], .repeated),
            (["good", "good"], [], .repeated), (["good, good"], [], .repeated),
            (["good,"], [], .repeated), (["good", ""], [], .repeated),
            ([String(repeating: "x", count: 5000)], [], .invalid),
            (["good"], ["X-App-Id: other"], .otherClient),
        ]
    )
    func `a refused pass changes nothing but its counter`(
        _ values: [String],
        _ more: [String],
        _ refusal: Pass.Refusal
    ) throws {
        let lines =
            values.map { "X-VersionGate-Pass: \($0)" }
            + more.map { $0.contains(":") ? $0 : "x-versiongate-pass:\($0)" }
        let others = more.filter { $0.contains(":") }
        let stage = try self.stage()
        let client = try stage.client()
        try client.receive(Self.get(fields: lines))
        let plain = try self.stage()
        let other = try plain.client()
        try other.receive(Self.get(fields: others))
        let response = client.socket.takeSent()
        #expect(response.hasPrefix("HTTP/1.1 426 ") && response == other.socket.takeSent())
        #expect(stage.worker.statistics.requests == plain.worker.statistics.requests)
        #expect(Self.refusals(stage) == [refusal: 1])
        #expect(Self.refusals(plain) == [:])
    }

    @Test func `a pass is read only from its field`() throws {
        let stage = try self.stage()
        let client = try stage.client()
        for request in [
            Self.get(target: "/a?X-VersionGate-Pass=good&x-versiongate-pass=good"),
            Self.get(fields: ["X_VersionGate_Pass: good"]),
            Self.get(fields: ["Cookie: X-VersionGate-Pass=good"]),
            Self.get(fields: ["X-VersionGate-Preview: good"]),
        ] {
            try client.receive(request)
            #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 426 "), "\(request)")
        }
        #expect(self.passes.read.withLock { $0 } == [])
        #expect(Self.refusals(stage) == [:])
    }

    @Test(arguments: [("3", "allow"), ("2.0", "allow"), ("2.5", "recommend")])
    func `the pass of a request that the rules allow is not read`(
        _ version: String,
        _ decision: String
    ) throws {
        let ruleSet = try Self.ruleSet {
            $0.recommended = version == "2.5" ? try? AppVersion(parsing: "3") : nil
        }
        let stage = try self.stage(ruleSet: ruleSet)
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.get("once", version: version))
        let forwarded = upstream.socket.takeSent()
        #expect(forwarded.contains("X-VersionGate-Decision: \(decision)\r\n"))
        #expect(!forwarded.lowercased().contains("pass"))
        #expect(self.passes.read.withLock { $0 } == [])
        #expect(stage.worker.statistics.counters.passed == 0)
    }

    @Test func `without the setting, the field has no effect and is removed`() throws {
        let stage = try Stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.get("good"))
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
        try client.receive(Self.get("good", version: "3"))
        #expect(!upstream.socket.takeSent().lowercased().contains("pass"))
        #expect(Self.refusals(stage) == [:])
    }

    @Test func `maintenance, unidentified clients and brownouts pass as well`() throws {
        let clock = WallClock()
        let window = MaintenanceWindow(from: clock.later(-1), until: clock.later(60))
        var definition = RuleSetDefinition(
            revision: "r",
            unidentified: UnidentifiedPolicy(missing: .reject, unreadable: .reject)
        )
        definition.rules = [RuleDefinition(id: "m", maintenance: window)]
        for (rules, version) in [
            (definition.rules, "9"),
            ([RuleDefinition(id: "f", minimum: try AppVersion(parsing: "2"))], "x"),
        ] {
            definition.rules = rules
            let stage = try self.stage(ruleSet: RuleSet(definition))
            let upstream = try stage.upstream()
            let client = try stage.client()
            try client.receive(Self.get("good", version: version))
            #expect(upstream.socket.takeSent().contains("X-VersionGate-Decision: passed\r\n"))
            try upstream.receive(Message.ok)
            #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 200 "))
            try client.receive(Self.get(version: version))
            #expect(!client.socket.takeSent().hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `a single-use pass works for one request`() throws {
        let stage = try self.stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        // Neither the status nor a request that the rules allow uses the pass up.
        try client.receive(Self.get("once", target: "/.versiongate/status"))
        #expect(client.socket.takeSent().contains("\"decision\":\"allow\""))
        try client.receive(Self.get("once", version: "3"))
        _ = upstream.socket.takeSent()
        try upstream.receive(Message.ok)
        _ = client.socket.takeSent()
        try client.receive(Self.get("once"))
        #expect(upstream.socket.takeSent().contains("passed"))
        try upstream.receive(Message.ok)
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 200 "))
        try client.receive(Self.get("once"))
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
        try client.receive(Self.get("once", target: "/.versiongate/status"))
        #expect(client.socket.takeSent().contains("\"decision\":\"require\""))
        #expect(Self.refusals(stage) == [.used: 1])
    }

    @Test func `revoked passes are refused from the reload on, and accepted after an undo`() throws
    {
        let stage = try self.stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        for (revoked, status) in [([], 200), ([Pass.ID(1)], 426), ([Pass.ID(2)], 200)] {
            stage.worker.use(try Self.ruleSet(revoked: Set(revoked)))
            try client.receive(Self.get("good"))
            if status == 200 {
                _ = upstream.socket.takeSent()
                try upstream.receive(Message.ok)
            }
            #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 \(status) "))
        }
        #expect(Self.refusals(stage) == [.revoked: 1])
    }
}

/// Long-lived responses to requests with passes.
extension PassTests {
    private static let switching = wire(
        "HTTP/1.1 101 Switching Protocols",
        "Upgrade: websocket",
        "Connection: Upgrade"
    )
    private static let closing = WebSocketFrames.close(1008, "upgrade required")

    /// Opens a WebSocket, or sends another request with a long-lived response.
    private func open(
        _ stage: Stage,
        _ pass: String,
        version: String = "1",
        fields: [String] = ["Connection: Upgrade", "Upgrade: websocket"],
        response: String = Self.switching
    ) throws -> (client: Wire<ClientConnection>, upstream: Wire<UpstreamConnection>) {
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Self.get(pass, version: version, fields: fields))
        try upstream.receive(response)
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 "))
        return (client, upstream)
    }

    @Test(arguments: ["good", "once"])
    func `a WebSocket stays open until its pass expires`(_ pass: String) throws {
        let stage = try self.stage()
        stage.worker.start()
        defer { stage.worker.closeAll() }
        let (client, _) = try self.open(stage, pass)
        // A reload does not use a single-use pass again.
        stage.worker.use(try Self.ruleSet(minimum: "2.1"))
        for _ in 0..<9 { stage.tick(after: 1) }
        #expect(client.socket.takeBytes() == [])
        stage.tick(after: 1)
        #expect(client.socket.takeBytes() == Self.closing)
        #expect(stage.worker.loop.counters.revoked == 1)
        #expect(Self.refusals(stage) == [:])
        #expect(stage.worker.statistics.counters.passed == 1)
    }

    @Test func `a WebSocket ends when its pass is revoked`() throws {
        let stage = try self.stage()
        let (client, _) = try self.open(stage, "good")
        stage.worker.use(try Self.ruleSet(revoked: [Pass.ID(3)]))
        #expect(client.socket.takeBytes() == [])
        stage.worker.use(try Self.ruleSet(revoked: [Pass.ID(1)]))
        #expect(client.socket.takeBytes() == Self.closing)
    }

    @Test func `a WebSocket ends if the clock is set back before the issue of its pass`() throws {
        let stage = try self.stage()
        stage.worker.start()
        defer { stage.worker.closeAll() }
        let (client, _) = try self.open(stage, "good")
        stage.tick(after: -1)
        #expect(client.socket.takeBytes() == [])
        stage.tick(after: -1)
        #expect(client.socket.takeBytes() == Self.closing)
    }

    @Test(arguments: ["good", "once"])
    func `a pass applies to a response in progress that new rules deny`(_ pass: String) throws {
        let stage = try self.stage()
        stage.worker.start()
        defer { stage.worker.closeAll() }
        let (client, _) = try self.open(stage, pass, version: "3")
        for minimum in ["4.0", "5.0"] {
            stage.worker.use(try Self.ruleSet(minimum: minimum))
            #expect(client.socket.takeBytes() == [])
        }
        #expect(stage.worker.statistics.counters.passed == 0)
        // The response has used up the pass.
        let other = try stage.client()
        try other.receive(Self.get(pass, version: "3", target: "/.versiongate/status"))
        let isAllowed = other.socket.takeSent().contains("\"decision\":\"allow\"")
        #expect(isAllowed == (pass == "good"))
        stage.tick(after: 10)
        #expect(client.socket.takeBytes() == Self.closing)
    }

    @Test func `a response of a client that the rules allow again outlives its pass`() throws {
        let stage = try self.stage()
        stage.worker.start()
        defer { stage.worker.closeAll() }
        let (client, _) = try self.open(stage, "good")
        stage.worker.use(try Self.ruleSet(minimum: "1.0"))
        for _ in 0..<20 { stage.tick(after: 1) }
        #expect(client.socket.takeBytes() == [])
    }

    @Test func `an event stream and a call from the backend end with the pass`() throws {
        let events = wire(
            "HTTP/1.1 200 OK",
            "Content-Type: text/event-stream",
            "Transfer-Encoding: chunked"
        )
        let call = wire(
            "HTTP/1.1 200 OK",
            "Content-Type: application/grpc",
            "Transfer-Encoding: chunked"
        )
        for (fields, response) in [
            ([], events), (["Content-Type: application/grpc", "TE: trailers"], call),
        ] {
            let stage = try self.stage()
            stage.worker.start()
            defer { stage.worker.closeAll() }
            let (client, _) = try self.open(stage, "good", fields: fields, response: response)
            for _ in 0..<9 { stage.tick(after: 1) }
            #expect(client.socket.takeSent() == "" && !client.socket.isClosed)
            stage.tick(after: 1)
            #expect(stage.worker.loop.counters.revoked == 1)
            let end = client.socket.takeSent()
            #expect(
                client.socket.isOutputClosed || client.socket.isClosed
                    || end.contains("grpc-status: 9")
            )
        }
    }

    @Test func `the gate's own event stream reports the end of a pass`() throws {
        let stage = try self.stage()
        stage.worker.start()
        defer { stage.worker.closeAll() }
        let client = try stage.client()
        try client.receive(Self.get("once", target: "/.versiongate/events"))
        #expect(client.socket.takeSent().contains("\"decision\":\"allow\""))
        stage.worker.use(try Self.ruleSet(minimum: "2.1"))
        #expect(client.socket.takeSent() == "")
        stage.tick(after: 10)
        #expect(client.socket.takeSent().contains("\"decision\":\"require\""))
        #expect(Self.refusals(stage) == [:])
    }
}

/// Passes in authorization requests from gateways.
extension PassTests {
    private static let described = ["X-Forwarded-Method: GET", "X-Forwarded-Uri: /orders"]

    @Test(
        arguments: [
            ("/decide", described), ("/decide/traefik", described), ("/decide/caddy", described),
            ("/decide/haproxy", described),
            ("/decide/nginx", ["X-Original-Method: GET", "X-Original-URI: /orders"]),
            (
                "/decide/ingress-nginx",
                ["X-Original-Method: GET", "X-Original-URL: https://a/orders"]
            ),
            ("/decide/envoy/orders", []),
        ]
    )
    func `a gateway's request with a pass is allowed`(_ path: String, _ fields: [String]) throws {
        let stage = try self.stage()
        let client = try stage.gateway()
        try client.receive(Self.get("once", target: path, fields: fields))
        let allowed = client.socket.takeSent()
        #expect(allowed.hasPrefix("HTTP/1.1 200 "))
        #expect(allowed.contains("X-VersionGate-Decision: passed\r\n"))
        try client.receive(Self.get("once", target: path, fields: fields))
        #expect(!client.socket.takeSent().hasPrefix("HTTP/1.1 200 "))
        #expect(stage.worker.statistics.counters.passed == 1)
        #expect(Self.refusals(stage) == [.used: 1])
    }

    @Test func `a forwarded denial is not counted, and no pass is used up by it`() throws {
        let stage = try self.stage()
        let client = try stage.gateway()
        try client.receive(Self.get("bad", target: "/decide/denial", fields: Self.described))
        #expect(client.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
        #expect(Self.refusals(stage) == [:])
        let other = try stage.gateway()
        try other.receive(Self.get("once", target: "/decide/denial", fields: Self.described))
        #expect(!other.socket.takeSent().hasPrefix("HTTP/1.1 426 "))
        let last = try stage.gateway()
        try last.receive(Self.get("once", target: "/decide", fields: Self.described))
        #expect(last.socket.takeSent().hasPrefix("HTTP/1.1 200 "))
    }
}
