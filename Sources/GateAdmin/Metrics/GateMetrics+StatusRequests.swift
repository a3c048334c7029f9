internal import GateProxy

/// Metrics of requests to the gate's own endpoints, and of previews.
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
        ]
    }
}
