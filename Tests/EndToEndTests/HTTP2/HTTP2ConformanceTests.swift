import GateTestSupport
import Testing

/// The requirements of RFC 9113, frame by frame, with the real executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HTTP2ConformanceTests {
    @Test(arguments: [
        HTTP2Case.frames, HTTP2Case.messages, HTTP2Case.webSockets, HTTP2Case.allowed,
    ])
    func `every violation is rejected, and valid frames are accepted`(_ cases: [HTTP2Case])
        async throws
    {
        let script: ScriptedBackend.Script = { request in
            request.fields["x-wait"].isEmpty ? [.echo] : [.stall]
        }
        try await Scene.play(backend: script) { scene in
            for sample in cases {
                let outcome = try self.outcome(of: sample, in: scene)
                #expect(outcome == sample.outcome, "\(sample.testDescription)")
            }
            let client = try scene.connectHTTP2()
            try client.request(1)
            #expect(try client.response(1).status == 200)
        }
    }

    @Test
    func `an invalid preface gets an HTTP/1.1 response`() async throws {
        try await Scene.play { scene in
            let answer = try scene.ask("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n")
            #expect(answer.status == 505)
        }
    }

    private func outcome(
        of sample: HTTP2Case,
        in scene: Scene
    ) throws -> HTTP2Case.Outcome {
        let client = try RawHTTP2Client(port: scene.gate.port, opening: sample.opening)
        try client.send(sample.frames)
        // The acknowledgement shows that the connection is alive.
        try client.send(HTTP2Frame(.ping, Array("the end.".utf8)))
        var isAlive = false
        while true {
            // The deadline is short only if no frame is expected, because the test then waits for all of it.
            let isSilent = isAlive && sample.outcome == .ignored
            let deadline = isSilent ? Deadline.after(.milliseconds(300)) : .usual
            let frame: HTTP2Frame?
            do {
                frame = try client.frame(by: deadline)
            } catch  where isAlive {
                return .ignored
            }
            guard let frame else { return .connection(.max) }
            if frame.isA(.goAway) { return .connection(frame.number(at: 4) ?? .max) }
            if frame.isA(.resetStream), frame.stream == 1 {
                return .stream(frame.number(at: 0) ?? .max)
            }
            if frame.isA(.headers), frame.stream == 1 {
                let status = try HTTP2Fields.read(frame.payload)[":status"].first ?? ""
                return .status(Int(status) ?? 0)
            }
            if frame.isA(.ping), frame.flags == HTTP2Frame.acknowledgement,
                frame.payload == Array("the end.".utf8)
            {
                isAlive = true
            }
        }
    }
}
