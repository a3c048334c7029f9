internal import GateControl

/// Metrics of the circuit breaker.
extension GateMetrics {
    var breakerMetrics: [MetricFamily] {
        guard let breaker = self.breaker else { return [] }
        var tripped = MetricFamily(
            "versiongate_breaker_tripped",
            .gauge,
            "1 for each rule in observe mode because it denied more clients than predicted."
        )
        for rule in Set(breaker.trips.map(\.rule)).sorted() {
            tripped.add(.count(1), [MetricFamily.Label("rule", rule)])
        }
        return [
            MetricFamily(
                "versiongate_breaker_watched_rules",
                .gauge,
                "Number of recently changed rules that the circuit breaker watches."
            )
            .with(.count(UInt64(breaker.watched.count))),
            tripped,
            MetricFamily(
                "versiongate_breaker_trips_total",
                .counter,
                "Total number of trips of the circuit breaker."
            )
            .with(.count(breaker.count)),
        ]
    }
}
