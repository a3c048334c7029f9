import Dispatch
import GateTestSupport
import Glibc
import Testing

/// Notifications to the service manager about the gate's state.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct ServiceManagerTests {
    @Test(arguments: ["/", "@"])
    func `the manager is notified of the start, reloads and the end`(_ kind: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let manager = try NotificationSocket(
            kind == "/" ? folder.path(of: "notify") : "@versiongate-test-\(getpid())"
        )
        try await Scene.play(
            surroundings: .environment(["NOTIFY_SOCKET": manager.name])
        ) { scene in
            let ready = try manager.message()
            #expect(ready.first == "READY=1")
            #expect(ready.last == "STATUS=listening on 127.0.0.1:\(scene.gate.port)")
            #expect(try scene.ask(Request.text()).status == 200)
            // The gate may read the rules once more because the file is new.
            while try manager.messageIfAny(by: .after(.milliseconds(700))) != nil {}
            let before = Self.monotonicMicroseconds()
            scene.gate.send(signal: SIGHUP)
            let reloading = try manager.message()
            #expect(reloading.first == "RELOADING=1")
            let stamp = reloading.dropFirst().first?.split(separator: "=") ?? []
            #expect(stamp.first == "MONOTONIC_USEC")
            let time = try #require(stamp.last.flatMap { UInt64($0) })
            #expect((before...Self.monotonicMicroseconds()).contains(time))
            let reloaded = try manager.message()
            #expect(reloaded.first == "READY=1")
            #expect(reloaded.last?.hasPrefix("STATUS=revision ") == true)
            try scene.folder.replace("rules.yaml", with: RulesText.broken(line: 1))
            #expect(try manager.message().first == "RELOADING=1")
            let kept = try manager.message()
            #expect(kept.first == "READY=1")
            #expect(kept.last?.contains("the new rules are invalid") == true)
            scene.gate.send(signal: SIGTERM)
            #expect(try manager.message().first == "STOPPING=1")
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }

    @Test
    func `the watchdog is notified twice per interval while the gate runs`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let manager = try NotificationSocket(folder.path(of: "notify"))
        try await Scene.play(
            surroundings: .environment([
                "NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "1000000",
            ])
        ) { scene in
            func nextSign(by deadline: Deadline) throws -> Bool {
                while let message = try manager.messageIfAny(by: deadline) {
                    if message == ["WATCHDOG=1"] { return true }
                }
                return false
            }
            #expect(try nextSign(by: .usual))
            for _ in 0..<4 { #expect(try nextSign(by: .after(.seconds(1)))) }
            scene.gate.send(signal: SIGSTOP)
            while try nextSign(by: .after(.milliseconds(50))) {}
            #expect(try !nextSign(by: .after(.seconds(2))))
            scene.gate.send(signal: SIGCONT)
            #expect(try nextSign(by: .usual))
        }
    }

    @Test
    func `a missing manager does not stop the gate from serving`() async throws {
        try await Scene.play(
            surroundings: .environment([
                "NOTIFY_SOCKET": "/nowhere/notify", "WATCHDOG_USEC": "1000000",
            ])
        ) { scene in
            let response = try scene.ask(Request.text())
            #expect(response.status == 200)
        }
    }

    private static func monotonicMicroseconds() -> UInt64 {
        DispatchTime.now().uptimeNanoseconds / 1000
    }
}
