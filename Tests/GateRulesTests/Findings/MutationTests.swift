import Foundation
import GatePolicy
import MutatedRules
import RulesTestSupport
import Synchronization
import Testing

@testable import GateRules

/// Applies typos to every shipped rules file, as changes to the active rules.
///
/// No mutation may open the gate without a finding. Nor may one lock out all clients of a rule, except in files that do
/// not contain the released versions.
@Suite(.ownThread, .timeLimit(.minutes(5)))
struct MutationTests {
    /// 2026-11-22T12:00:00Z.
    private static let now = Timestamp(secondsSinceEpoch: 1_795_348_800)
    /// The number of mutations per file; all of them with `GATE_ALL_MUTATIONS`.
    private static let perFile =
        ProcessInfo.processInfo.environment["GATE_ALL_MUTATIONS"] == nil ? 70 : Int.max
    /// The maximum number per file of mutations that only traffic can reveal, because the file contains no valid
    /// version.
    private static let mostUnknown = 8
    /// Findings that report that previously denied clients now pass.
    private static let loud: Set<FindingName> = [
        .laxer, .identityChanged, .observing, .openGate, .planOpens,
    ]

    private static func mutations(_ rules: ShippedRules) throws -> [Mutation] {
        Mutation.sample(Self.perFile, of: Mutation.all(of: try rules.text()))
    }

    private static func load(
        _ rules: ShippedRules,
        _ text: String,
        after old: LoadedRules? = nil
    ) throws -> LoadedRules {
        let sources = try rules.sources(with: text)
        return try RulesFileLoader.load(sources: sources, after: old, now: { Self.now })
            .judged(against: old, at: Self.now)
    }

    @Test func `there are enough mutations`() throws {
        let counts = try ShippedRules.files.map { try Self.mutations($0).count }
        #expect(counts.reduce(0, +) >= 2_000)
    }

    @Test(arguments: ShippedRules.files)
    func `no mutation locks out all clients, or opens the gate silently`(file: ShippedRules) throws
    {
        let text = try file.text()
        let old = try Self.load(file, text)
        var report = Report()
        for mutation in try Self.mutations(file) {
            let new: LoadedRules
            do {
                new = try Self.load(file, mutation.text, after: old)
            } catch {
                report.note(error, mutation)
                continue
            }
            let names = Set(new.findings.all.map(\.name))
            report.loaded(names)
            for lockout in Self.lockouts(from: old.ruleSet, to: new.ruleSet) {
                if lockout.isKnowable, !names.contains(.lockout) {
                    report.failures.append("locks out '\(lockout.rule)': \(mutation.words)")
                } else {
                    report.unknown.append("locks out '\(lockout.rule)': \(mutation.words)")
                }
            }
            if names.isDisjoint(with: Self.loud),
                let opened = Self.opening(from: old.ruleSet, to: new.ruleSet)
            {
                report.failures.append("opens for \(opened) in silence: \(mutation.words)")
            }
        }
        Attachment.record(report.text, named: "\(file.description).txt")
        #expect(report.failures.isEmpty, "\(report.failures.joined(separator: "\n"))")
        #expect(report.unknown.count <= Self.mostUnknown, "\(report.text)")
    }

    /// Returns the rules that deny all clients that previously passed.
    private static func lockouts(
        from old: RuleSet,
        to new: RuleSet
    ) -> [(rule: String, isKnowable: Bool)] {
        MutationClients(old, new, at: Self.now).crowds.compactMap { crowd in
            let known = crowd.clients.filter { client in
                let version = client.identity.version.value
                let isKnown = crowd.version.map { newest in version.map { $0 <= newest } ?? true }
                let build = client.identity.build.value
                let isBuilt = crowd.build.map { newest in build.map { $0 <= newest } ?? true }
                return isKnown ?? true && isBuilt ?? true
                    && client.decision(of: old, at: Self.now).kind < .require
            }
            guard !known.isEmpty,
                known.allSatisfy({ Self.isRefused($0.decision(of: new, at: Self.now)) })
            else { return nil }
            let dependsOnBuild = crowd.rule.withNext.contains { $0.minimumBuild != nil }
            return (crowd.rule.id, dependsOnBuild ? crowd.build != nil : crowd.version != nil)
        }
    }

    /// Returns a client that was denied and now passes.
    private static func opening(from old: RuleSet, to new: RuleSet) -> String? {
        for crowd in MutationClients(old, new, at: Self.now).crowds {
            for client in crowd.clients
            where Self.isRefused(client.decision(of: old, at: Self.now))
                && client.decision(of: new, at: Self.now).kind < .require
            {
                return "\(client.identity.version) of '\(crowd.rule.id)'"
            }
        }
        let tested = zip(
            MutationClients.tested(by: old.definition, as: old),
            MutationClients.tested(by: old.definition, as: new)
        )
        for (before, after) in tested
        where Self.isRefused(before.decision(of: old, at: Self.now))
            && after.decision(of: new, at: Self.now).kind < .require
        {
            return "\(before.identity.version) at \(before.target)"
        }
        return nil
    }

    /// Whether the denial is permanent, rather than caused by a brownout or maintenance.
    private static func isRefused(_ decision: Decision) -> Bool {
        decision.kind == .require && decision.brownout == nil
    }
}

/// The results of the mutations of one file.
private struct Report {
    private var unreadable = 0
    private var refused: [String: Int] = [:]
    private var loaded: [String: Int] = [:]
    /// The mutations that only traffic can reveal.
    var unknown: [String] = []
    var failures: [String] = []

    mutating func note(_ error: any Error, _ mutation: Mutation) {
        guard let failure = error as? LoadFailure, !failure.refusals.isEmpty else {
            self.unreadable += 1
            return
        }
        self.refused[Self.words(Set(failure.refusals.map(\.name))), default: 0] += 1
    }

    mutating func loaded(_ names: Set<FindingName>) {
        self.loaded[Self.words(names), default: 0] += 1
    }

    private static func words(_ names: Set<FindingName>) -> String {
        names.isEmpty ? "nothing" : names.map(\.rawValue).sorted().joined(separator: ", ")
    }

    var text: String {
        let refused = self.refused.sorted { $0.key < $1.key }.map { "refused by \($0): \($1)" }
        let loaded = self.loaded.sorted { $0.key < $1.key }.map { "loaded, saying \($0): \($1)" }
        let parts = [
            ["unreadable: \(self.unreadable)"], refused, loaded,
            self.unknown.map { "only traffic can tell: \($0)" }, self.failures,
        ]
        return parts.joined().joined(separator: "\n")
    }
}
