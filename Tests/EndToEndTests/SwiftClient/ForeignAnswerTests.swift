import Foundation
import GateTestSupport
import Testing

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Responses that do not come from the gate: they are never a denial, and the library keeps trying.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ForeignAnswerTests {
    struct Answer: Sendable, CustomTestStringConvertible {
        var about: String
        var steps: [BackendStep]

        var testDescription: String { self.about }
    }

    private static let json = "Content-Type: application/json\r\n"
    private static let page = "<!doctype html><title>Sign in</title>"

    @Test(arguments: [
        Answer(
            about: "a captive portal's page",
            steps: [.answer(fields: "Content-Type: text/html\r\n", body: Self.page)]
        ),
        Answer(
            about: "a portal with status 511",
            steps: [.answer("511 Network Authentication Required", body: Self.page)]
        ),
        Answer(about: "a redirect without a target", steps: [.answer("302 Found")]),
        Answer(
            about: "a redirect to a foreign host",
            steps: [.answer("302 Found", fields: "Location: http://portal.invalid/\r\n")]
        ),
        Answer(
            about: "a response that is not HTTP",
            steps: [.send("\u{0}\u{1}\u{2}garbage\r\n\r\n"), .close]
        ),
        Answer(about: "no response", steps: [.close]),
        Answer(about: "a reset", steps: [.reset]),
        Answer(
            about: "half of a document",
            steps: [.answer(fields: Self.json, body: #"{"decision":"require","ti"#)]
        ),
        Answer(
            about: "a truncated document",
            steps: [
                .send(
                    "HTTP/1.1 200 OK\r\n\(Self.json)Content-Length: 99\r\n\r\n{\"decision\":\"allow\"}"
                ),
                .close,
            ]
        ),
        Answer(
            about: "an unknown decision",
            steps: [.answer(fields: Self.json, body: #"{"decision":"perhaps"}"#)]
        ),
        Answer(
            about: "a document that is too large",
            steps: [
                .send("HTTP/1.1 200 OK\r\n\(Self.json)Content-Length: 8000000\r\n\r\n"),
                .stream(8_000_000),
            ]
        ),
        Answer(about: "a backend without a gate", steps: [.answer("404 Not Found", body: "{}")]),
        Answer(about: "an unsolicited 304", steps: [.answer("304 Not Modified")]),
    ])
    func `a foreign response leaves the state unknown`(_ answer: Answer) async throws {
        let stranger = try ScriptedBackend { _ in answer.steps }
        let tested = try TestedClient(port: stranger.port)
        #expect(await tested.client.check() == .unknown(last: nil))
        #expect(await tested.client.check(path: "/a") == .unknown(last: nil))
        tested.listen()
        try stranger.wait(for: "repeated requests to both endpoints") { record in
            let targets = record.requests.map(\.target)
            let streams = targets.filter { $0 == "/.versiongate/events" }
            return streams.count > 2 && targets.filter { $0.hasSuffix("status") }.count > 2
                ? true : nil
        }
        #expect(tested.heard.current.allSatisfy { $0 == .unknown(last: nil) })
        #expect(tested.client.state.inEffect == .allowed)
    }

    @Test
    func `a redirect to a foreign host is not followed`() async throws {
        let foreign = try ScriptedBackend { _ in
            [.answer(fields: Self.json, body: #"{"decision":"require"}"#)]
        }
        // The URL names the same machine differently.
        let place = "http://localhost:\(foreign.port)/.versiongate/status"
        let portal = try ScriptedBackend { _ in
            [.answer("302 Found", fields: "Location: \(place)\r\n")]
        }
        let tested = try TestedClient(port: portal.port)
        #expect(await tested.client.check() == .unknown(last: nil))
        #expect(foreign.record.requests.isEmpty)
        #expect(portal.record.requests.count == 1)
    }

    @Test
    func `a redirect on the gate's own host is followed`() async throws {
        let front = try ScriptedBackend { request in
            request.target == "/.versiongate/status"
                ? [
                    .answer(
                        "307 Temporary Redirect",
                        fields: "Location: /v2/.versiongate/status\r\n"
                    )
                ]
                : [.answer(fields: Self.json, body: #"{"decision":"allow"}"#)]
        }
        let tested = try TestedClient(port: front.port)
        #expect(await tested.client.check() == .allowed)
    }

    @Test
    func `a portal's page is passed to the app, and is not a denial`() async throws {
        let portal = try ScriptedBackend { _ in
            [.answer(fields: "Content-Type: text/html\r\n", body: Self.page)]
        }
        let tested = try TestedClient(port: portal.port)
        let (data, response) = try await tested.get("/v2/orders")
        #expect(response.statusCode == 200)
        #expect(data == Data(Self.page.utf8))
    }

    @Test(arguments: ["silent", "a byte at a time"])
    func `the client does not wait for a slow response`(_ manner: String) async throws {
        let head = "HTTP/1.1 200 OK\r\n\(Self.json)Content-Length: 500\r\n\r\n"
        let pace: [BackendStep] = (0..<500).flatMap { _ in
            [BackendStep.send("{"), .pause(milliseconds: 20)]
        }
        let slow = try ScriptedBackend { _ in
            manner == "silent" ? [.stall] : [.send(head)] + pace
        }
        let asked = Latch()
        // The response timeout expires as soon as the request has arrived.
        let surroundings = ClientEnvironment.test { _ in try await asked.opens() }
        let tested = try TestedClient(port: slow.port, surroundings: surroundings)
        async let state = tested.client.check()
        try slow.wait(for: "the request") { $0.requests.isEmpty ? nil : true }
        asked.open()
        #expect(await state == .unknown(last: nil))
    }

    @Test
    func `a stream without events counts as lost`() async throws {
        let script: ScriptedBackend.Script = { request in
            guard request.target == "/.versiongate/events" else {
                return [.answer(fields: Self.json, body: #"{"decision":"allow"}"#)]
            }
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"), .stall,
            ]
        }
        let silent = try ScriptedBackend(script: script)
        let slept = Watched<[TimeInterval]>([])
        let surroundings = ClientEnvironment.test { seconds in
            // The check never times out, and a silent stream times out at once.
            guard seconds != TestedClient.checkTimeout else {
                return try await ClientEnvironment.forever()
            }
            slept.update { $0.append(seconds) }
        }
        let tested = try TestedClient(port: silent.port, surroundings: surroundings)
        tested.listen()
        // A proxy that buffers the stream still forwards the status request.
        try tested.waitForState("the response to the check") { $0 == .allowed }
        try slept.wait(for: "the second loss") { $0.contains(6) ? true : nil }
        #expect(slept.current.filter { $0 != EventFeed.heartbeatTimeout }.prefix(2) == [3, 6])
    }

    @Test
    func `the delay that a stream has sent applies, although the stream dies`() async throws {
        let silent = try ScriptedBackend { request in
            // Only the stream has the state.
            guard request.target == "/.versiongate/events" else {
                return [.answer("404 Not Found")]
            }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            let event = "event: decision\ndata: {\"decision\":\"allow\"}\n\n"
            return [.send(head + "retry: 7000\n\n" + event), .stall]
        }
        let heard = Latch()
        let slept = Watched<[TimeInterval]>([])
        let surroundings = ClientEnvironment.test { seconds in
            switch seconds {
            case EventFeed.heartbeatTimeout: try await heard.opens()
            case TestedClient.checkTimeout: try await ClientEnvironment.forever()
            default: slept.update { $0.append(seconds) }
            }
        }
        let tested = try TestedClient(port: silent.port, surroundings: surroundings)
        tested.listen()
        try tested.waitForState("the event") { $0 == .allowed }
        heard.open()
        let delays = try slept.wait(for: "the end of the stream") { $0.isEmpty ? nil : $0 }
        #expect(delays.first == 7)
    }

    @Test
    func `the client honors the Retry-After of a full gate`() async throws {
        let full = try ScriptedBackend { _ in
            [.answer("503 Service Unavailable", fields: "Retry-After: 120\r\n")]
        }
        let slept = Watched<[TimeInterval]>([])
        let surroundings = ClientEnvironment.test(share: 0.5) { seconds in
            if seconds == 120 * 1.5 { slept.update { $0.append(seconds) } }
            try await ClientEnvironment.forever()
        }
        let tested = try TestedClient(port: full.port, surroundings: surroundings)
        tested.listen()
        try slept.wait(for: "the pause") { $0.isEmpty ? nil : true }
        let streams = full.record.requests.filter { $0.target == "/.versiongate/events" }
        #expect(streams.count == 1)
        #expect(streams.first?.fields["Accept"] == ["text/event-stream"])
    }

    @Test
    func `the client sends the last event ID, and the event is not repeated`() async throws {
        let event = "id: 17\nevent: decision\ndata: {\"decision\":\"allow\"}\n\n"
        let gate = try ScriptedBackend { request in
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 5000\n\n"
            return request.connection == 0 ? [.send(head + event), .close] : [.send(head), .stall]
        }
        let tested = try TestedClient(port: gate.port)
        tested.listen()
        try tested.waitForState("the event") { $0 == .allowed }
        try gate.wait(for: "the reconnection") { $0.requests.count == 2 ? true : nil }
        let names = gate.record.requests.map { $0.fields["Last-Event-ID"] }
        #expect(names == [[], ["17"]])
        #expect(tested.client.state == .allowed)
    }
}
