import Foundation
import GateTestSupport
import Testing

/// Testers must update because a new TestFlight build is out.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("openssl", "python3")
)
struct TestFlightArticleTests {
    /// Runs the shipped example with an App Store Connect that uses TLS.
    private func play(
        _ body: (Scene, AppStoreConnectServer, [GateFlag]) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let certificates = try TestCertificates(in: folder)
        try certificates.make("server", names: "DNS:localhost")
        let connect = try AppStoreConnectServer(
            in: folder,
            identity: FeedServer.Identity(
                certificate: certificates.path("server.pem"),
                key: certificates.path("server.key")
            )
        )
        try connect.publish(builds: [AppStoreConnectServer.build("1040", of: "3.3.0")])
        let rules = try Example.text(
            "feed-testflight.yaml",
            replacing: [
                "{ file: /run/secrets/AuthKey_2X9R4HXF34.p8 }":
                    "{ file: '\(connect.keyPath)' }\n    url: '\(connect.server.url("/"))'",
                "every: 10m": "every: 1s",
            ]
        )
        try folder.writeInPlace(rules, to: "rules.yaml")
        let flags: [GateFlag] = [
            .feedCA(path: certificates.path("ca.pem")),
            .stateDir(path: folder.path(of: "state")),
        ]
        try await Scene.play(in: folder, flags: flags) { scene in
            try scene.gate.logLine("the first answer") { $0.message == "feed applied" }
            try await body(scene, connect, flags)
        }
    }

    private func tester(
        _ build: String,
        of version: String,
        _ audience: String = "internal",
        language: String = "ja"
    ) -> String {
        Request.text(
            fields: Request.identity(version: version)
                + "X-App-Build: \(build)\r\nX-App-Channel: testflight-\(audience)\r\n"
                + "Accept-Language: \(language)\r\n"
        )
    }

    private struct Known: Decodable, Equatable {
        var audience: String
        var version: String?
        var build: String?
        var ageSeconds: Int?
    }

    private func ask(_ scene: Scene, _ question: String) throws -> Known {
        let answer = try scene.ask(
            Request.text("GET", "/.versiongate/testflight/\(question)")
        )
        #expect(answer.status == 200)
        #expect(answer.fields["Content-Type"] == ["application/json"])
        return try answer.json(Known.self)
    }

    @Test func `a new build denies only the testers of its audience, in their language`()
        async throws
    {
        try await self.play { scene, connect, _ in
            let old = self.tester("1040", of: "3.3.0")
            #expect(try scene.ask(old).status == 200)
            try connect.publish(builds: [
                AppStoreConnectServer.build("1042", of: "3.4.0"),
                AppStoreConnectServer.build("1041", of: "3.4.0", "APP_STORE_ELIGIBLE"),
                AppStoreConnectServer.build("1040", of: "3.3.0"),
            ])
            let denial = try scene.waitForAnswer("the new build", to: old) { $0.status == 426 }
            let problem = try denial.problem()
            #expect(problem.title == "新しいテストビルドがあります")
            #expect(problem.message == "TestFlight でビルド 1042 に更新してください。")
            #expect(problem.storeUrl == "https://testflight.apple.com/join/AbCdEfGh")
            #expect(problem.rule == "connect-internal")
            let korean = try scene.ask(self.tester("1040", of: "3.3.0", language: "ko"))
            #expect(try korean.problem().title == "새 테스트 빌드가 나왔습니다")
            for (build, version, audience, isDenied) in [
                ("1041", "3.4.0", "internal", true), ("1042", "3.4.0", "internal", false),
                // Just uploaded, so the source does not list it yet.
                ("1043", "3.4.0", "internal", false), ("1", "9.0.0", "internal", false),
                ("2000", "3.3.9", "internal", true),
                ("1040", "3.3.0", "external", true), ("1041", "3.4.0", "external", false),
            ] {
                let answer = try scene.ask(self.tester(build, of: version, audience))
                #expect((answer.status == 426) == isDenied, "\(build) \(audience)")
            }
            // A user of the App Store build is not a tester.
            #expect(try !scene.isDenied("3.3.0"))
        }
    }

    @Test func `the TestFlight endpoints respond from known data, and otherwise with unknown`()
        async throws
    {
        try await self.play { scene, connect, _ in
            try connect.publish(builds: [
                AppStoreConnectServer.build("1042", of: "3.4.0"),
                AppStoreConnectServer.build("1041", of: "3.4.0", "APP_STORE_ELIGIBLE"),
                AppStoreConnectServer.build("1040", of: "3.3.0"),
            ])
            let old = self.tester("1040", of: "3.3.0")
            _ = try scene.waitForAnswer("the new build", to: old) { $0.status == 426 }
            let start = ContinuousClock.now
            let asked = try connect.server.requests().count
            let latest = try self.ask(scene, "internal")
            #expect((latest.version, latest.build) == ("3.4.0", "1042"))
            #expect(try #require(latest.ageSeconds) <= 5)
            #expect(try self.ask(scene, "external").build == "1041")
            for (question, audience) in [
                ("version=3.3.0", "internal"), ("version=3.4.0&build=1041", "external"),
                ("version=3.4.0&build=1042", "internal"),
                // Two builds for two audiences, a version that does not exist, and no version.
                ("version=3.4.0", "unknown"), ("version=9.9.9", "unknown"), ("", "unknown"),
                ("version=new", "unknown"), ("version=3.3.0&build=x", "unknown"),
                ("version=3.3.0&app=com.example.other", "unknown"),
            ] {
                let known = try self.ask(scene, "audience?\(question)")
                #expect(known.audience == audience, "\(question)")
            }
            // However many clients there are, the polling interval remains one second.
            for _ in 0..<200 { _ = try self.ask(scene, "internal") }
            let seconds = Int((.now - start).components.seconds)
            #expect(try connect.server.requests().count < asked + 40 + 4 * seconds)
        }
    }

    @Test func `a source that stops has no effect, even after a restart`() async throws {
        try await self.play { scene, connect, flags in
            try connect.publish(builds: [AppStoreConnectServer.build("1042", of: "3.4.0")])
            let old = self.tester("1040", of: "3.3.0")
            _ = try scene.waitForAnswer("the new build", to: old) { $0.status == 426 }
            connect.server.stop()
            try scene.gate.logLine("the failure") {
                $0.message == "feed failed; its last value stays active"
            }
            #expect(try scene.ask(old).status == 426)
            #expect(try self.ask(scene, "internal").build == "1042")

            let again = try scene.restarted(flags: flags)
            #expect(try again.ask(old).status == 426)
            try again.gate.logLine("the failure") {
                $0.message == "feed failed; its last value stays active"
            }
            let known = try self.ask(again, "internal")
            #expect(known.build == "1042")
            #expect(known.ageSeconds != nil)
        }
    }

    @Test func `invalid content at the source is logged and changes nothing`() async throws {
        try await self.play { scene, connect, _ in
            try connect.publish(builds: [AppStoreConnectServer.build("1042", of: "3.4.0")])
            let old = self.tester("1040", of: "3.3.0")
            _ = try scene.waitForAnswer("the new build", to: old) { $0.status == 426 }
            for kind in ["html", "empty", "null", "bad-json", "401", "403", "500", "redirect"] {
                let seen = scene.gate.logLines.count
                try connect.server.setFaults(FeedFault(kind))
                try scene.gate.logLine(kind, skipping: seen) {
                    $0.message == "feed failed; its last value stays active"
                }
                #expect(try scene.ask(old).status == 426, "\(kind)")
                #expect(try scene.ask(self.tester("1042", of: "3.4.0")).status == 200, "\(kind)")
                try connect.server.ask("DELETE", "/fault")
                try scene.gate.logLine("the recovery from \(kind)", skipping: seen) {
                    $0.message == "feed recovered"
                }
            }
            let seen = scene.gate.logLines.count
            try connect.set(["builds": [] as [String], "appStoreVersions": [] as [String]])
            try scene.gate.logLine("neither", skipping: seen) {
                $0.metadata["error"]?.contains("neither builds nor versions") == true
            }
            #expect(try scene.ask(old).status == 426)
        }
    }

    @Test func `a scheduled release counts from its actual date, not from the planned one`()
        async throws
    {
        try await self.play { scene, connect, _ in
            let path = scene.folder.path(of: "rules.yaml")
            let rules = try String(contentsOfFile: path, encoding: .utf8)
            let hold = "holdUntilInStore: true"
            let soaking = rules.replacing(hold, with: "holdUntilInStore: { soak: 48h }")
            try scene.folder.replace("rules.yaml", with: soaking)
            try scene.gate.logLine("the soak", where: \.isLoadOfFile)
            // Planned for a month ago, but delayed by the review until now.
            let version = AppStoreConnectServer.version(
                "3.3.0",
                ["earliestReleaseDate": Date(timeIntervalSinceNow: -30 * 86_400).ISO8601Format()]
            )
            let seen = scene.gate.logLines.count
            try connect.set(["appStoreVersions": [version]])
            try scene.gate.logLine("the release", skipping: seen) { $0.message == "feed applied" }
            #expect(try !scene.isDenied("3.2.0"))
            try scene.folder.replace("rules.yaml", with: rules)
            try scene.wait(untilVersion: "3.2.0", isDenied: true)
        }
    }

    /// A release that App Store Connect lists before all users can get it.
    enum Awaited: CaseIterable {
        case scheduled
        case phased

        func version(isOut: Bool) -> [String: Any] {
            func date(days: Double) -> String {
                Date(timeIntervalSinceNow: days * 86_400).ISO8601Format()
            }
            // Planned for a month ago, but delayed.
            var version = AppStoreConnectServer.version(
                "3.3.0",
                ["earliestReleaseDate": date(days: -30)]
            )
            switch self {
            case .scheduled:
                if !isOut { version["appVersionState"] = "PENDING_APPLE_RELEASE" }
            case .phased:
                version["phasedRelease"] = [
                    "phasedReleaseState": isOut ? "COMPLETE" : "ACTIVE",
                    "startDate": date(days: -1),
                ]
            }
            return version
        }
    }

    /// Waits until the gate has polled the versions once more.
    private func waitForPoll(to connect: AppStoreConnectServer) throws {
        let deadline = Deadline.usual
        var last = try connect.server.requests().last?.number ?? 0
        while true {
            let requests = try connect.server.requests(after: last, waiting: .seconds(5))
            if requests.contains(where: { $0.path.hasSuffix("/appStoreVersions") }) { return }
            last = requests.last?.number ?? last
            try #require(!deadline.hasPassed, "no question")
        }
    }

    @Test(arguments: Awaited.allCases)
    func `a soak starts when all users can get a release, not when it is first listed`(
        _ awaited: Awaited
    ) async throws {
        try await self.play { scene, connect, flags in
            let path = scene.folder.path(of: "rules.yaml")
            let rules = try String(contentsOfFile: path, encoding: .utf8)
            func soak(_ span: String, _ scene: Scene) throws {
                let seen = scene.gate.logLines.count
                let hold = "holdUntilInStore: { soak: \(span) }"
                try scene.folder.replace(
                    "rules.yaml",
                    with: rules.replacing("holdUntilInStore: true", with: hold)
                )
                try scene.gate.logLine(
                    "a soak of \(span)",
                    skipping: seen,
                    where: \.isLoadOfFile
                )
            }
            try soak("48h", scene)
            try connect.set(["appStoreVersions": [awaited.version(isOut: false)]])
            try self.waitForPoll(to: connect)
            let firstSeen = Date.now
            try self.waitForPoll(to: connect)
            #expect(try !scene.isDenied("3.2.0"), "not for everybody yet")

            let second = try scene.restarted(flags: flags)
            try self.waitForPoll(to: connect)
            #expect(try !second.isDenied("3.2.0"), "not for everybody yet, after a restart")
            let seen = second.gate.logLines.count
            let came = Date.now
            try connect.set(["appStoreVersions": [awaited.version(isOut: true)]])
            try second.gate.logLine("the release", skipping: seen) { $0.message == "feed applied" }
            #expect(try !second.isDenied("3.2.0"), "for everybody")

            let third = try second.restarted(flags: flags)
            try self.waitForPoll(to: connect)
            try self.waitForPoll(to: connect)
            #expect(try !third.isDenied("3.2.0"), "for everybody, after a restart")

            // A soak that counted from the first listing would be over; one that counts from the release is not.
            let seconds = Int(Date.now.timeIntervalSince(firstSeen)) + 1
            try soak("\(seconds)s", third)
            try Deadline.after(.seconds(seconds + 15)).poll("the end of the soak") {
                try third.isDenied("3.2.0") ? true : nil
            }
            // Times are whole seconds.
            #expect(Date.now.timeIntervalSince(came) >= Double(seconds) - 1)
        }
    }

    @Test func `a floor waits until a phased release is complete`() async throws {
        try await self.play { scene, connect, _ in
            func hand(out phase: [String: Any]?) throws {
                var version = AppStoreConnectServer.version(
                    "3.3.0",
                    ["createdDate": "2026-01-01T00:00:00Z"]
                )
                version["phasedRelease"] = phase
                try connect.set(["appStoreVersions": [version]])
            }
            #expect(try !scene.isDenied("3.2.0"))
            let today = Date.now.ISO8601Format()
            let steps: [[String: Any]] = [
                ["phasedReleaseState": "INACTIVE"],
                ["phasedReleaseState": "ACTIVE", "startDate": today, "currentDayNumber": 1],
                ["phasedReleaseState": "PAUSED", "startDate": today, "currentDayNumber": 3],
            ]
            for step in steps {
                let seen = scene.gate.logLines.count
                try hand(out: step)
                try scene.gate.logLine("\(step)", skipping: seen) { $0.message == "feed applied" }
                #expect(try !scene.isDenied("3.2.0"), "\(step)")
            }
            try hand(out: ["phasedReleaseState": "COMPLETE", "startDate": "2026-01-01T00:00:00Z"])
            try scene.wait(untilVersion: "3.2.0", isDenied: true)
            #expect(try !scene.isDenied("3.3.0"))
        }
    }
}
