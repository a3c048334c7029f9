import GateTestSupport
import Testing

/// HTTP/2 backends that send nothing.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct UpstreamPingTests {
    private static let flags: [GateFlag] = [.threads(1), .upstreamPing(seconds: 1)]

    @Test func `a backend that does not acknowledge a ping loses its connection and streams`()
        async throws
    {
        let script: RawHTTP2Backend.Script = { peer in
            guard peer.index == 0 else { return try peer.answerAll() }
            _ = try peer.request()
            _ = try peer.request()
            try peer.await { $0.isA(.ping) }
            // The gate closes, and the script ends.
            try peer.await { $0.isA(.goAway) }
        }
        try await HTTP2Scene.play(flags: Self.flags, settings: [], script: script) { scene in
            let clients = try (0..<2).map { _ in try scene.connect() }
            for client in clients { try client.send(Request.text("POST", "/lost", body: "x")) }
            for client in clients { #expect(try client.response().status == 502) }
            let frames = scene.backend.record.connections[0].frames
            #expect(frames.filter { $0.isA(.ping) }.count == 1)
            try scene.expectAnswer("/next")
            #expect(scene.backend.record.connections.count == 2)
        }
    }

    @Test func `a backend that acknowledges pings has the usual time to respond`() async throws {
        let script: RawHTTP2Backend.Script = { peer in
            let request = try peer.request()
            for _ in 0..<2 {
                let ping = try peer.await { $0.isA(.ping) }
                try peer.send(
                    HTTP2Frame(.ping, flags: HTTP2Frame.acknowledgement, ping.payload)
                )
            }
            try peer.answer(request.stream, request.path)
        }
        try await HTTP2Scene.play(flags: Self.flags, settings: [], script: script) { scene in
            try scene.expectAnswer("/slow")
            #expect(scene.backend.record.connections.count == 1)
        }
    }
}
