internal import GateProxy

/// Connections and backends.
extension GateMetrics {
    var connections: [MetricFamily] {
        let counters = self.gate.counters
        return [
            Self.gauge(
                "client_connections",
                "Connections of clients that are open.",
                self.gate.openConnections
            ),
            Self.gauge(
                "client_connections_parked",
                "Those of them that are silent, and have no memory but a socket.",
                self.gate.parkedConnections
            ),
            Self.counter(
                "client_connections_accepted",
                "Connections of clients that were accepted.",
                counters.connectionsAccepted
            ),
            MetricFamily(
                "versiongate_client_connections_refused_total",
                .counter,
                "Connections of clients that were refused."
            )
            .with(.count(counters.connectionsRefused), Label("reason", "connections"))
            .with(
                .count(counters.connectionsPerAddressRefused),
                Label("reason", "connections_per_address")
            )
            .with(.count(counters.proxyHeadersRefused), Label("reason", "proxy_header")),
            Self.counter(
                "accept_failures",
                "Times at which no connection could be accepted.",
                counters.acceptFailures
            ),
            Self.gauge(
                "event_streams",
                "Clients that listen to changes of where they stand.",
                self.gate.eventStreams
            ),
            Self.counter(
                "event_streams_opened",
                "Clients that began to listen.",
                counters.eventStreams
            ),
            Self.counter("events_sent", "Changes that they were told.", counters.eventsSent),
        ]
    }

    var backends: [MetricFamily] {
        var addresses = MetricFamily(
            "versiongate_backend_addresses",
            .gauge,
            "Addresses of a backend; one that fails is left out while others serve."
        )
        var connections = MetricFamily(
            "versiongate_backend_connections",
            .gauge,
            "Connections to a backend that wait for requests (idle), or carry many of them (http2)."
        )
        var failures = MetricFamily(
            "versiongate_backend_failures_total",
            .counter,
            "Connections that could not be opened, and requests without an acceptable answer."
        )
        for backend in self.gate.backends.sorted(by: { $0.name < $1.name }) {
            let name = Label("backend", backend.name)
            let leftOut = backend.addresses.values.count { $0 }
            let serving = backend.addresses.count - leftOut
            addresses.add(.count(UInt64(serving)), [name, Label("state", "serving")])
            addresses.add(.count(UInt64(leftOut)), [name, Label("state", "left_out")])
            let idle = UInt64(backend.idleConnections)
            connections.add(.count(idle), [name, Label("state", "idle")])
            let shared = UInt64(backend.sharedConnections)
            connections.add(.count(shared), [name, Label("state", "http2")])
            let failed = backend.failures
            failures.add(.count(failed.connections), [name, Label("kind", "connection")])
            failures.add(.count(failed.answers), [name, Label("kind", "answer")])
        }
        return [addresses, connections, failures]
    }
}
