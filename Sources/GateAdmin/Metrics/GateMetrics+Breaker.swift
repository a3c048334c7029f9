internal import GateControl

/// Metrics of the circuit breaker.
extension GateMetrics {
    var breakerMetrics: [MetricFamily] {
        guard let breaker = self.breaker else { return [] }
        var tripped = MetricFamily.gauge(
            "breaker_tripped",
            "1 for each rule that is in observe mode because it denied more clients than predicted."
        )
        for rule in Set(breaker.trips.map(\.rule)).sorted() {
            tripped.add(.count(1), [Label("rule", rule)])
        }
        return [
            .gauge(
                "breaker_watched_rules",
                "Number of recently changed rules that the circuit breaker watches."
            )
            .with(.count(UInt64(breaker.watched.count))),
            tripped,
            .counter("breaker_trips", "Total number of trips of the circuit breaker.")
                .with(.count(breaker.count)),
        ]
    }
}
