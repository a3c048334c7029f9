import Foundation
import GateTestSupport
import Testing

/// A floor that waits for two stores, with clients from each of them.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct StorefrontStoryTests {
    private static let long = "2026-01-01T00:00:00Z"

    private static func rules(_ store: AppStoreLookup, countries: String = "[jp, kr]") -> String {
        """
        identity: { headers: { country: X-Edge-Country } }
        feeds:
        - id: store
          source: appStore
          trackId: 1234567890
          countries: \(countries)
          every: 1s
          url: \(store.url)
        rules:
        - id: ios
          match: { platform: ios }
          minimum: "1.2"
          holdUntilInStore: true
          storeUrl: https://apps.apple.com/app/id1234567890

        """
    }

    /// Returns a request of version 1.1 that states its country in these fields.
    private func request(_ fields: String, path: String = "/") -> String {
        Request.text("GET", path, fields: Request.identity(version: "1.1") + fields)
    }

    private func isDenied(_ scene: Scene, _ fields: String) throws -> Bool {
        try scene.ask(self.request(fields)).status == 426
    }

    private struct Status: Decodable {
        var decision: String
    }

    private func status(_ scene: Scene, _ fields: String) throws -> String {
        try scene.ask(self.request(fields, path: "/.versiongate/status")).json(Status.self).decision
    }

    private static let korean = "X-App-Storefront: KOR\r\n"
    private static let japanese = "X-App-Storefront: jp\r\n"

    /// Expects that only clients of the Korean store are denied.
    private func expectOnlyKoreaDenied(_ scene: Scene) throws {
        for fields in [Self.korean, "X-App-Storefront: kr\r\n", "X-Edge-Country: KR\r\n"] {
            #expect(try self.isDenied(scene, fields), "\(fields)")
            #expect(try self.status(scene, fields) == "require")
        }
        for fields in [
            "", Self.japanese, "X-App-Storefront: JPN\r\n", "X-Edge-Country: JP\r\n",
            "X-Edge-Country: KR\r\n" + Self.japanese, "X-App-Storefront: FRA\r\n",
            Self.korean + Self.japanese, "X-App-Storefront: KOR, JPN\r\n",
            "Accept-Language: ko-KR\r\n",
        ] {
            #expect(try !self.isDenied(scene, fields), "\(fields)")
            #expect(try self.status(scene, fields) == "allow")
        }
        let new = Request.text(fields: Request.identity(version: "1.2") + Self.korean)
        #expect(try scene.ask(new).status == 200)
    }

    @Test func `each client is held to the release of its own store, also after a restart`()
        async throws
    {
        let store = try AppStoreLookup()
        store.release("1.2", in: "kr", since: Self.long)
        store.release("1.1", in: "jp", since: Self.long)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules(store), to: "rules.yaml")
        let flags: [GateFlag] = [.stateDir(path: folder.path(of: "state"))]
        try await Scene.play(in: folder, flags: flags) { scene in
            try scene.waitForAnswer("Korea", to: self.request(Self.korean)) { $0.status == 426 }
            try self.expectOnlyKoreaDenied(scene)

            // The feed fails: its last value stays active, and no other country is affected.
            store.server.set(.forbidden)
            let again = try scene.restarted(flags: flags)
            try self.expectOnlyKoreaDenied(again)

            store.server.set(nil)
            store.release("1.2", in: "jp", since: Self.long)
            let next = try again.restarted(flags: flags)
            try next.waitForAnswer("everybody", to: self.request("")) { $0.status == 426 }
            for fields in ["", Self.korean, Self.japanese, "X-App-Storefront: FRA\r\n"] {
                #expect(try self.isDenied(next, fields), "\(fields)")
            }
        }
    }

    @Test func `a country that fails keeps its floor held, and the others do not wait`()
        async throws
    {
        let store = try AppStoreLookup()
        for country in ["jp", "gb", "kr"] { store.release("1.2", in: country, since: Self.long) }
        store.refuse("gb", with: 400)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rules = Self.rules(store, countries: "[jp, gb, kr]")
        try folder.writeInPlace(rules, to: "rules.yaml")
        try await Scene.play(in: folder, flags: []) { scene in
            try scene.gate.logLine("the country that fails") {
                $0.metadata["error"] == "gb: the source responded with 400"
            }
            try scene.waitForAnswer("Korea", to: self.request(Self.korean)) { $0.status == 426 }
            #expect(try self.isDenied(scene, Self.japanese))
            for fields in ["", "X-App-Storefront: GBR\r\n"] {
                #expect(try !self.isDenied(scene, fields))
            }
            store.refuse("gb", with: nil)
            try scene.waitForAnswer("everybody", to: self.request("")) { $0.status == 426 }
        }
    }

    @Test func `a country that keeps failing is logged once, and stays in the status`()
        async throws
    {
        let store = try AppStoreLookup()
        for country in ["jp", "gb", "kr"] { store.release("1.1", in: country, since: Self.long) }
        store.refuse("gb", with: 400)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rules = Self.rules(store, countries: "[jp, gb, kr]")
        try folder.writeInPlace(rules, to: "rules.yaml")
        try await Scene.play(in: folder, flags: [.adminListen()]) { scene in
            let error = "gb: the source responded with 400"
            func expectOneWarning(_ when: String) {
                let lines = scene.gate.logLines.filter { $0.metadata["error"] == error }
                #expect(lines.map(\.level) == ["warning"], "\(when)")
                #expect(!scene.gate.logLines.contains { $0.message == "feed recovered" })
            }
            let first = try await scene.waitForFeed("the failure") { $0.error == error }
            #expect(first.state == "failing")

            // The releases of the other countries are applied, and the error stays the same.
            for (version, country) in [("1.2", "kr"), ("1.2", "jp"), ("1.3", "kr")] {
                let seen = scene.gate.logLines.count
                store.release(version, in: country, since: Self.long)
                try scene.gate.logLine("\(version) in \(country)", skipping: seen) {
                    $0.message == "feed applied"
                }
                let failing = try await scene.waitForFeed("the next poll") { $0.nextAt != nil }
                #expect((failing.error, failing.state) == (error, "failing"))
            }
            #expect(try self.isDenied(scene, Self.japanese))
            #expect(try !self.isDenied(scene, "X-App-Storefront: GBR\r\n"))
            let last = try scene.feed()
            #expect(last.revision != first.revision)
            #expect(try #require(last.ageSeconds) >= 0)
            expectOneWarning("after three releases")

            store.refuse("gb", with: nil)
            try scene.gate.logLine("the recovery") {
                ["feed applied", "feed recovered"].contains($0.message)
                    && (try? scene.feed().error) == .some(nil)
            }
            #expect(try scene.feed().state == "fresh")
        }
    }

    @Test func `feed check shows the release of each store, and fails if a country fails`()
        throws
    {
        let store = try AppStoreLookup()
        store.release("1.2", in: "kr", since: Self.long)
        store.release("1.1", in: "jp", since: Self.long)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rules = Self.rules(store, countries: "[kr, gb, jp]")
        try folder.writeInPlace(rules, to: "rules.yaml")
        let path = folder.path(of: "rules.yaml")

        store.refuse("gb", with: 400)
        let failed = try ToolProcess.versiongate("feed", "check", path)
        #expect(failed.status == 1)
        #expect(
            failed.errors
                == "feed 'store': App Store 1234567890: gb: the source responded with 400\n"
        )
        let line = "rule 'ios': waits for 1.2: gb not yet, jp not yet, kr since \(Self.long); "
        let begin = "has begun in kr; begins for all others when all stores have it\n"
        #expect(failed.output.hasSuffix(line + begin), "\(failed.output)")

        store.refuse("gb", with: nil)
        for country in ["gb", "jp"] { store.release("1.2", in: country, since: Self.long) }
        let good = try ToolProcess.versiongate("feed", "check", path)
        #expect(good.status == 0)
        #expect(good.output.hasSuffix("; began on \(Self.long)\n"), "\(good.output)")
    }
}
