import Foundation
import GateTestSupport
import Testing

/// Two stores, with the real executable: builds for several CPU architectures, a staged rollout, and an app for iPhone
/// and Mac with one ID.
///
/// At every step, no client is denied unless its store has the update. Once each store has the update, no outdated
/// build is allowed.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)), .needs("openssl", "python3"))
struct TwoStoresStoryTests {
    /// The stores as servers, and the rules that wait for them.
    private struct Stores {
        let play: FeedServer
        let apple: FeedServer
        let folder: TemporaryFolder

        init(in folder: TemporaryFolder) throws {
            self.folder = folder
            self.play = try FeedServer("google-play")
            self.apple = try FeedServer("app-store")
            let google = try GoogleTestAccount(tokenURL: self.play.url("/token"))
            try folder.writeInPlace(google.json, to: "account.json")
            try self.play.setState(google.state())
        }

        var rules: String {
            let lookup = "url: '\(self.apple.url("/lookup"))', countries: [jp, kr], every: 1s"
            return """
                feeds:
                - id: play
                  source: googlePlay
                  package: com.example.shop
                  method: edits
                  serviceAccount: { file: '\(self.folder.path(of: "account.json"))' }
                  url: '\(self.play.url("/"))'
                  every: 1s
                - { id: phone, source: appStore, trackId: 1234567890, \(lookup) }
                - { id: mac, source: appStore, bundleId: com.example.shop, platform: macos, \(lookup) }
                rules:
                - id: android
                  match: { platform: android }
                  blockedBuilds: ["<1011", ">=2000 <2011", ">=4000 <4011"]
                  holdUntilInStore: true
                  storeUrl: https://play.google.com/store/apps/details?id=com.example.shop
                - id: phone
                  match: { platform: ios }
                  minimum: "3.1.0"
                  holdUntilInStore: true
                  storeUrl: https://apps.apple.com/app/id1234567890
                - id: mac
                  match: { platform: macos }
                  minimum: "2.4.0"
                  holdUntilInStore: true
                  storeUrl: https://apps.apple.com/app/id1234567890?mt=12

                """
        }

        /// Publishes releases of the production track, in the format of the edits API.
        func publish(_ releases: String...) throws {
            let list = releases.joined(separator: ",")
            try self.play.changeState(#"{"apps":{"com.example.shop":{"production":[\#(list)]}}}"#)
        }

        static func release(_ name: String, _ codes: [Int], _ status: String) -> String {
            let list = codes.map { "\"\($0)\"" }.joined(separator: ",")
            return #"{"name":"\#(name)","versionCodes":[\#(list)],\#(status)}"#
        }

        /// Sets the app's records: its versions by country, for each kind of app.
        func sell(
            phone: [String: String],
            mac: [String: String] = [:],
            entity: String = "by-number"
        ) throws {
            func record(_ kind: String, _ versions: [String: String]) -> String {
                let stores = versions.sorted { $0.key < $1.key }.map { country, version in
                    #""\#(country)":{"version":"\#(version)"}"#
                }
                return #"""
                    {"trackId":1234567890,"bundleId":"com.example.shop","kind":"\#(kind)",\#
                    "storefronts":{\#(stores.joined(separator: ","))}}
                    """#
            }
            let records =
                [record("software", phone)] + (mac.isEmpty ? [] : [record("mac-software", mac)])
            try self.apple.changeState(
                #"{"entity":"\#(entity)","apps":[\#(records.joined(separator: ","))]}"#
            )
        }
    }

    private static let newest = [1011, 2011, 4011]
    private static let old = [1010, 2010, 4010]
    private static let complete = #""status":"completed""#
    private static let staged = #""status":"inProgress","userFraction":0.2"#

    private static func android(_ build: Int) -> String {
        Request.text(
            fields: "X-App-Platform: android\r\nX-App-Version: 3.3.0\r\nX-App-Build: \(build)\r\n"
        )
    }

    private static func apple(_ platform: String, _ version: String, in country: String) -> String {
        Request.text(
            fields: "X-App-Platform: \(platform)\r\nX-App-Version: \(version)\r\n"
                + "X-App-Storefront: \(country)\r\n"
        )
    }

    private func expect(
        _ requests: [String],
        areDenied: Bool,
        _ when: String,
        _ scene: Scene
    ) throws {
        for request in requests {
            #expect(try scene.ask(request).status == (areDenied ? 426 : 200), "\(when): \(request)")
        }
    }

    /// Changes the data of a store, and waits until the gate has applied it.
    private func waitUntilApplied(_ feed: String, _ scene: Scene, _ change: () throws -> Void)
        throws
    {
        let seen = scene.gate.logLines.count
        try change()
        try scene.gate.logLine("\(feed) is applied", skipping: seen) {
            $0.message == "feed applied" && $0.metadata["feed"] == feed
        }
    }

    private func waitForForeignRecord(_ scene: Scene) throws {
        try scene.gate.logLine("the record of the iPhone") {
            $0.message == "feed failed; its last value stays active" && $0.metadata["feed"] == "mac"
                && $0.metadata["error"]?.contains("requested com.example.shop for macos") == true
        }
    }

    @Test func `no client is denied before its store has the update, and then all old builds are`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stores = try Stores(in: folder)
        let oldRelease = Stores.release("3.2.0", Self.old, Self.complete)
        try stores.publish(oldRelease)
        try stores.sell(phone: ["jp": "3.0.3", "kr": "3.0.3"])
        try folder.writeInPlace(stores.rules, to: "rules.yaml")
        let flags: [GateFlag] = [.stateDir(path: folder.path(of: "state"))]
        let macs = ["jp", "kr"].map { Self.apple("macos", "2.3.5", in: $0) }
        let oldBuilds = Self.old.map(Self.android)
        let newBuilds = Self.newest.map(Self.android)
        try await Scene.play(in: folder, flags: flags) { scene in
            try scene.gate.logLine("Google Play") {
                $0.message == "feed applied" && $0.metadata["feed"] == "play"
            }
            try self.waitForForeignRecord(scene)
            try self.expect(oldBuilds + macs, areDenied: false, "at first", scene)

            try self.waitUntilApplied("play", scene) {
                try stores.publish(
                    Stores.release("3.3.0", Self.newest, Self.staged),
                    oldRelease
                )
            }
            try self.expect(oldBuilds, areDenied: false, "staged", scene)
            // The release for all users keeps the old build for one CPU architecture.
            try self.waitUntilApplied("play", scene) {
                try stores.publish(Stores.release("3.3.0", [1010, 2011, 4011], Self.complete))
            }
            try self.expect(oldBuilds, areDenied: false, "one build is kept", scene)

            // The version for the iPhone is above the floor for the Mac, but no Mac has it.
            try stores.sell(phone: ["jp": "3.0.3", "kr": "3.1.0"])
            let korea = Self.apple("ios", "3.0.3", in: "kr")
            try scene.waitForAnswer("3.1.0 in Korea", to: korea) { $0.status == 426 }
            let japan = Self.apple("ios", "3.0.3", in: "jp")
            try self.expect(macs + [japan], areDenied: false, "the iPhone in Korea", scene)

            // The release name contains no version, but the builds still count.
            try self.waitUntilApplied("play", scene) {
                try stores.publish(Stores.release("Release 33", Self.newest, Self.complete))
            }
            try self.expect(oldBuilds, areDenied: true, "each build is out", scene)
            try self.expect(newBuilds, areDenied: false, "each build is out", scene)
            try scene.gate.logLine("the name") {
                $0.metadata["feed"] == "play" && $0.message.contains("the name 'Release 33'")
            }

            try stores.sell(
                phone: ["jp": "3.0.3", "kr": "3.1.0"],
                mac: ["jp": "2.4.0", "kr": "2.4.0"],
                entity: "honored"
            )
            // A feed that has failed for a while is polled less often.
            let deadline = Deadline.after(.seconds(90) * GateExecutable.slowdown)
            try scene.waitForAnswer("the Mac's record", to: macs[0], by: deadline) {
                $0.status == 426
            }
            let newMac = Self.apple("macos", "2.4.0", in: "jp")
            try self.expect([newMac, japan], areDenied: false, "the Mac's update is out", scene)

            // Neither another record for the iPhone nor a restart without stores changes the
            // result.
            let seen = scene.gate.logLines.count
            try stores.sell(phone: ["jp": "3.0.3", "kr": "3.1.0"], entity: "ignored")
            try scene.gate.logLine("the iPhone again", skipping: seen, by: deadline) {
                $0.metadata["feed"] == "mac" && $0.metadata["error"] != nil
            }
            try self.expect(macs + oldBuilds + [korea], areDenied: true, "the night after", scene)
            stores.play.stop()
            stores.apple.stop()
            let again = try scene.restarted(flags: flags)
            try self.expect(macs + oldBuilds + [korea], areDenied: true, "restarted", again)
            try self.expect(newBuilds + [newMac, japan], areDenied: false, "restarted", again)
        }
    }

    @Test func `feed check shows the requests, the results and the build that holds a rule`()
        throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stores = try Stores(in: folder)
        try stores.publish(Stores.release("3.3.0", [1010, 2011, 4011], Self.complete))
        try stores.sell(phone: ["jp": "3.0.3", "kr": "3.1.0"])
        try folder.writeInPlace(stores.rules, to: "rules.yaml")
        let path = folder.path(of: "rules.yaml")
        let failed = try ToolProcess.versiongate("feed", "check", path)
        #expect(failed.status == 1)
        let message =
            "feed 'mac': App Store com.example.shop: jp: requested com.example.shop for macos, "
            + "but the App Store returned a record of the kind 'software' (com.example.shop, for ios, "
            + "version 3.0.3), which is ignored; identify the app by 'trackId', or use "
            + "'source: appStoreConnect', or list the versions under 'releases'; kr: requested"
        #expect(failed.errors.hasPrefix(message), "\(failed.errors)")
        for line in [
            "rule 'android': waits for a version that is not blocked: not yet in the store (build "
                + "1010 of 3.3.0 does not pass); begins when the store has it",
            "rule 'mac': waits for 2.4.0: no releases for macos are known",
        ] {
            #expect(failed.output.contains(line), "\(failed.output)")
        }
        #expect(failed.output.contains("\"builds\": [1010, 2011, 4011]"))

        try stores.sell(phone: ["jp": "3.1.0"], mac: ["jp": "2.4.0"], entity: "all-records")
        let good = try ToolProcess.versiongate("feed", "check", path)
        #expect(good.status == 0, "\(good.errors)")
        #expect(good.output.contains("rule 'mac': waits for 2.4.0: jp since"), "\(good.output)")
    }

    /// Rewrites a stored feed in an older gate's format, without the `readAs` mark.
    private func age(_ feed: String, in folder: String, document: String, memory: [String: String])
        throws
    {
        let path = "\(folder)/\(feed).feed.json"
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        var entry = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        var value = try #require(entry["value"] as? [String: Any])
        #expect(value["readAs"] as? Int == 2)
        value["readAs"] = nil
        value["files"] = [["text": document]]
        value["memory"] = memory
        entry["value"] = value
        try JSONSerialization.data(withJSONObject: entry).write(to: URL(fileURLWithPath: path))
    }

    @Test func `values that an older gate assigned to another platform are not used`() async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let stores = try Stores(in: folder)
        try stores.publish(Stores.release("3.2.0", Self.old, Self.complete))
        let versions = ["jp": "2.3.5", "kr": "2.3.5"]
        try stores.sell(phone: versions, mac: versions, entity: "honored")
        try folder.writeInPlace(stores.rules, to: "rules.yaml")
        let state = folder.path(of: "state")
        let macs = ["jp", "kr"].map { Self.apple("macos", "2.3.5", in: $0) }
        let oldBuilds = Self.old.map(Self.android)
        try await Scene.play(in: folder, flags: [.stateDir(path: state)]) { scene in
            for feed in ["play", "mac"] {
                try scene.gate.logLine(feed) {
                    $0.message == "feed applied" && $0.metadata["feed"] == feed
                }
            }
        }
        try self.age(
            "mac",
            in: state,
            document: """
                releases: [{ platform: macos, version: "3.0.3", countries: [jp, kr] }]

                """,
            memory: ["jp": "3.0.3 2026-01-01T00:00:00Z", "kr": "3.0.3 2026-01-01T00:00:00Z"]
        )
        try self.age(
            "play",
            in: state,
            document: """
                releases: [{ platform: android, version: "3.2.0", build: 4011 }]

                """,
            memory: ["4011": "before"]
        )
        // The lookup now returns only the iPhone's record, and Google Play is down.
        try stores.sell(phone: ["jp": "3.0.3", "kr": "3.0.3"], entity: "ignored")
        stores.play.stop()
        try await Scene.play(in: folder, flags: [.stateDir(path: state)]) { again in
            try self.expect(macs + oldBuilds, areDenied: false, "at the start", again)
            try self.waitForForeignRecord(again)
            try self.expect(macs + oldBuilds, areDenied: false, "after the answer", again)
        }
    }
}
