internal import GatePolicy
internal import GateProxy

/// Metrics of requests to the gate's own endpoints, of previews, and of passes.
extension GateMetrics {
    var statusRequestMetrics: [MetricFamily] {
        [
            Self.counter(
                "status_requests",
                "Total number of status requests from clients to the gate.",
                self.gate.counters.launchChecks
            ),
            MetricFamily(
                "versiongate_previews_total",
                .counter,
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
        var family = MetricFamily(
            "versiongate_passes_total",
            .counter,
            "Total number of requests with a pass header that the rules would have denied."
        )
        .with(.count(counters.passed), Label("outcome", "passed"))
        for refusal in Pass.Refusal.allCases {
            family.add(.count(counters.passes[refusal]), [Label("outcome", refusal.rawValue)])
        }
        return family
    }
}
