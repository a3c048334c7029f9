import GateTestSupport
import Testing

@testable import GatePolicy

/// The versions that a change stops denying, and whether the change is a plan.
@Suite(.ownThread)
struct RuleSetTransitionTests {
    private static let later = RuleSchedule(enforceFrom: second(15))

    private func transition(
        _ old: [RuleDefinition],
        _ new: [RuleDefinition],
        releases: [Release] = []
    ) -> RuleSetTransition {
        RuleSetTransition(
            from: RuleSet(RuleSetDefinition(revision: "a", rules: old, releases: releases)),
            to: RuleSet(RuleSetDefinition(revision: "b", rules: new, releases: releases)),
            at: second(10)
        )
    }

    @Test func `a removed rule opens its versions`() throws {
        let openings = self.transition([try rule("a", minimum: "2", blocked: ["3.1"])], []).openings
        #expect(openings.count == 1)
        #expect(openings.first?.versions == "<2 and 3.1")
        #expect(openings.first?.isGone == true)
        #expect(openings.first?.plan == nil)
    }

    @Test func `versions that another rule denies are not open`() throws {
        let both = [try rule("a", minimum: "2"), try rule("b", minimum: "1.5")]
        let openings = self.transition(both, [both[1]]).openings
        #expect(openings.map(\.versions) == [">=1.5 <2"])
    }

    @Test func `a higher floor with a date removes the lower floor`() throws {
        let openings = self.transition(
            [try rule("a", minimum: "2")],
            [try rule("a", minimum: "3", schedule: Self.later)]
        ).openings
        #expect(openings.map(\.plan?.floor.minimum) == [try version("3")])
    }

    @Test func `a higher floor under next keeps the lower floor`() throws {
        var new = try rule("a", minimum: "2")
        new.next = [try rule("a", minimum: "3", schedule: Self.later)]
        #expect(self.transition([try rule("a", minimum: "2")], [new]).openings.isEmpty)
    }

    @Test(arguments: [
        (RuleSchedule(enforceFrom: second(15)), [RolloutStep](), RuleMode.enforce),
        (.always, [RolloutStep(percent: 0)], .enforce),
        (.always, [], .observe),
        (RuleSchedule(until: second(5)), [], .enforce),
    ])
    func `an equal floor that is later, partial or observed is an undo`(
        _ schedule: RuleSchedule,
        _ rollout: [RolloutStep],
        _ mode: RuleMode
    ) throws {
        let new = try rule("a", minimum: "2", mode: mode, schedule: schedule, rollout: rollout)
        let openings = self.transition([try rule("a", minimum: "2")], [new]).openings
        #expect(openings.map(\.versions) == ["<2"])
        #expect(openings.allSatisfy { $0.plan == nil })
    }

    @Test func `a scheduled rule from before the change is not a plan of the change`() throws {
        let planned = try rule("b", minimum: "3", schedule: Self.later)
        let openings = self.transition([try rule("a", minimum: "2"), planned], [planned]).openings
        #expect(openings.map(\.plan) == [nil])
    }

    @Test func `a rollout opens a share of devices`() throws {
        let new = try rule("a", minimum: "3", rollout: [RolloutStep(percent: 5)])
        let openings = self.transition([try rule("a", minimum: "2")], [new]).openings
        #expect(openings.map(\.isPartial) == [true])
        #expect(openings.allSatisfy { $0.plan != nil })
    }

    @Test func `OS versions between cuts and all methods of a rule are compared`() throws {
        let old = try rule("a", minimum: "2")
        func floor(systems: String) throws -> RuleDefinition {
            var rule = old
            rule.match.osVersions = [try VersionRange(parsing: systems)]
            return rule
        }
        let systems = self.transition([try floor(systems: "<10")], [try floor(systems: "<1")])
        #expect(systems.openings.map(\.isPartial) == [true])
        func floor(methods: [String]) throws -> RuleDefinition {
            var rule = old
            rule.match.requests = [try RequestPattern(path: "/v2/**", methods: methods)]
            return rule
        }
        let all = try floor(methods: ["DELETE", "POST", "PUT"])
        let methods = self.transition([all], [try floor(methods: ["DELETE", "OPST", "PUT"])])
        #expect(methods.openings.map(\.isPartial) == [true])
    }

    @Test(arguments: [
        ("/v2/**", ["POST", "PUT"], false), ("/v2/**", ["POST"], true),
        ("/v20/**", ["POST", "PUT"], true),
        ("/**", ["POST", "PUT"], false),
    ])
    func `a path that no longer rejects unidentified clients is reported`(
        _ path: String,
        _ methods: [String],
        _ isSaid: Bool
    ) throws {
        func rules(_ path: String, _ methods: [String]) throws -> RuleSet {
            let request = try RequestPattern(path: path, methods: methods)
            var policy = UnidentifiedPolicy.defaults
            policy.paths = [UnidentifiedPath(request: request, missing: .reject)]
            return RuleSet(RuleSetDefinition(revision: "a", unidentified: policy))
        }
        let transition = RuleSetTransition(
            from: try rules("/v2/**", ["POST", "PUT"]),
            to: try rules(path, methods),
            at: second(10)
        )
        #expect(!transition.newlyAllowedRequests.isEmpty == isSaid)
    }

    @Test func `a change from rules that only observe opens nothing`() throws {
        let old = RuleSetDefinition(
            revision: "a",
            mode: .observe,
            rules: [try rule("a", minimum: "2")]
        )
        let transition = RuleSetTransition(
            from: RuleSet(old),
            to: RuleSet(RuleSetDefinition(revision: "b")),
            at: second(10)
        )
        #expect(transition.openings.isEmpty)
    }

    /// A random rule set and an edited copy.
    private struct Change {
        let old: RuleSetDefinition
        let new: RuleSetDefinition

        init(_ draw: inout Draw) throws {
            let policy = try draw.policy()
            let releases = try draw.releases(3)
            let rules = try draw.rules(4)
            var edited = rules
            for _ in 0..<2 where !edited.isEmpty {
                let index = try draw.one(of: Array(edited.indices))
                switch try draw.one(of: Array(0..<7)) {
                case 0: edited.remove(at: index)
                case 1:
                    edited[index].minimum = try GatePolicyTests.version(
                        draw.one(of: ["1", "2.5", "4"])
                    )
                case 2: edited[index] = try draw.rule(index)
                case 3: edited[index].mode = .observe
                case 4:
                    edited[index].minimum = try GatePolicyTests.version("4")
                    edited[index].schedule = RuleSchedule(enforceFrom: draw.second())
                case 5:
                    let next = try draw.rule(index)
                    edited[index].next = [next]
                    edited[index].next[0].id = edited[index].id
                    edited[index].next[0].match = edited[index].match
                    edited[index].next[0].maintenance = nil
                default: edited[index].id += "-new"
                }
            }
            self.old = RuleSetDefinition(
                revision: "a",
                unidentified: policy,
                rules: rules,
                releases: releases
            )
            self.new = RuleSetDefinition(
                revision: "b",
                unidentified: policy,
                rules: edited,
                releases: releases
            )
        }

        /// Whether a floor is new, is above the floor that denied the client, and will deny the client again.
        func isPlan(
            _ client: ClientIdentity,
            in scope: RequestScope,
            refusedBy id: String,
            _ rules: RuleSet,
            at now: Timestamp
        ) -> Bool {
            guard let former = self.old.rules.first(where: { $0.id == id }) else { return false }
            return self.new.rulesWithNext.contains { floor in
                let known = self.old.rules.first { $0.id == floor.id }
                let isNew = known?.withNext.contains(floor) != true
                let isRaised =
                    FloorOrder(former.withNext, [floor]).onlySecond
                    && (known.map { FloorOrder($0.withNext, [floor]).onlySecond } ?? true)
                let isOver = floor.schedule.until.map { $0 <= now } ?? false
                let denies =
                    floor.breach(
                        by: client.version.value,
                        client.version.value?.release,
                        build: client.build.value
                    ) != nil
                return isNew && isRaised && !isOver && denies && floor.hasFloor
                    && !floor.isActiveForAllClients(at: now)
                    && rules.judge.isMeant(client, in: scope, by: floor)
            }
        }
    }

    /// Except by a plain undo, which is reported, a change that is not rejected makes no decision weaker than the
    /// previous rules would have made it at that second.
    @Test func `every opening is reported, and a plan opens nothing`() throws {
        var draw = Draw(random: SeededGenerator(seed: 1))
        var (weaker, plans) = (0, 0)
        for number in 0..<64 {
            let change = try Change(&draw)
            let (old, new) = (RuleSet(change.old), RuleSet(change.new))
            let now = draw.second()
            let transition = RuleSetTransition(from: old, to: new, at: now)
            let isRefused = transition.openings.contains { $0.plan != nil }
            for _ in 0..<100 {
                let client = try draw.identity()
                let target = Array(try draw.one(of: ["/a/b", "/c/b", "/x"]).utf8)
                let method = Array("GET".utf8)
                let before = old.scope(method: method.span, target: target.span)
                let after = new.scope(method: method.span, target: target.span)
                let was = old.decide(client, in: before, at: now, address: nil)
                guard was.kind == .require, let id = was.ruleID,
                    new.decide(client, in: after, at: now, address: nil).kind < .require
                else { continue }
                weaker += 1
                #expect(
                    transition.openings.contains { $0.rule == id },
                    "change \(number): \(client) passes \(id) in silence"
                )
                guard change.isPlan(client, in: after, refusedBy: id, new, at: now) else {
                    continue
                }
                plans += 1
                #expect(isRefused, "change \(number): \(client) passes \(id) until its plan")
            }
        }
        #expect(weaker > 5)
        #expect(plans > 0)
    }
}
