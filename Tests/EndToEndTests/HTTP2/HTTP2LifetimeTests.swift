import GateTestSupport
import Glibc
import Testing

/// What streams share with each other and with the rest of the gate: limits, rules, and the
/// shutdown.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HTTP2LifetimeTests {
    private static let current: [HTTP2Fields.Field] = [
        ("x-app-id", "com.example.shop"), ("x-app-platform", "ios"), ("x-app-version", "3.6.0"),
    ]

    @Test
    func `a connection counts once, however many streams it has`() async throws {
        let latch = Latch()
        let flags: [GateFlag] = [.maxConnections(2), .maxConnectionsPerAddress(2), .threads(1)]
        try await Scene.play(flags: flags, backend: { _ in [.wait(latch), .echo] }) { scene in
            let client = try scene.connectHTTP2()
            let streams = (0..<20).map { UInt32($0 * 2 + 1) }
            for stream in streams { try client.request(stream) }
            try scene.backend.waitForRequests(20)
            let other = try scene.connect()
            try other.send(Request.text())
            let third = try scene.connect()
            try third.send(Request.text())
            #expect(try [429, 503].contains(third.response().status))
            latch.open()
            for stream in streams { #expect(try client.response(stream).status == 200) }
            #expect(try other.response().status == 200)
        }
    }

    @Test
    func `streams that the client resets are no longer pending`() async throws {
        let script: ScriptedBackend.Script = { request in
            request.target == "/slow" ? [.stall] : [.echo]
        }
        try await Scene.play(flags: [.maxPendingRequests(2)], backend: script) { scene in
            let client = try scene.connectHTTP2()
            for round in UInt32(0)..<3 {
                let first = round * 8 + 1
                for stream in [first, first + 2] { try client.request(stream, "GET", "/slow") }
                try scene.backend.wait(for: "both requests") { record in
                    record.targets.filter { $0 == "/slow" }.count >= 2 * Int(round + 1) ? true : nil
                }
                try client.request(first + 4)
                #expect(try client.response(first + 4).status == 503)
                try client.send(.reset(first), .reset(first + 2))
                try client.request(first + 6)
                #expect(try client.response(first + 6).status == 200)
            }
        }
    }

    /// A complete request, an unfinished upload, an event stream, and a gRPC call.
    @Test
    func `the end of a client's connection ends its backend requests at once`() async throws {
        let events =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n9\r\ndata: a\n\n\r\n"
        let script: ScriptedBackend.Script = { request in
            request.target == "/feed" ? [.send(events), .stall] : [.stall]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1)
            try client.request(3, "POST", "/upload", endsStream: false)
            try client.data(3, [1, 2, 3])
            try client.request(5, "GET", "/feed", Self.current)
            try client.request(7, "POST", "/call", [("content-type", "application/grpc")])
            _ = try client.frame { $0.isA(.data) && $0.stream == 5 }
            try scene.backend.waitForRequests(4)
            client.finishSending()
            let record = try scene.backend.waitUntilAllEnded(by: .after(.seconds(5)))
            #expect(record.connections.count == 4)
            #expect(try client.frame { $0.endsStream } == nil)
        }
    }

    @Test
    func `a backend's event stream is reset when the rules deny its client`() async throws {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n9\r\ndata: a\n\n\r\n"
        let script: ScriptedBackend.Script = { request in
            request.target == "/feed" ? [.send(head), .stall] : [.echo]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1, "GET", "/feed", Self.current)
            let data = try client.frame { $0.isA(.data) }
            #expect(data?.payload == Array("data: a\n\n".utf8))
            try scene.folder.replace("rules.yaml", with: RulesText.shop(minimum: "4.0.0"))
            scene.gate.send(signal: SIGHUP)
            let end = try client.frame { $0.stream == 1 }
            #expect(end?.isA(.resetStream) == true)
            try client.request(3, "GET", "/feed", Self.current)
            #expect(try client.response(3).status == 426)
            try client.request(5)
            #expect(try client.response(5).status == 200)
        }
    }

    @Test
    func `no frame follows the reset of a close-delimited response`()
        async throws
    {
        let script: ScriptedBackend.Script = { request in
            guard request.target == "/last" else { return [.echo] }
            return [.send("HTTP/1.0 200 OK\r\n\r\nall of it"), .close]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connectHTTP2(settings: [(4, 0)])
            try client.request(1, "GET", "/last")
            _ = try client.frame { $0.isA(.headers) && $0.stream == 1 }
            // The gate has the whole response, and waits only for a window to send it.
            try client.request(3, "HEAD")
            _ = try client.frame { $0.isA(.headers) && $0.stream == 3 }
            try client.send(.reset(1))
            try client.request(5, "HEAD")
            let next = try client.frame { !$0.isA(.windowUpdate) && !$0.isA(.settings) }
            #expect(next?.stream == 5)
            #expect(next?.isA(.headers) == true)
        }
    }

    @Test(arguments: [true, false])
    func `frames that cross the last GOAWAY do no harm`(endsRequest: Bool) async throws {
        let latch = Latch()
        let flags: [GateFlag] = [.drainTimeout(seconds: 20)]
        try await Scene.play(flags: flags, backend: { _ in [.wait(latch), .echo] }) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1)
            try scene.backend.waitForRequests(1)
            scene.gate.send(signal: SIGTERM)
            let goodbye = try client.frame { $0.isA(.goAway) }
            #expect(goodbye?.number(at: 0) == 1)
            try client.request(3, "POST", "/", endsStream: endsRequest)
            if !endsRequest {
                try client.data(3, [1])
                try client.send(.window(3, 1))
                try client.send(.headers(3, HTTP2Fields.block([("x", "1")])))
            }
            try client.send(.window(3, 1), .reset(3))
            latch.open()
            #expect(try client.response(1).status == 200)
            client.close()
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }

    @Test
    func `a response that ends with the gate is not reset`() async throws {
        try await Scene.play { scene in
            // The window is one byte, so the end of the event stream must wait for a larger window.
            let client = try scene.connectHTTP2(settings: [(4, 1)])
            try client.request(1, "GET", "/.versiongate/events", Self.current)
            _ = try client.frame { $0.isA(.data) }
            scene.gate.send(signal: SIGTERM)
            _ = try client.frame { $0.isA(.goAway) }
            try client.send(HTTP2Frame(.windowUpdate, stream: 1, HTTP2Frame.big(1 << 20)))
            let end = try client.frame { $0.stream == 1 && $0.endsStream }
            #expect(end != nil)
            #expect(try client.frame { $0.isA(.resetStream) } == nil)
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }

    @Test
    func `a client that is still connecting gets a GOAWAY`() async throws {
        let flags: [GateFlag] = [.threads(1), .drainTimeout(seconds: 20)]
        try await Scene.play(flags: flags) { scene in
            let opening = RawHTTP2Client.preface + RawHTTP2Client.settings([]).bytes
            let client = try RawHTTP2Client(port: scene.gate.port, opening: Array(opening[..<10]))
            let witness = try scene.connect()
            try witness.send(Request.text())
            #expect(try witness.response().status == 200)
            scene.gate.send(signal: SIGTERM)
            #expect(try witness.rest().bytes == [])
            try client.send(bytes: Array(opening[10...]))
            let goAway = try client.frame { $0.isA(.goAway) }
            #expect(goAway?.number(at: 0) == 0)
            #expect(goAway?.number(at: 4) == 0)
            // The gate exits without waiting for this client until the drain timeout.
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }

    @Test
    func `streams that outlast the drain are reset`() async throws {
        let script: ScriptedBackend.Script = { _ in [.stall] }
        try await Scene.play(flags: [.drainTimeout(seconds: 1)], backend: script) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1)
            try scene.backend.waitForRequests(1)
            scene.gate.send(signal: SIGTERM)
            let notice = try client.frame { $0.isA(.goAway) }
            #expect(notice?.number(at: 0) == 1)
            let end = try client.frame { $0.isA(.resetStream) || $0.endsStream }
            #expect(end?.isA(.resetStream) == true)
            _ = try scene.gate.waitForExit()
        }
    }

    @Test
    func `with port sharing, requests in flight during the drain get responses`() async throws {
        let flags: [GateFlag] = [.reusePort, .drainTimeout(seconds: 20)]
        try await Scene.play(flags: flags) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1)
            #expect(try client.response(1).status == 200)
            scene.gate.send(signal: SIGTERM)
            let notice = try client.frame { $0.isA(.goAway) }
            #expect(notice?.number(at: 0) == UInt32(Int32.max))
            try client.request(3)
            #expect(try client.response(3).status == 200)
            let last = try client.frame { $0.isA(.goAway) }
            #expect(last?.number(at: 0) == 3)
            #expect(last?.number(at: 4) == 0)
            client.close()
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }
}
