import GatePolicy
import GateRules
import RulesTestSupport
import Testing

@testable import GateAdmin

struct TimelineTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private static func definition(_ rule: String, _ settings: String = "") throws
        -> RuleSetDefinition
    {
        let text = """
            \(settings)
            rules:
              - id: ios
                match: { platform: ios }
                storeUrl: https://apps.apple.com/app/id1234567890
                \(rule)
            """
        return try RulesFileLoader.load(sources: [("rules.yaml", text)]).definition
    }

    private static func day(_ days: Int64) -> Timestamp { self.now.advanced(by: days * 86_400) }

    private static func lines(_ definition: RuleSetDefinition, days: Int64 = 90) -> [String] {
        Timeline(definition, after: self.now, until: self.day(days)).events.map { event in
            let day = self.now.seconds(until: event.time) / 86_400
            return "\(day) \(event.rule ?? "-") \(event.change.rawValue): \(event.words)"
        }
    }

    @Test func `the timeline contains each date of a rule and of its next, in order`() throws {
        let definition = try Self.definition(
            """
            minimum: "3.0"
                blocked: ["3.1.0"]
                until: \(Self.day(80))
                next:
                  - minimum: "4.0"
                    warnFrom: \(Self.day(-5))
                    enforceFrom: \(Self.day(30))
                    brownouts: [{ from: \(Self.day(10)), until: \(Self.day(11)) }]
                  - minimumBuild: 70
                    enforceFrom: \(Self.day(60))
                    rollout: [{ at: \(Self.day(60)), percent: 10 }, { at: \(Self.day(91)), percent: 50 }]
            """
        )
        #expect(
            Self.lines(definition) == [
                "10 ios brownoutBegins: versions below 4.0 are denied until \(Self.day(11))",
                "11 ios brownoutEnds: versions below 4.0 are allowed again",
                "30 ios enforces: versions below 4.0 must update",
                "60 ios enforces: builds below 70 must update",
                "60 ios rollout: 10% of devices: builds below 70 must update",
                "80 ios ends: the rule ends",
            ]
        )
    }

    @Test func `the dates of a route and of its denial are distinguished`() throws {
        let definition = try Self.definition(
            """
            route: { to: legacy, versions: "<4", otherwise: refuse }
                enforceFrom: \(Self.day(5))
                rollout: [{ at: \(Self.day(6)), percent: 10 }, { at: \(Self.day(7)), percent: 100 }]
                until: \(Self.day(80))
                next: { minimum: "4.0", enforceFrom: \(Self.day(30)) }
            """
        )
        #expect(
            Self.lines(definition) == [
                "5 ios enforces: versions <4 go to the backend 'legacy'",
                "6 ios rollout: 10% of devices: versions <4 go to the backend 'legacy'",
                "7 ios rollout: 100% of devices: versions <4 go to the backend 'legacy'",
                "30 ios enforces: versions below 4.0 must update",
                "80 ios ends: the rule ends",
            ]
        )
    }

    @Test func `observed events are marked, and maintenance has its end`() throws {
        let definition = try Self.definition(
            """
            maintenance:
                  from: \(Self.day(2))
                  until: \(Self.day(3))
                  announceFrom: \(Self.day(1))
            """,
            "mode: observe"
        )
        #expect(
            Self.lines(definition) == [
                "1 ios maintenanceAnnounced: maintenance is announced (observed only)",
                "2 ios maintenanceBegins: requests get 503 until \(Self.day(3)) (observed only)",
                "3 ios maintenanceEnds: maintenance is over (observed only)",
            ]
        )
    }

    @Test func `the timeline contains store releases`() throws {
        let definition = try Self.definition(
            "minimum: \"3.0\"",
            "releases: [{ platform: ios, version: \"4.0\", releasedAt: \(Self.day(4)) }]"
        )
        #expect(Self.lines(definition) == ["4 - release: 4.0 on ios is in the store"])
        #expect(Self.lines(definition, days: 3).isEmpty)
    }
}
