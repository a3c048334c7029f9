internal import GateControl
internal import GateFeeds
internal import GatePolicy
internal import GateRecords
internal import GateRules
internal import GateSystem
internal import NIOHTTP1

/// Questions about other rules: whom of those that were counted they would hit.
extension AdminEndpoints {
    /// The rules that are held against those in force.
    private enum Candidate: Sendable {
        /// A rules file in place of all files.
        case text([UInt8])
        /// The rules in force with another floor of one rule.
        case floor(AppVersion, rule: String)
        /// The rules that an undo would put in force.
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
                    let reason = "the rules are those of that revision already"
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
        return await self.answeredAside {
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
                return .refusal(.serviceUnavailable, "the census: \(error)")
            }
        }
    }

    /// The answer to a question that takes long, one at a time.
    func answeredAside(_ work: @escaping @Sendable () -> AdminAnswer) async -> AdminAnswer {
        if let answer = await self.aside.run(work) { return answer }
        var answer = AdminAnswer.refusal(
            .serviceUnavailable,
            "another question of this kind is being answered"
        )
        answer.fields = [("Retry-After", "1")]
        return answer
    }

    private func candidate(_ request: AdminRequest) throws(AdminQuery.Failure) -> Candidate {
        let rule = request.query["rule"]
        let minimum = request.query["minimum"]
        guard request.body.isEmpty else {
            guard rule == nil, minimum == nil else {
                throw AdminQuery.Failure(name: "rule", reason: "the body has the rules already")
            }
            return .text(request.body)
        }
        guard let rule, let minimum else {
            throw AdminQuery.Failure(
                name: rule == nil ? "rule" : "minimum",
                reason: "send rules in the body, or name a rule and its minimum"
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
