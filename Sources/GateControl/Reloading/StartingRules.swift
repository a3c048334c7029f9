package import GatePolicy
package import GateRules
package import Logging

/// The rules that a gate starts with: the rules in its file, or the last good rules if the file is
/// invalid or rejected.
package struct StartingRules: Sendable {
    package let rules: LoadedRules
    /// The feed values from before startup that are still valid.
    package let contributions: [String: FeedContribution]
    /// The reason why the gate does not start with the rules in the file; `nil` if it does start
    /// with them.
    package let failure: LoadFailure?
    /// The rules that were active before the restart; `nil` if they are unknown.
    package let former: LoadedRules?

    /// Loads the rules to start with.
    ///
    /// - Parameters:
    ///   - loader: Loads the file.
    ///   - contributions: The values of feeds from before startup.
    ///   - lastGood: The stored rules; `nil` if there are none.
    ///   - isStrict: Whether to fail instead of using the stored rules.
    ///   - now: The time of startup.
    ///   - logger: Logs all problems.
    /// - Throws: `LoadFailure` if there are no usable rules.
    package init(
        _ loader: RulesFileLoader,
        contributions: [String: FeedContribution],
        lastGood: (texts: RulesTexts, pin: RulesPin?)?,
        isStrict: Bool,
        at now: Timestamp,
        logger: Logger
    ) throws(LoadFailure) {
        let log = FindingsLog(logger)
        let former = lastGood.flatMap { kept in
            try? loader.load(kept: kept.texts.sources, feeds: contributions, pin: kept.pin)
        }
        self.former = former
        do throws(LoadFailure) {
            let rules = try loader.load(feeds: contributions, against: former, at: now)
            log.report(rules.findings)
            if let pin = rules.pin { pin.tell(logger, of: rules) }
            (self.rules, self.contributions, self.failure) = (rules, contributions, nil)
            return
        } catch {
            log.report(error)
            // The sources may have valid values by now, but the gate can fetch them only after
            // startup.
            if !contributions.isEmpty, former == nil,
                let alone = try? loader.load(feeds: [:], against: nil, at: now)
            {
                logger.error(
                    "the rules are invalid with the stored feed values: starting without these values"
                )
                (self.rules, self.contributions, self.failure) = (alone, [:], nil)
                return
            }
            guard let former, let lastGood, !isStrict else { throw error }
            if case .unreadable = error, (try? loader.texts()) == lastGood.texts {
                // The same texts were valid when they were last loaded, so only tests that depend
                // on the date can fail.
                logger.error(
                    "the rules have not changed since they were last valid: they stay active despite the errors"
                )
            } else {
                logger.error(
                    "starting with the last good rules instead of the file",
                    metadata: ["revision": "\(former.definition.revision)"]
                )
            }
            (self.rules, self.contributions, self.failure) = (former, contributions, error)
        }
    }
}

extension StartingRules {
    /// Returns the changes to record at startup: the initial rules and, if the file was rejected,
    /// the rejection.
    package func changes(at now: Timestamp) -> [RulesChange] {
        let origin = RulesChange.Origin(.start)
        let start = RulesChange(at: now, by: origin, before: nil, .applied(self.rules))
        guard let failure = self.failure else { return [start] }
        return [start, RulesChange(at: now, by: origin, before: self.rules, .refused(failure))]
    }
}

extension RulesFileLoader {
    /// Loads the rules, and checks them against the previous rules.
    fileprivate func load(
        feeds contributions: [String: FeedContribution],
        against former: LoadedRules?,
        at now: Timestamp
    ) throws(LoadFailure) -> LoadedRules {
        let rules: LoadedRules
        do throws(RulesFileErrors) {
            rules = try self.load(feeds: contributions, after: former)
        } catch {
            throw .unreadable(error)
        }
        return try rules.judged(against: former, at: now)
    }
}
