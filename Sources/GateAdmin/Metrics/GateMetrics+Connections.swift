internal import GateProxy

/// Metrics of connections and backends.
extension GateMetrics {
    var connections: [MetricFamily] {
        let counters = self.gate.counters
        return [
            Self.gauge(
                "client_connections",
                "Number of open client connections.",
                self.gate.openConnections
            ),
            Self.gauge(
                "client_connections_parked",
                "Number of idle client connections that are parked, using no memory except for the socket.",
                self.gate.parkedConnections
            ),
            Self.counter(
                "client_connections_accepted",
                "Total number of accepted client connections.",
                counters.connectionsAccepted
            ),
            MetricFamily(
                "versiongate_client_connections_refused_total",
                .counter,
                "Total number of refused client connections."
            )
            .with(.count(counters.connectionsRefused), Label("reason", "connections"))
            .with(
                .count(counters.connectionsPerAddressRefused),
                Label("reason", "connections_per_address")
            )
            .with(.count(counters.proxyHeadersRefused), Label("reason", "proxy_header")),
            Self.counter(
                "accept_failures",
                "Total number of failed attempts to accept a connection.",
                counters.acceptFailures
            ),
            Self.gauge(
                "event_streams",
                "Number of clients connected to the event stream.",
                self.gate.eventStreams
            ),
            Self.counter(
                "event_streams_opened",
                "Total number of event streams opened by clients.",
                counters.eventStreams
            ),
            Self.counter(
                "events_sent",
                "Total number of events sent to clients.",
                counters.eventsSent
            ),
        ]
    }

    var backends: [MetricFamily] {
        var addresses = MetricFamily(
            "versiongate_backend_addresses",
            .gauge,
            "Number of backend addresses; a failing address is excluded while others are serving."
        )
        var connections = MetricFamily(
            "versiongate_backend_connections",
            .gauge,
            "Number of backend connections: idle ones, and HTTP/2 connections shared by requests."
        )
        var failures = MetricFamily(
            "versiongate_backend_failures_total",
            .counter,
            "Total number of failed backend connections, and of requests without a valid response."
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
