internal import GatePolicy
internal import GateProxy

/// Metrics of routes to named backends.
extension GateMetrics {
    private struct Routed: Hashable {
        let route: RequestTerms.Route
        let mode: RuleMode
    }

    var routes: [MetricFamily] {
        var counts: [Routed: UInt64] = [:]
        for (terms, count) in self.gate.requests {
            if let route = terms.route {
                counts[Routed(route: route, mode: .enforce), default: 0] += count
            }
            for route in terms.observedRoutes {
                counts[Routed(route: route, mode: .observe), default: 0] += count
            }
        }
        var requests = MetricFamily(
            "versiongate_routed_requests_total",
            .counter,
            "Total number of requests by the route that selects their backend."
        )
        // Sorted, so that scrapes of the same values are identical.
        let sorted = counts.sorted { left, right in
            Self.order(left.key).lexicographicallyPrecedes(Self.order(right.key))
        }
        for (routed, count) in sorted {
            requests.add(
                .count(count),
                [
                    Label("rule", routed.route.rule), Label("backend", routed.route.backend),
                    Label("mode", routed.mode.rawValue),
                ]
            )
        }
        return [
            requests,
            Self.counter(
                "route_fallbacks",
                "Total number of requests sent to the default backend because the backend of their route could not be reached.",
                self.gate.counters.routeFallbacks
            ),
        ]
    }

    private static func order(_ routed: Routed) -> [String] {
        [routed.route.rule, routed.route.backend, routed.mode.rawValue]
    }
}
