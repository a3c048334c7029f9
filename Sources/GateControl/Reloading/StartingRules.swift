package import GatePolicy
package import GateRules
package import Logging

/// The rules that a gate starts by: those of its file, or, where these are broken or refused, the
/// last good ones.
package struct StartingRules: Sendable {
    package let rules: LoadedRules
    /// The contributions of feeds before the start, as far as they still fit.
    package let contributions: [String: FeedContribution]
    /// Why the file is not what the gate starts by; `nil`: it is.
    package let failure: LoadFailure?
    /// The rules that were in force before the restart; `nil`: nobody knows.
    package let former: LoadedRules?

    /// Finds them.
    ///
    /// - Parameters:
    ///   - loader: Reads the file.
    ///   - contributions: What feeds said before the start.
    ///   - lastGood: What was kept; `nil`: nothing.
    ///   - isStrict: Whether only the file will do.
    ///   - now: The second of the start.
    ///   - logger: Is told of everything that is not as it should be.
    /// - Throws: `LoadFailure` if there is nothing to start by.
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
            // The sources' present values may fit; without a start nobody would find out.
            if !contributions.isEmpty, former == nil,
                let alone = try? loader.load(feeds: [:], against: nil, at: now)
            {
                logger.error("what feeds said before the start does not fit the rules any more")
                (self.rules, self.contributions, self.failure) = (alone, [:], nil)
                return
            }
            guard let former, let lastGood, !isStrict else { throw error }
            if case .unreadable = error, loader.reads(lastGood.texts) {
                // Tests that passed when the file was loaded fail by the date alone.
                logger.error("the rules are those of before the restart: they stay in force")
            } else {
                logger.error(
                    "starting by the last good rules, not by the file",
                    metadata: ["revision": "\(former.definition.revision)"]
                )
            }
            (self.rules, self.contributions, self.failure) = (former, contributions, error)
        }
    }
}

extension StartingRules {
    /// The change to the rules that a gate starts by, and the attempt at those of its file that it refused.
    package func changes(at now: Timestamp) -> [RulesChange] {
        let origin = RulesChange.Origin(.start)
        let start = RulesChange(at: now, by: origin, before: nil, .applied(self.rules))
        guard let failure = self.failure else { return [start] }
        return [start, RulesChange(at: now, by: origin, before: self.rules, .refused(failure))]
    }
}

extension RulesFileLoader {
    /// Reads the rules, and judges them beside those of before.
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

    /// Whether the file still says exactly this.
    fileprivate func reads(_ texts: RulesTexts) -> Bool {
        (try? self.texts()) == texts
    }
}
