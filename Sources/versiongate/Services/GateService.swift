import GateProxy
import Logging
import NIOCore
import ServiceLifecycle

/// Keeps the data plane up until the process is asked to stop, then lets it drain.
struct GateService: Service {
    let server: GateServer
    let upstream: Endpoint
    let revision: String
    let drainTimeout: TimeAmount
    let logger: Logger

    func run() async throws {
        self.logger.info(
            "listening",
            metadata: [
                "address": "\(self.address)",
                "upstream": "http://\(self.upstream)",
                "revision": "\(self.revision)",
            ]
        )
        try? await gracefulShutdown()
        self.logger.info("draining")
        let counters = await self.server.counters()
        let inTime = await self.server.shutDown(timeout: self.drainTimeout)
        self.logger.info(
            inTime ? "stopped" : "stopped before every request had come to its end",
            metadata: [
                "requests": "\(counters.requests)",
                "recommended": "\(counters.recommended)",
                "required": "\(counters.required)",
                "observed": "\(counters.observed)",
                "identity_missing": "\(counters.identityMissing)",
                "identity_unreadable": "\(counters.identityUnreadable)",
                "malformed": "\(counters.malformed)",
                "upstream_failures": "\(counters.upstreamFailures)",
                "launch_checks": "\(counters.launchChecks)",
                "event_streams": "\(counters.eventStreams)",
            ]
        )
    }

    private var address: Endpoint {
        Endpoint(host: self.server.address.ipAddress ?? "", port: self.server.address.port ?? 0)
    }
}
