internal import GatePolicy
internal import GateProxy

/// Metrics of connections and backends.
extension GateMetrics {
    var connections: [MetricFamily] {
        let counters = self.gate.counters
        return [
            .gauge("client_connections", "Number of open client connections.")
                .with(.number(Double(self.gate.openConnections))),
            .gauge(
                "client_connections_parked",
                "Number of idle client connections that are parked to save memory."
            )
            .with(.number(Double(self.gate.parkedConnections))),
            .counter("client_connections_accepted", "Total number of accepted client connections.")
                .with(.count(counters.connectionsAccepted)),
            .counter("client_connections_refused", "Total number of refused client connections.")
                .with(.count(counters.connectionsRefused), Label("reason", "connections"))
                .with(
                    .count(counters.connectionsPerAddressRefused),
                    Label("reason", "connections_per_address")
                )
                .with(.count(counters.proxyHeadersRefused), Label("reason", "proxy_header")),
            .counter("accept_failures", "Total number of failed attempts to accept a connection.")
                .with(.count(counters.acceptFailures)),
            .gauge("event_streams", "Number of clients connected to the event stream.")
                .with(.number(Double(self.gate.eventStreams))),
            .counter("event_streams_opened", "Total number of event streams opened by clients.")
                .with(.count(counters.eventStreams)),
            .counter("events_sent", "Total number of events sent to clients.")
                .with(.count(counters.eventsSent)),
        ]
    }

    var backends: [MetricFamily] {
        var addresses = MetricFamily.gauge(
            "backend_addresses",
            "Number of backend addresses; a failing address is excluded while others are serving."
        )
        var connections = MetricFamily.gauge(
            "backend_connections",
            "Number of idle backend connections, and of HTTP/2 connections shared by requests."
        )
        var failures = MetricFamily.counter(
            "backend_failures",
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
