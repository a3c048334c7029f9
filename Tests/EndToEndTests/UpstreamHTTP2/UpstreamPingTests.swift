import GateTestSupport
import Testing

/// Backends over HTTP/2 from which nothing comes.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct UpstreamPingTests {
    private static let flags: [GateFlag] = [.threads(1), .upstreamPing(seconds: 1)]

    @Test func `one that does not say that it is there is not, and its streams are lost`()
        async throws
    {
        let script: RawHTTP2Backend.Script = { peer in
            guard peer.index == 0 else { return try peer.answerAll() }
            _ = try peer.request()
            _ = try peer.request()
            try peer.await { $0.isA(.ping) }
            // The gate closes, and what waits for more ends.
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

    @Test func `one that says so has the time of any other`() async throws {
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
