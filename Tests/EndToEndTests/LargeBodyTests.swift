import GateTestSupport
import Testing

/// Bodies of any size pass unchanged, and the gate buffers only a small part of them.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct LargeBodyTests {
    private static let mebibytes = 256
    private static let size = Self.mebibytes << 20
    private static let memoryLimit = 100 << 20

    @Test(.needs("python3"), arguments: ["counted", "chunked"])
    func `a large download arrives unchanged`(_ framing: String) async throws {
        let script: ScriptedBackend.Script = { _ in
            let size = String(Self.size, radix: 16)
            let head = "HTTP/1.1 200 OK\r\n"
            return framing == "counted"
                ? [.send("\(head)Content-Length: \(Self.size)\r\n\r\n"), .stream(Self.size)]
                : [
                    .send("\(head)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n"),
                    .stream(Self.size),
                    .send("\r\n0\r\n\r\n"),
                ]
        }
        try await Scene.play(backend: script) { scene in
            let arguments = ["-c", ClientScript.pythonDownload, scene.url("")]
            let result = try ToolProcess.run("python3", arguments)
            let digest = try BodyPattern.sha256(of: Self.size)
            #expect(result.output == "\(Self.size) \(digest)\n", "\(result.errors)")
            try scene.gate.expectPeak(below: Self.memoryLimit)
        }
    }

    @Test(.needs("python3"), arguments: ["counted", "chunked"])
    func `a large upload arrives unchanged`(_ framing: String) async throws {
        try await Scene.play(backend: { _ in [.digest] }) { scene in
            let script = ClientScript.pythonUpload
            let arguments = ["-c", script, scene.url(""), "\(Self.mebibytes)", framing]
            let result = try ToolProcess.run("python3", arguments)
            let words = result.output.split { $0 == " " || $0 == "\n" }
            try #require(words.count == 3, "\(result.errors)")
            #expect(words[0] == words[1])
            #expect(words[2] == "\(Self.size)")
            try scene.gate.expectPeak(below: Self.memoryLimit)
        }
    }

    @Test(arguments: [true, false])
    func `a slow client stops the backend, and the gate does not buffer the body`(
        bypasses: Bool
    ) async throws {
        let script: ScriptedBackend.Script = { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n"), .stream(Self.size)]
        }
        try await Scene.play(flags: [.socketBypass(bypasses)], backend: script) { scene in
            let client = try scene.connect(receiveBuffer: 64 << 10)
            try client.send(Request.text())
            let head = try #require(try client.head())
            #expect(head.framing == .length(Self.size))
            let streamed = try scene.backend.wait(for: "the backend to be stopped") { record in
                record.connections.first.flatMap { $0.wasBlocked ? $0.streamed : nil }
            }
            #expect(streamed < 64 << 20)
            try scene.gate.expectPeak(below: Self.memoryLimit)
            // The next read continues where this one stopped.
            let count = streamed + (1 << 20)
            let bytes = try client.bytes(count)
            #expect(bytes.count == count)
            #expect(bytes[(count - 1000)...].elementsEqual(BodyPattern.bytes(count - 1000..<count)))
            client.reset()
        }
    }

    /// One read takes up to 0.5 MiB.
    @Test(arguments: ["counted", "chunked"])
    func `an upload that the backend does not read is buffered up to 1 MiB`(
        _ framing: String
    ) async throws {
        let latch = Latch()
        defer { latch.open() }
        try await Scene.play(backend: { _ in [.wait(latch)] }) { scene in
            let before = try scene.gate.peakResidentSize()
            let fields =
                framing == "counted"
                ? "Content-Length: \(Self.size)\r\n" : "Transfer-Encoding: chunked\r\n"
            let size = String(Self.size, radix: 16)
            let head =
                Request.text("POST", fields: fields)
                + (framing == "counted" ? "" : "\(size)\r\n")
            let block = [UInt8](repeating: 0x61, count: 1 << 16)
            let clients = try (0..<30).map { _ in
                let client = try scene.connect()
                try client.send(head)
                return client
            }
            // On a busy machine a client may stop too early; the second round sends the rest.
            for _ in 0..<2 {
                for client in clients {
                    let sent = try client.sendUntilBlocked(
                        block,
                        atMost: Self.size / 2,
                        for: .milliseconds(100)
                    )
                    #expect(sent < Self.size / 2)
                }
            }
            try scene.gate.expectPeak(below: before + clients.count << 20)
            for client in clients { client.reset() }
        }
    }

    @Test(arguments: [true, false])
    func `a slow backend stops the client, and the gate does not buffer the body`(
        bypasses: Bool
    ) async throws {
        let latch = Latch()
        try await Scene.play(
            flags: [.socketBypass(bypasses)],
            backend: { _ in [.wait(latch), .echo] }
        ) { scene in
            let client = try scene.connect()
            let length = "Content-Length: \(Self.size)\r\n"
            try client.send(Request.text("POST", "/a", fields: length))
            try scene.backend.waitForRequests(1)
            let block = [UInt8](repeating: 0x61, count: 1 << 16)
            let taken = try client.sendUntilBlocked(block, atMost: Self.size)
            #expect(taken < 64 << 20)
            try scene.gate.expectPeak(below: Self.memoryLimit)
            latch.open()
            var left = Self.size - taken
            while left > 0 {
                try client.send(Array(block.prefix(left)))
                left -= min(left, block.count)
            }
            #expect(try client.response().json(EchoReport.self).bodyLength == Self.size)
            try scene.gate.expectPeak(below: Self.memoryLimit)
        }
    }
}
