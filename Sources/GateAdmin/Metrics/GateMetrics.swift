internal import FoundationEssentials
internal import GateControl
internal import GatePolicy
internal import GateProxy
internal import GateRecords
internal import GateRules

/// The metrics of a gate; `docs/metrics.md` explains the purpose of each.
///
/// Label values come from the rules file, the settings and this code, never from a client.
struct GateMetrics {
    typealias Label = MetricFamily.Label

    let gate: GateStatistics
    let reload: ReloadStatus
    let reloads: ReloadCounts
    let feeds: [FeedStatus]
    var census: Census.Status?
    var breaker: Breaker.Status?
    /// Whether the file for modules has the rules in force; `nil` if there is none.
    var arePublished: Bool?
    let droppedLogLines: UInt64
    let release: GateView.Release
    let process: ProcessFigures

    var families: [MetricFamily] {
        self.requests + self.routes + self.latency + self.connections + self.backends + self.rules
            + self.sources + self.censusMetrics + self.breakerMetrics + self.own
    }
}

/// Metrics of requests.
extension GateMetrics {
    /// The labels of a request.
    private struct Outcome: Hashable {
        let app: String
        let platform: String
        let decision: String
        let rule: String
        let mode: String

        init(_ terms: RequestTerms) {
            self.app = terms.app
            self.platform = terms.platform
            self.decision = terms.decision
            self.rule = terms.rule
            self.mode = (terms.passesByObserving ? RuleMode.observe : .enforce).rawValue
        }

        var labels: [Label] {
            [
                Label("app", self.app), Label("platform", self.platform),
                Label("decision", self.decision), Label("rule", self.rule),
                Label("mode", self.mode),
            ]
        }
    }

    private var requests: [MetricFamily] {
        var outcomes: [Outcome: UInt64] = [:]
        var observed: [String: UInt64] = [:]
        var gaps: [IdentityGap: UInt64] = [:]
        for (terms, count) in self.gate.requests {
            outcomes[Outcome(terms), default: 0] += count
            for rule in terms.observed { observed[rule, default: 0] += count }
            if let gap = terms.gap { gaps[gap, default: 0] += count }
        }
        var requests = MetricFamily(
            "versiongate_requests_total",
            .counter,
            "Total number of requests by decision."
        )
        // Sorted, so that scrapes of the same values are identical.
        let sorted = outcomes.map { ($0.key.labels, $0.value) }
            .sorted { $0.0.map(\.value).lexicographicallyPrecedes($1.0.map(\.value)) }
        for (labels, count) in sorted { requests.add(.count(count), labels) }
        var denials = MetricFamily(
            "versiongate_observed_denials_total",
            .counter,
            "Total number of requests that a rule or policy in observe mode would have denied."
        )
        for (rule, count) in observed.sorted(by: { $0.key < $1.key }) {
            denials.add(.count(count), [Label("rule", rule)])
        }
        var unidentified = MetricFamily(
            "versiongate_unidentified_requests_total",
            .counter,
            "Total number of requests with a required part of the client's identity missing or unreadable."
        )
        for (gap, count) in gaps.sorted(by: { $0.key < $1.key }) {
            unidentified.add(.count(count), Self.labels(gap))
        }
        let counters = self.gate.counters
        return [
            requests, denials, unidentified,
            Self.counter(
                "malformed_requests",
                "Total number of malformed HTTP requests.",
                counters.malformed
            ),
            MetricFamily(
                "versiongate_requests_refused_total",
                .counter,
                "Total number of requests refused to protect the gate or the backend."
            )
            .with(.count(counters.requestsShed), Label("reason", "pending"))
            .with(.count(counters.requestsLate), Label("reason", "late"))
            .with(.count(counters.descriptorsExhausted), Label("reason", "descriptors")),
            Self.counter(
                "discarded_body_bytes",
                "Total number of bytes discarded from the bodies of denied requests.",
                counters.discardedBytes
            ),
            MetricFamily(
                "versiongate_discarded_bodies_cut_total",
                .counter,
                "Total number of denied requests whose bodies exceeded a limit for discarding."
            )
            .with(.count(counters.discardsOverSize), Label("reason", "size"))
            .with(.count(counters.discardsOverTime), Label("reason", "time"))
            .with(.count(counters.discardsOverBudget), Label("reason", "budget")),
            Self.counter(
                "gateway_errors",
                "Total number of 502, 503 and 504 responses generated for backend errors.",
                counters.upstreamFailures
            ),
            Self.counter(
                "answers_revoked",
                "Total number of responses ended because new rules deny their clients.",
                counters.revoked
            ),
            self.gatewayDecisions,
            Self.gauge(
                "pending_requests",
                "Number of requests waiting for the first byte of their response.",
                self.gate.pendingRequests
            ),
        ] + self.statusRequestMetrics
    }

    private var gatewayDecisions: MetricFamily {
        var family = MetricFamily(
            "versiongate_gateway_decisions_total",
            .counter,
            "Total number of authorization requests from gateways."
        )
        for gateway in Gateway.allCases {
            let count = self.gate.counters.decisions[gateway]
            if count > 0 { family.add(.count(count), [Label("gateway", gateway.name)]) }
        }
        return family
    }

    private static func labels(_ gap: IdentityGap) -> [Label] {
        switch gap {
        case .missing(let part): [Label("reason", "missing"), Label("part", Self.name(part))]
        case .unreadable(let part): [Label("reason", "unreadable"), Label("part", Self.name(part))]
        }
    }

    private static func name(_ part: IdentityPart) -> String {
        part == .osVersion ? "os_version" : part.words
    }

    private var latency: [MetricFamily] {
        var work = MetricFamily(
            "versiongate_request_overhead_seconds",
            .histogram,
            "Time spent in the gate, from reading a request head until writing the denial or the request to the "
                + "backend, in seconds."
        )
        work.add(self.gate.latency.denied, [Label("outcome", "denied")])
        work.add(self.gate.latency.forwarded, [Label("outcome", "forwarded")])
        var answers = MetricFamily(
            "versiongate_backend_response_seconds",
            .histogram,
            "Time from writing a request to the backend until receiving its response head, in seconds."
        )
        answers.add(self.gate.latency.answered, [])
        return [work, answers]
    }
}

/// Metrics of the rules and their feeds.
extension GateMetrics {
    private var rules: [MetricFamily] {
        var succeeded = MetricFamily(
            "versiongate_config_last_reload_success_timestamp_seconds",
            .gauge,
            "Unix time of the last successful reload of the rules."
        )
        if let time = self.reload.lastSuccess {
            succeeded.add(.number(time.timeIntervalSince1970.rounded(.down)))
        }
        var revision = MetricFamily(
            "versiongate_rules_info",
            .gauge,
            "Revision of the active rules."
        )
        if let name = self.reload.revision { revision.add(.count(1), [Label("revision", name)]) }
        var findings = MetricFamily(
            "versiongate_findings",
            .gauge,
            "Number of findings on the active rules, and of findings (refuses) that rejected the rules of the last reload."
        )
        for effect in [FindingName.Effect.refuses, .warns, .notes] {
            let count =
                self.reload.findings.count { $0.effect == effect }
                + self.reload.refusals.count { $0.effect == effect }
            findings.add(.count(UInt64(count)), [Label("effect", effect.rawValue)])
        }
        let published = self.arePublished.map { isCurrent in
            Self.gauge(
                "rules_published",
                "Whether the file for modules (--publish-rules) has the active rules.",
                isCurrent ? 1 : 0
            )
        }
        return [
            Self.gauge(
                "config_last_reload_successful",
                "Whether the last reload of the rules succeeded.",
                self.reload.lastReloadSuccessful ? 1 : 0
            ),
            succeeded,
            MetricFamily(
                "versiongate_config_reloads_total",
                .counter,
                "Total number of reloads of the rules."
            )
            .with(.count(self.reloads.succeeded), Label("result", "success"))
            .with(.count(self.reloads.failed), Label("result", "failure")),
            revision,
            Self.gauge(
                "undo_in_force",
                "Whether an undo is active, which means that the rules differ from the files.",
                self.reload.pin == nil ? 0 : 1
            ),
            findings,
        ] + [published].compactMap(\.self)
    }

    private var sources: [MetricFamily] {
        var confirmed = MetricFamily(
            "versiongate_feed_last_success_timestamp_seconds",
            .gauge,
            "Unix time of the last valid data from a feed."
        )
        var failures = MetricFamily(
            "versiongate_feed_failures",
            .gauge,
            "Number of consecutive failures of a feed."
        )
        var states = MetricFamily(
            "versiongate_feed_state",
            .gauge,
            "State of a feed: 1 for the current state, 0 for all others."
        )
        for feed in self.feeds {
            let labels = [Label("feed", feed.id), Label("kind", feed.kind)]
            if let time = feed.confirmedAt { confirmed.add(.number(Double(time)), labels) }
            failures.add(.count(UInt64(max(0, feed.failures))), labels)
            for state in FeedStatus.State.allCases {
                let isIn = feed.state == state
                states.add(.count(isIn ? 1 : 0), labels + [Label("state", state.rawValue)])
            }
        }
        return [confirmed, failures, states]
    }
}

/// Metrics of the process.
extension GateMetrics {
    private var own: [MetricFamily] {
        let process = self.process
        return [
            Self.counter(
                "log_lines_dropped",
                "Total number of log lines dropped because the log was read too slowly.",
                self.droppedLogLines
            ),
            MetricFamily("versiongate_build_info", .gauge, "Version and commit of the gate.").with(
                .count(1),
                Label("version", self.release.version),
                Label("commit", self.release.commit)
            ),
            Self.ofProcess(
                "process_cpu_seconds_total",
                .counter,
                "Total user and system CPU time spent in seconds.",
                process.processorSeconds
            ),
            Self.ofProcess(
                "process_open_fds",
                .gauge,
                "Number of open file descriptors.",
                process.openDescriptors.map { Double($0) }
            ),
            Self.ofProcess(
                "process_max_fds",
                .gauge,
                "Maximum number of open file descriptors.",
                process.maximumDescriptors.map { Double($0) }
            ),
            Self.ofProcess(
                "process_resident_memory_bytes",
                .gauge,
                "Resident memory size in bytes.",
                process.residentBytes.map { Double($0) }
            ),
            Self.ofProcess(
                "process_start_time_seconds",
                .gauge,
                "Start time of the process since unix epoch in seconds.",
                process.startTime
            ),
        ]
    }

    private static func ofProcess(
        _ name: String,
        _ kind: MetricFamily.Kind,
        _ help: String,
        _ value: Double?
    ) -> MetricFamily {
        let family = MetricFamily(name, kind, help)
        return value.map { family.with(.number($0)) } ?? family
    }

    static func counter(_ name: String, _ help: String, _ count: UInt64) -> MetricFamily {
        MetricFamily("versiongate_\(name)_total", .counter, help).with(.count(count))
    }

    static func gauge(_ name: String, _ help: String, _ count: Int) -> MetricFamily {
        MetricFamily("versiongate_\(name)", .gauge, help).with(.number(Double(count)))
    }
}

extension MetricFamily {
    /// Adds a histogram of nanoseconds, converted to seconds.
    fileprivate mutating func add(_ histogram: LatencyHistogram, _ labels: [Label]) {
        self.addHistogram(
            bounds: histogram.bounds.map { Double($0) / 1e9 },
            counts: histogram.counts,
            sum: Double(histogram.sum) / 1e9,
            labels: labels
        )
    }
}
