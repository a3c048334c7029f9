import GateTestSupport
import Testing

/// HTTP/2 clients that cause useless work.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HTTP2FloodTests {
    /// Frames that a client repeats until the gate sends ENHANCE_YOUR_CALM.
    struct Flood: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Whether the flood needs an open request on stream 1.
        var needsRequest = false
        var frames: @Sendable (UInt32) -> [HTTP2Frame]
    }

    static let floods = [
        Flood(testDescription: "requests that are reset at once (CVE-2023-44487)") { stream in
            [.request(stream), .reset(stream)]
        },
        Flood(testDescription: "requests that the gate has to reset") { stream in
            [.request(stream, ends: false), .window(stream, 0)]
        },
        Flood(testDescription: "malformed requests") { stream in
            [.headers(stream, HTTP2Fields.block([("x", "y")]))]
        },
        Flood(testDescription: "pings") { _ in
            [HTTP2Frame(.ping, Array(repeating: 0, count: 8))]
        },
        Flood(testDescription: "settings") { _ in [RawHTTP2Client.settings([])] },
        Flood(testDescription: "priorities") { stream in
            [HTTP2Frame(.priority, stream: stream, [0, 0, 0, 0, 0])]
        },
        Flood(testDescription: "frames of an unknown type") { _ in
            [HTTP2Frame(kind: 0xFA, flags: 0, stream: 0, payload: [])]
        },
        Flood(testDescription: "empty data", needsRequest: true) { _ in [.data(1, [])] },
        Flood(testDescription: "data that is only padding", needsRequest: true) { _ in
            [HTTP2Frame(.data, flags: HTTP2Frame.padded, stream: 1, [3, 0, 0, 0])]
        },
        Flood(testDescription: "window updates of one byte", needsRequest: true) { _ in
            [.window(1, 1)]
        },
    ]

    @Test(arguments: Self.floods)
    func `a flood ends its own connection and no other`(_ flood: Flood) async throws {
        try await Scene.play(backend: { $0.target == "/" ? [.stall] : [.echo] }) { scene in
            let client = try scene.connectHTTP2()
            if flood.needsRequest { try client.send(.request(1, ends: false)) }
            for turn in 0..<3000 {
                try client.send(flood.frames(UInt32(turn * 2 + 1)))
            }
            #expect(try client.goAwayCode() == HTTP2Case.calm)
            let other = try scene.connectHTTP2()
            try other.request(1, "GET", "/other")
            let answer = try other.response(1)
            #expect(answer.status == 200)
        }
    }

    @Test(arguments: [0, 1, 16_384])
    func `a header section that never ends is cut off`(pieceSize: Int) async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            try client.send(.headers(1, HTTP2Fields.request(), flags: 0))
            let piece = Array(repeating: UInt8(0x82), count: pieceSize)
            for _ in 0..<70 { try client.send(HTTP2Frame(.continuation, stream: 1, piece)) }
            let code = try client.goAwayCode()
            #expect(code == HTTP2Case.calm)
        }
    }

    @Test
    func `an HPACK bomb is rejected and needs no memory`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            // One large field in the dynamic table, to which each following byte refers.
            let value = Array(repeating: UInt8(ascii: "v"), count: 3000)
            let large: [UInt8] = [0x40, 1, UInt8(ascii: "x"), 0x7F, 0xB9, 0x16] + value
            let block = HTTP2Fields.request() + large + Array(repeating: 0xBE, count: 10_000)
            let before = try scene.gate.peakResidentSize()
            for stream in [1, 3, 5] as [UInt32] {
                try client.send(.headers(stream, block))
                let answer = try client.response(stream)
                #expect(answer.status == 431)
            }
            try scene.gate.expectPeak(below: before + 8 << 20)
            try client.request(7)
            let answer = try client.response(7)
            #expect(answer.status == 200)
        }
    }

    @Test
    func `empty fields do not accumulate`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            // Each field enters the dynamic table and evicts an older one.
            let block = (0..<5000).flatMap { _ in [0x40, 0, 0] as [UInt8] }
            let before = try scene.gate.peakResidentSize()
            for turn in 0..<150 {
                try client.send(.headers(UInt32(turn * 2 + 1), block))
                _ = try client.frame { $0.isA(.headers) || $0.isA(.resetStream) }
            }
            try scene.gate.expectPeak(below: before + 6 << 20)
        }
    }

    @Test
    func `a client may send control frames for each small DATA frame`() async throws {
        let count = 1500
        let piece = "4\r\nabc\n\r\n"
        let script: ScriptedBackend.Script = { _ in
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            let pieces = (0..<count / 10).flatMap { _ in
                [BackendStep.pause(milliseconds: 1)] + (0..<10).map { _ in BackendStep.send(piece) }
            }
            return [.send(head)] + pieces + [.send("0\r\n\r\n")]
        }
        try await Scene.play(backend: script) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1)
            while let frame = try client.frame(), !(frame.stream == 1 && frame.endsStream) {
                #expect(!frame.isA(.goAway))
                guard frame.isA(.data) else { continue }
                let size = UInt32(frame.payload.count)
                try client.send(
                    .window(1, size),
                    .window(0, size),
                    HTTP2Frame(.ping, Array(repeating: 0, count: 8))
                )
            }
            try client.request(3, "HEAD")
            #expect(try client.frame { $0.stream == 3 }?.isA(.headers) == true)
        }
    }

    @Test
    func `streams beyond the limit are refused one by one before the client knows the limit`()
        async throws
    {
        try await Scene.play(backend: { $0.target == "/" ? [.stall] : [.echo] }) { scene in
            let client = try scene.connectHTTP2()
            try client.send((0..<400).map { .request(UInt32($0 * 2 + 1)) })
            try client.send(.reset(1))
            try client.request(801, "GET", "/next")
            #expect(try client.response(801).status == 200)
        }
    }

    @Test
    func `one stream beyond the limit is refused`() async throws {
        try await Scene.play(backend: { $0.target == "/" ? [.stall] : [.echo] }) { scene in
            let client = try scene.connectHTTP2()
            for index in 0..<101 { try client.request(UInt32(index * 2 + 1)) }
            let refusal = try client.frame { $0.isA(.resetStream) }
            #expect(refusal?.stream == 201)
            #expect(refusal?.number(at: 0) == 7)
            try client.send(.reset(1))
            try client.request(203, "GET", "/next")
            let answer = try client.response(203)
            #expect(answer.status == 200)
        }
    }

    @Test
    func `data beyond the flow-control window ends the stream`() async throws {
        try await Scene.play(backend: { _ in [.stall] }) { scene in
            let client = try scene.connectHTTP2()
            try client.send(.request(1, ends: false))
            let piece = Array(repeating: UInt8(0), count: 16_384)
            // More than the gate's windows and the socket buffers can hold.
            for _ in 0..<80 { try client.data(1, piece) }
            let reset = try client.frame { $0.isA(.resetStream) || $0.isA(.goAway) }
            #expect(reset?.number(at: reset?.isA(.goAway) == true ? 4 : 0) == 3)
        }
    }

    @Test
    func `a client that never opens its window loses its stream at the timeout`() async throws {
        let body = String(repeating: "x", count: 100_000)
        try await Scene.play(
            flags: [.responseTimeout(seconds: 1)],
            backend: { _ in [.answer(body: body)] }
        ) { scene in
            let client = try scene.connectHTTP2(settings: [(4, 0)])
            try client.request(1)
            let answer = try client.response(1, by: .after(.seconds(10)))
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(answer.reset == 2)
        }
    }

    @Test
    func `clients that stall before or during the handshake or a head are closed in time`()
        async throws
    {
        try await Scene.play(flags: [.headTimeout(seconds: 1)]) { scene in
            let silent = try RawHTTP2Client(port: scene.gate.port, opening: [])
            let begun = try RawHTTP2Client(
                port: scene.gate.port,
                opening: Array(RawHTTP2Client.preface.prefix(18))
            )
            let halting = try scene.connectHTTP2()
            try halting.send(.headers(1, HTTP2Fields.request(), flags: 0))
            for client in [begun, halting] {
                let code = try client.goAwayCode(by: .after(.seconds(8)))
                #expect(code == 0)
            }
            #expect(try silent.frame(by: .after(.seconds(8))) == nil)
        }
    }
}
