internal import GateProxy

/// Clients that ask the gate itself, or for something of their own.
extension GateMetrics {
    var ofQuestions: [MetricFamily] {
        [
            Self.counter(
                "status_requests",
                "Requests of clients that asked the gate where they stand.",
                self.gate.counters.launchChecks
            ),
            MetricFamily(
                "versiongate_previews_total",
                .counter,
                "Requests that asked for a decision, for a tester."
            )
            .with(.count(self.gate.counters.previewsShown), Label("result", "shown"))
            .with(.count(self.gate.counters.previewsExpired), Label("result", "expired"))
            .with(.count(self.gate.counters.previewsForged), Label("result", "forged")),
        ]
    }
}
