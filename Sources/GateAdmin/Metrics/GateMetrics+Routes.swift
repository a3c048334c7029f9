internal import GatePolicy
internal import GateProxy

/// Metrics of routes to named backends.
extension GateMetrics {
    var routes: [MetricFamily] {
        var requests: [[Label]: UInt64] = [:]
        for (terms, count) in self.gate.requests {
            if let route = terms.route {
                requests[Self.labels(route, .enforce), default: 0] += count
            }
            for route in terms.observedRoutes {
                requests[Self.labels(route, .observe), default: 0] += count
            }
        }
        return [
            .counter(
                "routed_requests",
                "Total number of routed requests, by the route that selected their backend."
            )
            .with(requests),
            .counter(
                "route_fallbacks",
                "Total number of requests sent to the default backend because the backend of their route could not be reached."
            )
            .with(.count(self.gate.counters.routeFallbacks)),
        ]
    }

    private static func labels(_ route: RequestTerms.Route, _ mode: RuleMode) -> [Label] {
        [
            Label("rule", route.rule), Label("backend", route.backend),
            Label("mode", mode.rawValue),
        ]
    }
}
