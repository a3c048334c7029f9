import GateTestSupport
import Testing

@testable import GatePolicy

/// Tests with random rules that a held floor denies no client whose own store has no acceptable update.
@Suite(.ownThread)
struct StoreHoldPropertyTests {
    private static let stores = ["jp", "kr", "us"]

    /// A held floor, an app's releases in three stores, and clients of each store.
    private struct World {
        let rule: RuleDefinition
        let releases: [Release]
        let rules: RuleSet
        var random: SeededGenerator

        init(seed: UInt64) throws {
            var draw = Draw(random: SeededGenerator(seed: seed))
            var rule = try draw.rule(0)
            rule.match = RuleMatch(platforms: [.ios])
            rule.mode = .enforce
            rule.maintenance = nil
            // Only its hold keeps the floor from being active.
            rule.schedule = .always
            rule.rollout = []
            if rule.minimum == nil, rule.minimumBuild == nil, rule.blocked.isEmpty {
                rule.minimum = try version("2")
            }
            rule.holdUntilInStore = StoreHold(
                countries: try draw.one(of: [[], StoreHoldPropertyTests.stores]),
                soak: try draw.one(of: [0, 3])
            )
            var releases = try draw.releases(3)
            for index in releases.indices {
                var countries: [String: Timestamp?] = [:]
                for store in StoreHoldPropertyTests.stores where try draw.one(of: [true, false]) {
                    countries[store] = try draw.one(of: [nil, draw.second()])
                }
                releases[index].app = nil
                releases[index].channel = nil
                releases[index].countries = try draw.one(of: [nil, countries, countries])
                releases[index].storeCountries =
                    releases[index].countries.map { _ in StoreHoldPropertyTests.stores }
            }
            self.rule = rule
            self.releases = releases
            self.rules = ruleSet([rule], releases: releases)
            self.random = draw.random
        }

        /// Whether a store has offered a client an update for the duration that the rule requires.
        ///
        /// The update must satisfy the rule with every build that the client may get.
        func isWayOut(in store: String, of client: ClientIdentity, at now: Timestamp) -> Bool {
            let soak = self.rule.holdUntilInStore?.soak ?? 0
            let then = Timestamp(secondsSinceEpoch: now.secondsSinceEpoch - soak)
            var unheld = self.rule
            unheld.holdUntilInStore = nil
            let rules = ruleSet([unheld])
            func passes(_ fact: Release) -> Bool {
                let builds: [Claim<BuildNumber>] =
                    fact.builds.isEmpty ? [.missing] : fact.builds.map { .stated($0) }
                return builds.allSatisfy { build in
                    var updated = client
                    updated.version = fact.version.map { .stated($0) } ?? .missing
                    updated.build = build
                    return rules.decide(updated, at: now).kind < .require
                }
            }
            func isThere(_ fact: Release) -> Bool {
                let dates = [fact.releasedAt, fact.countries?[store].flatMap(\.self)]
                let isForAll =
                    switch fact.phase {
                    case .complete: true
                    case .phased(let end): end <= then
                    case .partial: false
                    }
                return (fact.countries.map { $0[store] != nil } ?? true) && isForAll
                    && dates.allSatisfy { $0.map { $0 <= then } ?? true }
            }
            let known = self.releases.filter { $0.platform == .ios }
            // A client that updates to a version may get the build of any fact about it.
            return known.contains { release in
                let facts = known.filter { $0 == release || $0.version == release.version }
                return (release.version == nil ? [release] : facts)
                    .allSatisfy { passes($0) && isThere($0) }
            }
        }

        mutating func client(_ storefront: String?) throws -> ClientIdentity {
            var draw = Draw(random: self.random)
            var client = try draw.identity()
            self.random = draw.random
            client.platform = .stated(.ios)
            client.country = .missing
            client.storefront = storefront.map { .stated($0) } ?? .missing
            return client
        }
    }

    @Test(arguments: UInt64(0)..<12)
    func `a client is denied only if its own store has an acceptable update`(seed: UInt64) throws {
        var refused: [String: Int] = [:]
        for number in UInt64(0)..<160 {
            var world = try World(seed: seed * 1000 + number)
            for storefront in Self.stores.map(Optional.some) + [nil, "fr"] {
                let client = try world.client(storefront)
                // A client without a known store may use any of the stores.
                let own = Self.stores.filter { $0 == storefront }
                let stores = own.isEmpty ? Self.stores : own
                for now in (Int64(0)...25).map({ second($0) })
                where world.rules.decide(client, at: now).kind == .require {
                    refused[storefront ?? "", default: 0] += 1
                    for store in stores {
                        let isWayOut = world.isWayOut(in: store, of: client, at: now)
                        #expect(isWayOut, "\(seed) \(number) \(storefront ?? "-") \(store)")
                    }
                }
            }
        }
        // The test is only meaningful if clients are denied; conditions for all stores are met less
        // often.
        for store in Self.stores { #expect(refused[store, default: 0] > 20, "\(refused)") }
        #expect(refused["", default: 0] > 5, "\(refused)")
    }
}
