internal import GateControl

/// The breaker.
extension GateMetrics {
    var ofBreaker: [MetricFamily] {
        guard let breaker = self.breaker else { return [] }
        var tripped = MetricFamily(
            "versiongate_breaker_tripped",
            .gauge,
            "1 for each rule that does but observe, since it refused more than was predicted."
        )
        for rule in Set(breaker.trips.map(\.rule)).sorted() {
            tripped.add(.count(1), [MetricFamily.Label("rule", rule)])
        }
        return [
            MetricFamily(
                "versiongate_breaker_watched_rules",
                .gauge,
                "Rules whose change is being watched."
            )
            .with(.count(UInt64(breaker.watched.count))),
            tripped,
            MetricFamily(
                "versiongate_breaker_trips_total",
                .counter,
                "Rules that the breaker has stopped."
            )
            .with(.count(breaker.count)),
        ]
    }
}
