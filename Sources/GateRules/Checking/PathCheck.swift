package import GatePolicy

/// Loads rules or test suites from a path as a gate would, and reports errors and findings.
package struct PathCheck: Sendable {
    /// The path that stands for standard input.
    package static let standardInput = "-"

    private let feedKinds: FeedKinds
    private let gate: GateContext
    private let isStrict: Bool
    private let old: LoadedRules?
    private let now: Timestamp

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - feedKinds: The supported kinds of feeds.
    ///   - gate: The facts about the gate that will use the rules.
    ///   - isStrict: Whether warnings are errors.
    ///   - old: The active rules to compare with.
    ///   - now: The time at which findings, and tests without `at`, are evaluated.
    package init(
        feedKinds: FeedKinds,
        gate: GateContext = .unknown,
        isStrict: Bool = false,
        old: LoadedRules? = nil,
        now: Timestamp
    ) {
        self.feedKinds = feedKinds
        self.gate = gate
        self.isStrict = isStrict
        self.old = old
        self.now = now
    }

    /// Checks a path; the rules files in a folder form one rule set, whereas test suites are
    /// independent.
    package func check(_ path: String) -> CheckReport.Subject {
        let name = path == Self.standardInput ? "stdin" : path
        do throws(RulesFileErrors) {
            let sources =
                path == Self.standardInput
                ? [try RulesSource.standardInput(as: name)] : try RulesReader(path: path).read()
            return sources.allSatisfy(\.isSuite)
                ? try self.suites(sources, name) : try self.rules(sources, name)
        } catch {
            return CheckReport.Subject(unreadable: name, error)
        }
    }

    private func rules(
        _ sources: [RulesSource],
        _ name: String
    ) throws(RulesFileErrors) -> CheckReport.Subject {
        let loaded = try RulesFileLoader.load(
            sources,
            feedKinds: self.feedKinds,
            gate: self.gate,
            after: self.old,
            now: { self.now }
        )
        let findings = RulesFindings(loaded, against: self.old, at: self.now)
        let definition = loaded.definition
        return CheckReport.Subject(
            path: name,
            content: .rules(
                count: definition.rules.count,
                notices: definition.notices.count,
                revision: definition.revision
            ),
            problems: findings.all.map { CheckReport.Problem($0, isStrict: self.isStrict) }
        )
    }

    private func suites(
        _ sources: [RulesSource],
        _ name: String
    ) throws(RulesFileErrors) -> CheckReport.Subject {
        let now = self.now
        let suites = try TestSuiteLoader(rules: nil, feedKinds: self.feedKinds, now: { now })
            .load(sources)
        let failures = suites.flatMap { $0.failures(now: now) }
        return CheckReport.Subject(
            path: name,
            content: .suites(tests: suites.reduce(0) { $0 + $1.count }),
            problems: failures.map { CheckReport.Problem(severity: .error, error: $0) }
        )
    }
}

extension RulesSource {
    /// Whether the file is a test suite: the value of its `rules` is the path of another file.
    var isSuite: Bool {
        guard case .text? = (try? self.parsed())?["rules"]?.content else { return false }
        return true
    }
}
