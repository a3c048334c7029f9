import Foundation
import GateTestSupport
import Testing

/// Accidents that only traffic reveals: the guard rejects the change, or the circuit breaker stops
/// it.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(10)))
struct BreakerAccidentTests {
    /// A mistaken change.
    struct Story: Sendable, CustomTestStringConvertible {
        let name: String
        /// The versions of the clients, all equally frequent.
        var versions: [String?] = ["3.4.9", "3.6.0", "4.1.0", "4.2.0"]
        var platform = "ios"
        /// The rules of the change.
        let rules: String
        /// The settings of the change.
        var head = ""
        /// The versions of the clients after the change; `nil` if they remain the same.
        var later: [String?]?
        /// The versions of the few clients that were counted before; `nil` means `versions`.
        var tried: [String]?
        /// Whether the guard rejects the change once the clients are counted.
        var isGuarded = true
        var cause = "builds"

        var testDescription: String { self.name }
    }

    private static let base = #"id: ios, match: { platform: ios }, minimum: "3.0.0""#
    private static let link = "https://example.com/app"

    private static func file(_ rules: String, head: String = "") -> String {
        "\(head)\nrules:\n  - { \(rules), storeUrl: \"\(Self.link)\" }\n"
    }

    static let stories: [Story] = [
        Story(
            name: "35.0.0 instead of 3.5.0",
            rules: #"id: ios, match: { platform: ios }, minimum: "35.0.0""#
        ),
        Story(
            name: "a date a year early",
            rules: Self.base
                + #", next: { minimum: "4.2.0", enforceFrom: 2026-01-10T00:00:00Z }"#
        ),
        Story(
            name: "a floor without a platform",
            versions: ["1.8.0", "1.9.0"],
            platform: "web",
            rules: #"id: ios, minimum: "3.0.0""#
        ),
        Story(
            name: "a header that a proxy removes",
            rules: Self.base,
            head: "unidentified: { missing: reject, storeUrl: \"\(Self.link)\" }",
            later: [nil],
            isGuarded: false,
            cause: "missing-fields"
        ),
        Story(
            name: "a floor that remains active after a test",
            rules: #"id: ios, match: { platform: ios }, minimum: "4.2.0""#,
            tried: ["4.2.0"],
            isGuarded: false
        ),
    ]

    private static func visitor(_ number: Int, _ versions: [String?], _ platform: String)
        -> CensusVisitor
    {
        CensusVisitor(
            platform: platform,
            version: versions[number % versions.count],
            device: "device-\(number % 2_000)"
        )
    }

    private static func play(_ body: (Scene) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.file(Self.base), to: "rules.yaml")
        try await Scene.play(
            in: folder,
            flags: [.stateDir(path: folder.path(of: "state")), .adminListen(), .logLevel("debug")],
            body
        )
    }

    /// What happened until the gate allowed the clients again.
    private struct Course {
        var asked = 0
        var refused = 0
        /// The time between the first and the last denial.
        var duration = Duration.zero
    }

    /// Sends requests one after the other, as fast as the gate responds, until none is denied.
    private static func ask(_ story: Story, _ scene: Scene) throws -> Course {
        let start = ContinuousClock.now
        let client = try scene.connect()
        var course = Course()
        var firstRefusal: ContinuousClock.Instant?
        var passedInTurn = 0
        let limit = Duration.seconds(30) * GateExecutable.slowdown
        let versions = story.later ?? story.versions
        // Enough requests to include every version.
        while course.refused == 0 || passedInTurn < 10 * versions.count {
            let visitor = Self.visitor(course.asked, versions, story.platform)
            try client.send(visitor.request)
            let isRefused = try client.response().status == 426
            course.asked += 1
            course.refused += isRefused ? 1 : 0
            passedInTurn = isRefused ? 0 : passedInTurn + 1
            if isRefused {
                let first = firstRefusal ?? .now
                firstRefusal = first
                course.duration = first.duration(to: .now)
            }
            try #require(start.duration(to: .now) < limit, "\(story.name): nothing tripped")
        }
        return course
    }

    @Test(arguments: stories)
    func `a mistaken change trips the breaker within ten seconds`(
        _ story: Story
    ) async throws {
        try await Self.play { scene in
            let tried = story.tried.map { $0.map(Optional.some) } ?? story.versions
            let few = story.isGuarded || story.tried != nil
            // The counted clients are too few for the guard, or not affected.
            let visitors = (0..<(few ? 10 : 400)).map { Self.visitor($0, tried, story.platform) }
            try scene.count(visitors)
            try scene.folder.replace("rules.yaml", with: Self.file(story.rules, head: story.head))
            let answer = try scene.askToReload()
            try #require(answer.status == 200, "\(answer.text)")
            let course = try Self.ask(story, scene)
            #expect(course.duration < .seconds(10) * GateExecutable.slowdown)
            let trip = try scene.gate.logLine("a trip") { line in
                line.message == "the circuit breaker tripped: the rule is now in observe mode"
            }
            #expect(trip.metadata["cause"] == story.cause)
            let milliseconds = course.duration / .milliseconds(1)
            let words =
                "\(story.name): tripped after \((milliseconds / 100).rounded() / 10) s, "
                + "\(course.refused) of \(course.asked) requests were refused"
            print(words)
            Attachment.record(words, named: "breaker.txt")
        }
    }

    @Test(arguments: stories.filter(\.isGuarded))
    func `the guard rejects the change once the clients are counted`(_ story: Story) async throws {
        try await Self.play { scene in
            try scene.count((0..<400).map { Self.visitor($0, story.versions, story.platform) })
            try scene.folder.replace("rules.yaml", with: Self.file(story.rules, head: story.head))
            let answer = try scene.askToReload()
            #expect(answer.status == 409)
            #expect(answer.text.contains("[guard]"))
            let visitors = (0..<8).map { Self.visitor($0, story.versions, story.platform) }
            #expect(try scene.send(visitors) == 0)
        }
    }

    @Test func `a mistaken date trips the breaker, too`() async throws {
        try await Self.play { scene in
            let date = Date.now.addingTimeInterval(3).formatted(.iso8601)
            let rules = Self.base + ", next: { minimum: \"35.0.0\", enforceFrom: \(date) }"
            try scene.folder.replace("rules.yaml", with: Self.file(rules))
            try #require(try scene.askToReload().status == 200)
            let story = Story(name: "a date", versions: ["4.1.0", "4.2.0"], rules: rules)
            let course = try Self.ask(story, scene)
            #expect(course.refused < course.asked)
            #expect(course.duration < .seconds(10) * GateExecutable.slowdown)
        }
    }

    @Test func `a trip is reported, outlives the process, and is ended by the reset command`()
        async throws
    {
        let story = Self.stories[0]
        try await Self.play { scene in
            let hook = "http://127.0.0.1:\(scene.backend.port)/hook"
            let rules = Self.file(story.rules, head: "breaker: { webhook: \"\(hook)\" }")
            try scene.folder.replace("rules.yaml", with: rules)
            try #require(try scene.askToReload().status == 200)
            _ = try Self.ask(story, scene)
            let told = try scene.backend.wait(for: "the webhook") { record in
                record.exchanges.first { $0.request.target == "/hook" && $0.isComplete }
            }
            let message = try JSONReport(String(decoding: told.body, as: UTF8.self))
            #expect(message.text("event") == "breaker-tripped")
            #expect(message.list("trips").map { $0.text("rule") } == ["ios"])
            #expect(try scene.askToReload().status == 200)
            let visitor = Self.visitor(0, story.versions, story.platform)
            #expect(try scene.send([visitor]) == 0)
            let flags: [GateFlag] = [
                .stateDir(path: scene.folder.path(of: "state")), .adminListen(),
            ]
            let next = try scene.restarted(flags: flags)
            defer { _ = next.gate.end() }
            #expect(try next.send([visitor]) == 0)
            let port = "\(try #require(next.gate.adminPort))"
            let shown = try ToolProcess.versiongate("breaker", "--admin", port)
            #expect(shown.output.hasPrefix("ios only observes: the breaker tripped at "))
            #expect(try next.metrics()[#"versiongate_breaker_tripped{rule="ios"}"#] == 1)
            let reset = try ToolProcess.versiongate("breaker", "reset", "--admin", port)
            #expect(reset.output == "the breaker has not tripped\nwatching no rules\n")
            #expect(try next.send([visitor]) == 1)
        }
    }
}
