import Dispatch
import GateTestSupport
import Synchronization
import Testing

@testable import GatePolicy

/// Two random rule sets and the reported difference.
private struct DrawnPair: Sendable {
    static let paths = ["/a/b", "/a/c", "/c/b", "/c/d", "/a", "/"]
    static let versions = [
        "0.9", "1", "1.5", "2", "2.2", "2.5", "3", "3.0-rc.1", "4", "4.5", "5", "6",
    ]

    let old: RuleSet
    let new: RuleSet
    let answers: ComparedAnswers
    let difference: RuleSetDifference
    var draw: Draw

    init(seed: UInt64) throws {
        var draw = Draw(random: SeededGenerator(seed: seed))
        // Limits the dimensions of a rule, because the comparison evaluates every combination.
        func simplified(_ rule: RuleDefinition) -> RuleDefinition {
            var rule = rule
            if seed % 4 != 0 { rule.rollout = [] }
            if seed % 4 != 1 { rule.minimumBuild = nil }
            if seed % 4 != 2 { rule.match.channels = nil }
            if seed % 4 != 3 { rule.requiresOS = [] }
            return rule
        }
        var rules = try draw.rules(3).map(simplified)
        // Two simultaneous rollouts can leave a share that is too small to compare.
        for index in rules.indices.dropFirst() { rules[index].rollout = [] }
        let releases = seed % 5 == 0 ? try draw.releases(1) : []
        let policy = try draw.policy()
        func ruleSet(_ rules: [RuleDefinition], _ draw: inout Draw) throws -> RuleSet {
            let exempt = try draw.one(of: [[], [], ["/a/b"], ["/*/b"]])
            return RuleSet(
                RuleSetDefinition(
                    revision: "r",
                    unidentified: try draw.one(of: [policy, policy, try draw.policy()]),
                    exemptions: try exempt.map { try RequestPattern(path: $0, methods: nil) },
                    rules: rules,
                    releases: releases
                )
            )
        }
        // Most changes affect one rule.
        var changed = rules
        changed[2] = simplified(try draw.rule(2))
        changed[2].rollout = []
        if seed % 2 == 1 {
            func router() throws -> RuleDefinition {
                var router = try draw.router(3)
                router.rollout = []
                router.match.channels = nil
                if seed % 4 != 1 { router.route?.builds = [] }
                return router
            }
            rules.append(try router())
            changed.append(try router())
        }
        self.old = try ruleSet(rules, &draw)
        self.new = try ruleSet(changed, &draw)
        self.answers = ComparedAnswers(self.old.definition, self.new.definition)
        self.difference = RuleSetComparison(old: self.old, new: self.new)
            .difference(at: second(0))
        self.draw = draw
    }

    func outcome(
        _ rules: RuleSet,
        _ client: ClientIdentity,
        _ path: String,
        _ now: Timestamp
    ) -> ComparedOutcome {
        let decision = rules.decide(client, in: rules.scope("GET", path), at: now, address: nil)
        return ComparedOutcome(
            decision,
            status: rules.responder.status(of: decision),
            answerNumber: self.answers.number(of: decision, isNew: rules === self.new)
        )
    }

    mutating func client() throws -> ClientIdentity {
        var client = try self.draw.identity()
        let text = try self.draw.one(of: Self.versions)
        if client.version.value != nil { client.version = .stated(try version(text)) }
        if client.device == .missing { client.device = .stated("d") }
        // Clients that connect from a country are in the row of its storefront.
        client.country = .missing
        return client
    }
}

/// Compares random rule sets: the report contains every changed decision about a client, and nothing else.
@Suite(.ownThread)
struct RuleSetComparisonPropertyTests {
    /// The pairs, compared concurrently; all tests wait for all of them.
    private static let pairs: [DrawnPair] = {
        let drawn = Mutex<[Int: DrawnPair]>([:])
        DispatchQueue.concurrentPerform(iterations: Self.count) { seed in
            guard let pair = try? DrawnPair(seed: UInt64(seed)) else { return }
            drawn.withLock { $0[seed] = pair }
        }
        return drawn.withLock { drawn in (0..<Self.count).compactMap { drawn[$0] } }
    }()
    private static let count = 8

    @Test(arguments: 0..<count)
    func `every changed decision is reported`(index: Int) throws {
        var world = Self.pairs[index]
        try #require(!world.difference.isSampled)
        for _ in 0..<200 {
            let client = try world.client()
            let path = try world.draw.one(of: DrawnPair.paths)
            let now = world.draw.second()
            let before = world.outcome(world.old, client, path, now)
            let after = world.outcome(world.new, client, path, now)
            guard before.isNoticeable(beside: after) else { continue }
            let period = try #require(world.difference.periods.last { $0.from <= now })
            let isNamed = period.changes.contains { change in
                change.before == before && change.after == after
                    && (try? change.includes(client)) == true
            }
            #expect(isNamed, "\(client) at \(path), \(now): \(before) \(after)")
        }
    }

    @Test(arguments: 0..<count)
    func `every reported change is a changed decision`(index: Int) throws {
        var world = Self.pairs[index]
        for period in world.difference.periods {
            // For a share below 1, it is unknown which devices are affected.
            for change in period.changes where change.share == 1 {
                guard let path = change.path else { continue }
                for _ in 0..<20 {
                    let client = try world.client()
                    guard try change.includes(client, orAnyOther: false) else { continue }
                    let before = world.outcome(world.old, client, path, period.from)
                    let after = world.outcome(world.new, client, path, period.from)
                    #expect(before == change.before, "\(client): \(change)")
                    #expect(after == change.after, "\(client): \(change)")
                }
            }
        }
    }

    @Test func `some of the changes concern only the backend`() {
        let changes = Self.pairs.flatMap(\.difference.periods).flatMap(\.changes)
        let moves = changes.filter { change in
            change.before.kind == change.after.kind
                && change.before.route?.backend != change.after.route?.backend
        }
        #expect(!moves.isEmpty && moves.count < changes.count)
    }

    @Test func `most of the random rule sets differ`() {
        #expect(Self.pairs.count == Self.count)
        #expect(Self.pairs.count { !$0.difference.isEmpty } > Self.count / 2)
    }
}

extension ComparedChange {
    /// A path that matches the change; `nil` if the change concerns the requests outside of other patterns.
    fileprivate var path: String? {
        switch self.requests {
        case nil: "/c/d"
        case .only(let labels): labels.contains("/a/b") ? "/a/b" : nil
        case .allBut(let labels): labels.contains("*") ? nil : "/c/d"
        }
    }

    /// Whether the change concerns the client; a change does not list the clients that `*` stands for.
    fileprivate func includes(
        _ client: ClientIdentity,
        orAnyOther: Bool = true
    ) throws -> Bool {
        func isNamed(
            _ claim: Claim<some CustomStringConvertible>,
            in choice: ComparedChoice?
        ) -> Bool {
            let labels: [String]
            switch claim {
            case .missing: labels = [""]
            // A client with a missing value is equivalent to one with an invalid value, unless
            // other rules depend on it.
            case .unreadable: labels = orAnyOther ? ["?", ""] : ["?"]
            case .stated(let name): labels = [name.description]
            }
            switch choice {
            case nil:
                return true
            case .only(let names):
                return names.contains(where: labels.contains)
                    || orAnyOther && claim.value != nil && names.contains("*")
            case .allBut(let names):
                if case .unreadable = claim {
                    return orAnyOther || !names.contains("?") && !names.contains("")
                }
                return !names.contains(where: labels.contains)
                    && (orAnyOther || claim.value == nil || !names.contains("*"))
            }
        }
        func isWithin(_ claim: Claim<AppVersion>, _ choice: ComparedChoice?) -> Bool {
            func isWithin(_ ranges: [String]) -> Bool {
                guard let version = claim.value else { return ranges.contains("") }
                return ranges.contains { range in
                    (try? VersionRange(parsing: range))?.contains(version) == true
                }
            }
            switch choice {
            case nil: return true
            case .only(let ranges): return isWithin(ranges)
            case .allBut(let ranges): return !isWithin(ranges)
            }
        }
        let build: Claim<AppVersion> =
            try client.build.value.map { .stated(try version("\($0)")) } ?? .missing
        return isNamed(client.app, in: self.apps)
            && isNamed(client.platform, in: self.platforms)
            && isNamed(client.channel, in: self.channels)
            && isNamed(client.storefront, in: self.storefronts)
            && isWithin(client.osVersion, self.osVersions) && isWithin(build, self.builds)
            && self.includes(client.version, leniently: orAnyOther)
    }

    private func includes(_ claim: Claim<AppVersion>, leniently: Bool) -> Bool {
        switch claim {
        case .missing: return self.versions == "missing"
        case .unreadable: return self.versions == "unreadable"
        case .stated(let version):
            if self.versions == "any version" { return true }
            guard let range = try? VersionRange(parsing: self.versions) else { return false }
            // The comparison does not distinguish a pre-release from its release.
            let (own, release) = (range.contains(version), range.contains(version.release))
            return leniently ? own || release : own && release
        }
    }
}
