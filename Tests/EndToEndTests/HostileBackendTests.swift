import GateTestSupport
import Testing

/// A backend that never stops sending.
///
/// The conformance suite covers other backend errors.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HostileBackendTests {
    @Test
    func `endless interim responses are cut off at the response timeout`() async throws {
        let hints = Array(repeating: "HTTP/1.1 103 Hints\r\n\r\n", count: 100_000).joined()
        let flags = [GateFlag.responseTimeout(seconds: 1)]
        try await Scene.play(flags: flags, backend: { _ in [.send(hints), .stall] }) { scene in
            let client = try scene.connect()
            try client.send(Request.text())
            var last: RawResponse?
            while let head = try client.head(), head.status == 103 {
                last = head
            }
            try scene.gate.expectPeak(below: 100 << 20)
            withExtendedLifetime(last) {}
        }
    }
}
