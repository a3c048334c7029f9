import GateTestSupport
import Glibc
import Testing

/// A floor that a source raises before the stores have the release.
///
/// The previous floor stays active for each client, even after a restart.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HeldFloorStoryTests {
    private static let long = "2026-01-01T00:00:00Z"

    private static func rules(
        _ store: AppStoreLookup,
        _ source: RealtimeDatabase,
        hold: String = ", holdUntilInStore: true"
    ) -> String {
        """
        feeds:
        - id: floor
          source: firebaseDatabase
          database: \(source.server.url("/"))
          path: /app/version
          redirectsTo: localhost
          rule: { match: { platform: ios }, storeUrl: "https://a.example"\(hold) }
        - { id: store, source: appStore, trackId: 1234567890, countries: [jp, kr], every: 1s, url: \(store.url) }
        rules: []

        """
    }

    /// Writes a floor to the source, and waits until the gate has applied it.
    private func raise(_ minimum: String, _ source: RealtimeDatabase, _ scene: Scene) throws {
        let seen = scene.gate.logLines.count
        source.put(#"{"minVersion":"\#(minimum)"}"#)
        try scene.gate.logLine("the floor \(minimum)", skipping: seen) {
            $0.message == "feed applied" && $0.metadata["feed"] == "floor"
        }
    }

    private func isDenied(_ version: String, in country: String, _ scene: Scene) throws -> Bool {
        let fields = Request.identity(version: version) + "X-App-Storefront: \(country)\r\n"
        return try scene.ask(Request.text(fields: fields)).status == 426
    }

    /// Expects the oldest allowed version in each country.
    ///
    /// Version 0.1 is never allowed.
    private func expect(_ japan: String, _ korea: String, _ scene: Scene, _ when: String) throws {
        let versions = ["0.1", "1.0", "1.1", "1.2", "1.3"]
        for (country, floor) in [("jp", japan), ("kr", korea)] {
            for version in versions {
                let isDenied = try self.isDenied(version, in: country, scene)
                #expect(isDenied == (version < floor), "\(when): \(version) in \(country)")
            }
        }
    }

    private func wait(for version: String, in country: String, _ scene: Scene) throws {
        let fields = Request.identity(version: version) + "X-App-Storefront: \(country)\r\n"
        try scene.waitForAnswer("\(version) in \(country)", to: Request.text(fields: fields)) {
            $0.status == 426
        }
    }

    @Test func `the previous floor stays active until each store has the new version`() async throws
    {
        let store = try AppStoreLookup()
        let source = try RealtimeDatabase()
        for country in ["jp", "kr"] { store.release("1.1", in: country, since: Self.long) }
        source.put(#"{"minVersion":"1.1"}"#)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules(store, source), to: "rules.yaml")
        let flags: [GateFlag] = [.stateDir(path: folder.path(of: "state"))]
        try await Scene.play(in: folder, flags: flags) { scene in
            try self.wait(for: "1.0", in: "jp", scene)
            try self.expect("1.1", "1.1", scene, "at first")

            try self.raise("1.2", source, scene)
            try self.expect("1.1", "1.1", scene, "raised, and in no store")
            let second = try scene.restarted(flags: flags)
            try self.expect("1.1", "1.1", second, "after a restart")

            store.release("1.2", in: "kr", since: Self.long)
            try self.wait(for: "1.1", in: "kr", second)
            try self.expect("1.1", "1.2", second, "Korea has it")

            try self.raise("1.3", source, second)
            try self.expect("1.1", "1.2", second, "raised twice")
            let third = try second.restarted(flags: flags)
            try self.expect("1.1", "1.2", third, "raised twice, after a restart")

            try self.raise("1.0", source, third)
            try self.expect("1.0", "1.0", third, "a lower number is an undo")
            #expect(third.gate.end() == .status(0))
        }
    }

    @Test func `a floor above every store's version is rejected, whichever feed is first`()
        async throws
    {
        let store = try AppStoreLookup()
        let source = try RealtimeDatabase()
        for country in ["jp", "kr"] { store.release("1.1", in: country, since: Self.long) }
        source.put(#"{"minVersion":"9.0"}"#)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules(store, source, hold: ""), to: "rules.yaml")
        try await Scene.play(in: folder, flags: [.adminListen()]) { scene in
            // A floor that arrives first is only observed once the store's data arrives. A floor that arrives later is
            // rejected.
            try scene.gate.logLine("the store's releases") {
                $0.message == "feed applied" && $0.metadata["feed"] == "store"
            }
            let passing = Request.text(fields: Request.identity(version: "1.1"))
            let deadline = Deadline.usual
            while try scene.ask(passing).status != 200 { try #require(!deadline.hasPassed) }
            try self.raise("1.1", source, scene)
            try self.expect("1.1", "1.1", scene, "a floor that the store has")
            let seen = scene.gate.logLines.count
            source.put(#"{"minVersion":"9.1"}"#)
            try scene.gate.logLine("the refusal", skipping: seen) {
                $0.message == "feed rejected; its last value stays active"
            }
            try self.expect("1.1", "1.1", scene, "refused")
            let page = try FeedsPage(of: scene.gate)
            let feed = try #require(page.feeds.first { $0.id == "floor" })
            #expect(feed.error?.contains("[lockout]") == true)
        }
    }
}
