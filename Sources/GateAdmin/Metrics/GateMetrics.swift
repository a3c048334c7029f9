internal import GateControl
internal import GatePolicy
internal import GateProxy
internal import GateRecords
internal import GateRules

/// The metrics of a gate, which `docs/metrics.md` describes.
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
    /// Whether the file of published rules contains the active rules; `nil` without `--publish-rules`.
    var arePublished: Bool?
    let droppedLogLines: UInt64
    let release: GateView.Release
    let process: ProcessFigures

    var families: [MetricFamily] {
        [
            self.requests, self.statusRequests, self.routes, self.latency, self.connections,
            self.backends, self.rules, self.sources, self.censusStoreMetrics, self.censusMetrics,
            self.breakerMetrics, self.own,
        ].flatMap(\.self)
    }
}

/// Metrics of requests.
extension GateMetrics {
    private var requests: [MetricFamily] {
        var requests: [[Label]: UInt64] = [:]
        var denials: [[Label]: UInt64] = [:]
        var gaps: [IdentityGap: UInt64] = [:]
        for (terms, count) in self.gate.requests {
            requests[Self.labels(terms), default: 0] += count
            for rule in terms.observed { denials[[Label("rule", rule)], default: 0] += count }
            if let gap = terms.gap { gaps[gap, default: 0] += count }
        }
        var unidentified = MetricFamily.counter(
            "unidentified_requests",
            "Total number of requests with a required part of the client's identity missing or unreadable."
        )
        for (gap, count) in gaps.sorted(by: { $0.key < $1.key }) {
            unidentified.add(.count(count), Self.labels(gap))
        }
        let counters = self.gate.counters
        return [
            .counter("requests", "Total number of requests by decision.").with(requests),
            .counter(
                "observed_denials",
                "Total number of requests that a rule or policy in observe mode would have denied."
            )
            .with(denials),
            unidentified,
            .counter("malformed_requests", "Total number of malformed HTTP requests.")
                .with(.count(counters.malformed)),
            .counter(
                "requests_refused",
                "Total number of requests that overload protection refused."
            )
            .with(.count(counters.requestsShed), Label("reason", "pending"))
            .with(.count(counters.requestsLate), Label("reason", "late"))
            .with(.count(counters.descriptorsExhausted), Label("reason", "descriptors")),
            .counter(
                "discarded_body_bytes",
                "Total number of bytes discarded from the bodies of denied requests."
            )
            .with(.count(counters.discardedBytes)),
            .counter(
                "discarded_bodies_cut",
                "Total number of denied requests whose bodies exceeded a limit for discarding."
            )
            .with(.count(counters.discardsOverSize), Label("reason", "size"))
            .with(.count(counters.discardsOverTime), Label("reason", "time"))
            .with(.count(counters.discardsOverBudget), Label("reason", "budget")),
            .counter(
                "gateway_errors",
                "Total number of 502, 503 and 504 responses generated for backend errors."
            )
            .with(.count(counters.upstreamFailures)),
            .counter(
                "answers_revoked",
                "Total number of responses ended because new rules deny their clients."
            )
            .with(.count(counters.revoked)),
            self.gatewayDecisions,
            .gauge(
                "pending_requests",
                "Number of requests waiting for the first byte of their response."
            )
            .with(.number(Double(self.gate.pendingRequests))),
        ]
    }

    private var gatewayDecisions: MetricFamily {
        var family = MetricFamily.counter(
            "gateway_decisions",
            "Total number of authorization requests from gateways."
        )
        for gateway in Gateway.allCases {
            let count = self.gate.counters.decisions[gateway]
            if count > 0 { family.add(.count(count), [Label("gateway", gateway.name)]) }
        }
        return family
    }

    private static func labels(_ terms: RequestTerms) -> [Label] {
        let mode: RuleMode = terms.passesByObserving ? .observe : .enforce
        return [
            Label("app", terms.app), Label("platform", terms.platform),
            Label("decision", terms.decision), Label("rule", terms.rule),
            Label("mode", mode.rawValue),
        ]
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
        let latency = self.gate.latency
        return [
            MetricFamily(
                "versiongate_request_overhead_seconds",
                .histogram,
                "Time spent in the gate, from reading a request head until writing the denial or the request to the "
                    + "backend, in seconds."
            )
            .with(.seconds(latency.denied), Label("outcome", "denied"))
            .with(.seconds(latency.forwarded), Label("outcome", "forwarded")),
            MetricFamily(
                "versiongate_backend_response_seconds",
                .histogram,
                "Time from writing a request to the backend until receiving its response head, in seconds."
            )
            .with(.seconds(latency.answered)),
        ]
    }
}

/// Metrics of requests to the gate's own endpoints, of previews, and of passes.
extension GateMetrics {
    private var statusRequests: [MetricFamily] {
        [
            .counter("status_requests", "Total number of status requests from clients to the gate.")
                .with(.count(self.gate.counters.launchChecks)),
            .counter(
                "previews",
                "Total number of requests with a signed preview header for testers."
            )
            .with(.count(self.gate.counters.previewsShown), Label("result", "shown"))
            .with(.count(self.gate.counters.previewsExpired), Label("result", "expired"))
            .with(.count(self.gate.counters.previewsForged), Label("result", "forged")),
            self.passes,
        ]
    }

    private var passes: MetricFamily {
        let counters = self.gate.counters
        var family = MetricFamily.counter(
            "passes",
            "Total number of requests with a pass header "
                + "that the rules would have denied or routed."
        )
        .with(.count(counters.passed), Label("outcome", "passed"))
        for refusal in Pass.Refusal.allCases {
            let count = counters.passes[refusal, default: 0]
            family.add(.count(count), [Label("outcome", refusal.rawValue)])
        }
        return family
    }
}

/// Metrics of the rules and their feeds.
extension GateMetrics {
    private var rules: [MetricFamily] {
        var revision = MetricFamily.gauge("rules_info", "Revision of the active rules.")
        if let name = self.reload.revision { revision.add(.count(1), [Label("revision", name)]) }
        var findings = MetricFamily.gauge(
            "findings",
            "Number of findings on the active rules, and of findings (refuses) that rejected the rules in the last reload."
        )
        for effect in [FindingName.Effect.refuses, .warns, .notes] {
            let count =
                self.reload.findings.count { $0.effect == effect }
                + self.reload.refusals.count { $0.effect == effect }
            findings.add(.count(UInt64(count)), [Label("effect", effect.rawValue)])
        }
        return [
            .gauge(
                "config_last_reload_successful",
                "Whether the last reload of the rules succeeded."
            )
            .with(.number(self.reload.lastReloadSuccessful ? 1 : 0)),
            .gauge(
                "config_last_reload_success_timestamp_seconds",
                "Unix time of the last successful reload of the rules."
            )
            .with(self.reload.lastSuccess.map { .number(Double($0.secondsSinceEpoch)) }),
            .counter("config_reloads", "Total number of reloads of the rules.")
                .with(.count(self.reloads.succeeded), Label("result", "success"))
                .with(.count(self.reloads.failed), Label("result", "failure")),
            revision,
            .gauge(
                "undo_in_force",
                "Whether an undo is active, which means that the rules differ from the files."
            )
            .with(.number(self.reload.pin == nil ? 0 : 1)),
            findings,
            .gauge(
                "rules_published",
                "Whether the file of published rules (--publish-rules) contains the active rules."
            )
            .with(self.arePublished.map { .number($0 ? 1 : 0) }),
        ]
    }

    private var sources: [MetricFamily] {
        var confirmed = MetricFamily.gauge(
            "feed_last_success_timestamp_seconds",
            "Unix time of the last valid response from a feed, changed or not."
        )
        var failures = MetricFamily.gauge(
            "feed_failures",
            "Number of consecutive failures of a feed."
        )
        var states = MetricFamily.gauge(
            "feed_state",
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
            .counter(
                "log_lines_dropped",
                "Total number of log lines dropped because the log was read too slowly."
            )
            .with(.count(self.droppedLogLines)),
            .gauge("build_info", "Version and commit of the gate.").with(
                .count(1),
                Label("version", self.release.version),
                Label("commit", self.release.commit)
            ),
            MetricFamily(
                "process_cpu_seconds_total",
                .counter,
                "Total user and system CPU time spent in seconds."
            )
            .with(process.processorSeconds.map { .number($0) }),
            MetricFamily("process_open_fds", .gauge, "Number of open file descriptors.")
                .with(process.openDescriptors.map { .number(Double($0)) }),
            MetricFamily("process_max_fds", .gauge, "Maximum number of open file descriptors.")
                .with(process.maximumDescriptors.map { .number(Double($0)) }),
            MetricFamily("process_resident_memory_bytes", .gauge, "Resident memory size in bytes.")
                .with(process.residentBytes.map { .number(Double($0)) }),
            MetricFamily(
                "process_start_time_seconds",
                .gauge,
                "Start time of the process since unix epoch in seconds."
            )
            .with(process.startTime.map { .number($0) }),
        ]
    }
}

extension MetricFamily.Value {
    /// Converts a histogram from nanoseconds to seconds.
    fileprivate static func seconds(_ latency: LatencyHistogram) -> MetricFamily.Value {
        .histogram(
            MetricFamily.Histogram(
                bounds: latency.bounds.map { Double($0) / 1e9 },
                counts: latency.counts,
                sum: Double(latency.sum) / 1e9
            )
        )
    }
}
