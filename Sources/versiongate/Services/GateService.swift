import GateProxy
import Logging
import NIOCore
import ServiceLifecycle

/// Keeps the data plane running until graceful shutdown, then drains it.
struct GateService: Service {
    let server: GateServer
    /// The address of the admin listener, if there is one.
    let adminAddress: SocketAddress?
    let upstream: UpstreamSettings
    let revision: String
    let drainTimeout: TimeAmount
    let manager: ServiceManager?
    let log: LogWriter
    let logger: Logger

    /// The error for a listening socket that closes before graceful shutdown.
    struct ListenerClosed: Error {}

    /// Notifies the service manager that the gate accepts connections.
    func announce() {
        let addresses = [self.server.clientAddress, self.server.gatewayAddress].compactMap(\.self)
        let text = addresses.map { "\(Endpoint($0))" }.joined(separator: " and ")
        self.manager?.tell(.ready, .status("listening on \(text)"))
    }

    func run() async throws {
        var metadata: Logger.Metadata = ["revision": "\(self.revision)"]
        if let address = self.server.clientAddress {
            metadata["address"] = "\(Endpoint(address))"
            let targets = self.upstream.targets.map(\.description)
            metadata["upstream"] = "\(targets.joined(separator: ", "))"
            for backend in self.upstream.named {
                let targets = backend.targets.map(\.description).joined(separator: ", ")
                metadata["upstream-\(backend.name)"] = "\(targets)"
            }
        }
        metadata["decide_address"] = self.server.gatewayAddress.map { "\(Endpoint($0))" }
        metadata["tls_address"] = self.server.tlsAddress.map { "\(Endpoint($0))" }
        metadata["admin_address"] = self.adminAddress.map { "\(Endpoint($0))" }
        self.logger.info("listening", metadata: metadata)
        guard await self.wasAskedToStop() else {
            self.logger.error("the listener closed unexpectedly")
            throw ListenerClosed()
        }
        self.manager?.tell(.stopping, .status("completing in-flight requests"))
        await self.server.leave()
        self.logger.info("draining")
        let counters = await self.server.statistics()?.counters ?? GateCounters()
        let inTime = await self.server.shutDown(timeout: self.drainTimeout)
        let counts = [
            "requests": counters.requests,
            "recommended": counters.recommended,
            "required": counters.required,
            "observed": counters.observed,
            "identity_missing": counters.identityMissing,
            "identity_unreadable": counters.identityUnreadable,
            "malformed": counters.malformed,
            "upstream_failures": counters.upstreamFailures,
            "launch_checks": counters.launchChecks,
            "event_streams": counters.eventStreams,
            "connections_refused": counters.connectionsRefused,
            "connections_per_address_refused": counters.connectionsPerAddressRefused,
            "proxy_headers_refused": counters.proxyHeadersRefused,
            "requests_shed": counters.requestsShed,
            "requests_late": counters.requestsLate,
            "descriptors_exhausted": counters.descriptorsExhausted,
            "accept_failures": counters.acceptFailures,
            "log_lines_dropped": self.log.droppedLines,
        ]
        self.logger.info(
            inTime ? "stopped" : "stopped before all requests were complete",
            metadata: counts.mapValues { .stringConvertible($0) }
        )
    }

    /// Waits for graceful shutdown or for the listener to close; returns false if the listener has closed.
    private func wasAskedToStop() async -> Bool {
        await withTaskGroup { group in
            group.addTask {
                try? await gracefulShutdown()
                return true
            }
            group.addTask {
                await self.server.waitUntilListenerClosed()
                return false
            }
            let wasAsked = await group.next() ?? true
            group.cancelAll()
            return wasAsked
        }
    }
}
