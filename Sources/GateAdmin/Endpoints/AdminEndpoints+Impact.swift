internal import GateControl
internal import GateFeeds
internal import GatePolicy
internal import GateRecords
internal import GateRules
internal import GateSystem
internal import NIOHTTP1

/// The endpoint that reports which counted clients proposed rules would affect.
extension AdminEndpoints {
    /// The rules that are compared with the active ones.
    private enum Candidate: Sendable {
        /// A rules file that replaces all files.
        case text([UInt8])
        /// The active rules with a different floor for one rule.
        case floor(AppVersion, rule: String)
        /// The rules that an undo would activate.
        case earlier(RuleSet)
    }

    func impact(_ request: AdminRequest) async -> AdminAnswer {
        guard let census = self.census else { return .noCensus }
        let now = self.now()
        let start: Timestamp
        let later: Timestamp?
        let candidate: Candidate
        do throws(AdminQuery.Failure) {
            start = try request.query.since(before: now, usually: "7d")
            later = try request.query.time("at")
            if let target = request.query["undo"] {
                guard request.body.isEmpty, request.query["rule"] == nil,
                    request.query["minimum"] == nil
                else {
                    let reason = "cannot be combined with a body, 'rule' or 'minimum'"
                    throw AdminQuery.Failure(name: "undo", reason: reason)
                }
                guard let preview = await self.reloader.preview(undoTo: target) else {
                    return .unknownRevision
                }
                guard let rules = preview.rules else {
                    return .notLoadable(preview.failure?.errors ?? [])
                }
                candidate = .earlier(rules)
            } else {
                candidate = try self.candidate(request)
            }
        } catch {
            return .refusal(error)
        }
        guard let current = await self.reloader.current else { return .noRules }
        let contributions = await self.reloader.contributions
        return await self.respondInBackground {
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
            do throws(CensusStore.Failure) {
                let report = ImpactReport(
                    try census.store.rows(since: start, withShapes: true),
                    since: start,
                    from: current.ruleSet,
                    to: new,
                    at: now,
                    later: later
                )
                return AdminAnswer(.ok, report)
            } catch {
                return .refusal(.serviceUnavailable, "cannot read the census: \(error)")
            }
        }
    }

    /// Runs slow work outside the event loop, one request at a time, and returns its response.
    func respondInBackground(_ work: @escaping @Sendable () -> AdminAnswer) async -> AdminAnswer {
        if let answer = await self.aside.run(work) { return answer }
        var answer = AdminAnswer.refusal(
            .serviceUnavailable,
            "another request of this kind is in progress; send the request again"
        )
        answer.fields = [("Retry-After", "1")]
        return answer
    }

    private func candidate(_ request: AdminRequest) throws(AdminQuery.Failure) -> Candidate {
        let rule = request.query["rule"]
        let minimum = request.query["minimum"]
        guard request.body.isEmpty else {
            guard rule == nil, minimum == nil else {
                throw AdminQuery.Failure(name: "rule", reason: "cannot be combined with a body")
            }
            return .text(request.body)
        }
        guard let rule, let minimum else {
            throw AdminQuery.Failure(
                name: rule == nil ? "rule" : "minimum",
                reason: "send rules in the body, or both 'rule' and 'minimum'"
            )
        }
        do throws(VersionError) {
            return .floor(try AppVersion(parsing: minimum), rule: rule)
        } catch {
            throw AdminQuery.Failure(name: "minimum", reason: "\(error)")
        }
    }
}

extension AdminAnswer {
    fileprivate static func notLoadable(_ errors: [RulesFileError]) -> AdminAnswer {
        .refusal(.unprocessableEntity, "the rules cannot be loaded", errors: errors)
    }
}
