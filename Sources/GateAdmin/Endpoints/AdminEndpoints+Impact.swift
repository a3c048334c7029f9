internal import GateControl
internal import GateFeeds
internal import GatePolicy
internal import GateRecords
internal import GateRules
internal import GateSystem
internal import NIOHTTP1

/// The endpoint that reports the impact of proposed rules on the counted clients.
extension AdminEndpoints {
    /// The proposed rules, which are compared with the active rules.
    private enum Candidate: Sendable {
        /// A rules file that replaces all files.
        case text([UInt8])
        /// The active rules with a different floor for one rule.
        case floor(AppVersion, rule: String)
        /// The rules that an undo would activate.
        case earlier(RuleSet)
    }

    func impact(_ request: AdminRequest) async throws(AdminAnswer) -> AdminAnswer {
        let store = try self.store
        let now = self.now()
        let start = try request.query.since(before: now, usually: "7d")
        let later = try request.query.time("at")
        let candidate = try await self.candidate(request)
        guard let current = await self.reloader.current else { throw .noRules }
        let contributions = await self.reloader.contributions
        return await self.respondInBackground { () throws(CensusStore.Failure) in
            let new: RuleSet
            switch candidate {
            case .text(let text):
                do throws(RulesFileErrors) {
                    new = try RulesFileLoader.load(
                        candidate: text,
                        feedKinds: .all,
                        feeds: contributions,
                        now: SystemClock.now
                    ).ruleSet
                } catch {
                    return .notLoadable(error.errors)
                }
            case .earlier(let rules):
                new = rules
            case .floor(let version, let rule):
                var definition = current.definition
                guard let index = definition.rules.firstIndex(where: { $0.id == rule }) else {
                    return .refusal(.notFound, "there is no rule '\(rule)'")
                }
                definition.rules[index].minimum = version
                definition.revision += " with minimum \(version)"
                new = RuleSet(definition)
            }
            let report = ImpactReport(
                try store.rows(since: start, withShapes: true),
                since: start,
                from: current.ruleSet,
                to: new,
                at: now,
                later: later
            )
            return AdminAnswer(.ok, report)
        }
    }

    /// Returns the response that `work` creates, which runs outside the event loop and for one request at a time.
    func respondInBackground(
        _ work: @escaping @Sendable () throws(CensusStore.Failure) -> AdminAnswer
    ) async -> AdminAnswer {
        let answer = await self.aside.run {
            do throws(CensusStore.Failure) {
                return try work()
            } catch {
                return AdminAnswer.unreadableCensus(error)
            }
        }
        return answer
            ?? .overload("another request of this kind is in progress; try again later")
    }

    private func candidate(_ request: AdminRequest) async throws(AdminAnswer) -> Candidate {
        let rule = request.query["rule"]
        let minimum = request.query["minimum"]
        if let target = request.query["undo"] {
            guard request.body.isEmpty, rule == nil, minimum == nil else {
                throw .invalid("undo", "cannot be combined with a body, 'rule' or 'minimum'")
            }
            guard let preview = await self.reloader.preview(undoTo: target) else {
                throw .unknownRevision
            }
            guard let rules = preview.rules else {
                throw .notLoadable(preview.failure?.errors ?? [])
            }
            return .earlier(rules)
        }
        guard request.body.isEmpty else {
            guard rule == nil, minimum == nil else {
                throw .invalid("rule", "cannot be combined with a body")
            }
            return .text(request.body)
        }
        guard let rule, let minimum else {
            let missing = rule == nil ? "rule" : "minimum"
            throw .invalid(missing, "send rules in the body, or both 'rule' and 'minimum'")
        }
        let version = try request.query.parsed("minimum", minimum, by: AppVersion.init(parsing:))
        return .floor(version, rule: rule)
    }
}

extension AdminAnswer {
    static func unreadableCensus(_ failure: CensusStore.Failure) -> AdminAnswer {
        .refusal(.serviceUnavailable, "cannot read the census: \(failure)")
    }

    fileprivate static func notLoadable(_ errors: [RulesFileError]) -> AdminAnswer {
        .refusal(.unprocessableEntity, "the rules cannot be loaded", errors: errors)
    }
}
