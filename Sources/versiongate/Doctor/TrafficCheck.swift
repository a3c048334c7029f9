import GateFeeds
import GatePolicy
import GateProxy
import GateRules
import GateSystem

/// Checks the rules, the feeds and the backends of the gate.
struct TrafficCheck {
    let settings: ServeSettings

    /// Checks the rules as at startup, without values from feeds.
    func rules() -> [Diagnosis] {
        do throws(RulesFileErrors) {
            let loaded = try self.settings.loader.load()
            let findings = RulesFindings(loaded, at: SystemClock.now()).all
            let problems = findings.compactMap { finding -> Diagnosis? in
                switch finding.effect {
                case .refuses: .error("rules", "\(finding)")
                case .warns: .warning("rules", "\(finding)")
                case .notes: nil
                }
            }
            guard problems.isEmpty else { return problems }
            let count = loaded.definition.rules.count
            return [
                .ok("rules", "\(count) rule\(count == 1 ? "" : "s") in \(self.settings.rules)")
            ]
        } catch {
            return error.errors.map { .error("rules", "\($0)") }
        }
    }

    /// Checks each feed with one fetch; returns no results if there are no feeds or the rules cannot be read.
    func feeds() async -> [Diagnosis] {
        guard let feeds = try? self.settings.loader.feeds(), !feeds.isEmpty else { return [] }
        do {
            let fetcher = try Fetcher(trust: TrustedAuthorities(\.feedCA, self.settings.feedCA))
            return await FeedProbe(fetcher: fetcher).ask(feeds).map { answer in
                let name = "'\(answer.feed.id)' (\(answer.feed.summary))"
                guard let failure = answer.failure else { return .ok("feed", name) }
                return .error(
                    "feed",
                    "\(name): \(failure)",
                    fix: "versiongate feed check \(self.settings.rules) shows the details; until "
                        + "the feed works, the gate uses the last data that it received"
                )
            }
        } catch {
            return [.error("feed", "\(error)")]
        }
    }

    /// Checks whether each backend accepts connections.
    func backends() async -> [Diagnosis] {
        let upstream = self.settings.gate.upstream
        let probe = BackendProbe(self.settings.gate)
        var results: [Diagnosis] = []
        for target in upstream.allTargets {
            let names = upstream.named.filter { $0.targets.contains(target) }.map(\.name)
            let name = names.isEmpty ? "\(target)" : "\(target) (\(names.joined(separator: ", ")))"
            do throws(BackendProbe.Problem) {
                let count = try await probe.connect(to: target).count
                let places = count > 1 ? " at \(count) addresses" : ""
                results.append(.ok("backend", "\(name) accepts connections\(places)"))
            } catch {
                let flag = names.isEmpty ? "--upstream" : "--upstream-named"
                let fix = "start the backend, or correct \(flag)"
                results.append(.error("backend", "\(name): \(error)", fix: fix))
            }
        }
        return results
    }
}
