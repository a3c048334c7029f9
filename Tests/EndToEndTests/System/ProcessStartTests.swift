import Foundation
import GateTestSupport
import Glibc
import Testing

/// The environment in which the gate starts.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ProcessStartTests {
    @Test
    func `closed standard descriptors become /dev/null, and never a client's connection`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let port = try FreePort.find()
        let gate = try BackgroundTool(
            "sh",
            [
                "-c", #"exec "$0" "$@" <&- >&- 2>&-"#, GateExecutable.locate().path,
                "serve", "--listen", "127.0.0.1:\(port)", "--upstream", "http://127.0.0.1:9",
                "--rules", folder.file("rules.yaml").path, "--access-log",
            ]
        )
        defer { gate.end() }
        let client = try self.client(of: port)
        for _ in 0..<3 {
            try client.send(Request.text(fields: Request.outdated))
            #expect(try client.response().status == 426)
        }
        for descriptor in 0..<3 {
            let path = "/proc/\(gate.processIdentifier)/fd/\(descriptor)"
            let place = try FileManager.default.destinationOfSymbolicLink(atPath: path)
            #expect(place == "/dev/null", "\(descriptor)")
        }
    }

    private func client(of port: UInt16) throws -> RawClient {
        let deadline = Deadline.usual
        while true {
            do {
                return try RawClient(port: port)
            } catch {
                try #require(!deadline.hasPassed, "\(error)")
                sched_yield()
            }
        }
    }

    @Test(.needs("python3"))
    func `a SIGHUP that is pending at startup does not end the gate`() async throws {
        try await Scene.play(surroundings: .pendingHangup) { scene in
            #expect(try scene.ask(Request.text(fields: Request.current)).status == 200)
            try scene.reload(RulesText.shop(minimum: "5.0.0"))
        }
    }
}
