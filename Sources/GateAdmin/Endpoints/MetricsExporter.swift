internal import FoundationEssentials
package import GateSystem
package import Logging

/// Sends the metrics to an OpenTelemetry collector at regular intervals, with OTLP over HTTP.
///
/// See https://opentelemetry.io/docs/specs/otlp/#otlphttp.
package struct MetricsExporter: Sendable {
    /// The timeouts of a regular export and of the final export, which delays shutdown.
    private static let (deadline, lastDeadline) = (Duration.seconds(10), Duration.seconds(2))

    private let endpoints: AdminEndpoints
    private let url: FetchURL
    private let interval: Duration
    private let fetcher: Fetcher
    private let logger: Logger

    /// Creates an exporter.
    ///
    /// - Parameters:
    ///   - endpoints: The source of the metrics.
    ///   - url: The URL of the collector for metrics, which usually ends with `/v1/metrics`.
    ///   - interval: The time between two exports.
    ///   - trust: The CA certificates that the collector's certificate is verified against.
    ///   - logger: The log for failures and recoveries.
    /// - Throws: An error if memory, file descriptors or threads are exhausted.
    package init(
        _ endpoints: AdminEndpoints,
        to url: FetchURL,
        every interval: Duration,
        trust: TrustedAuthorities,
        logger: Logger
    ) throws(FetchFailure) {
        self.endpoints = endpoints
        self.url = url
        self.interval = interval
        self.fetcher = try Fetcher(trust: trust)
        self.logger = logger
    }

    /// Exports the metrics until the task is canceled, and then once more.
    ///
    /// The totals count from the start of the gate, so a failed export loses no counts.
    package func run() async {
        var isFailing = false
        while (try? await Task.sleep(for: self.interval)) != nil {
            let failure = await self.export(within: Self.deadline)
            if let failure, !isFailing {
                let metadata: Logger.Metadata = [
                    "url": "\(self.url.text)", "error": "\(failure)",
                ]
                self.logger.warning("the metrics cannot be exported", metadata: metadata)
            } else if failure == nil, isFailing {
                self.logger.notice("the metrics can be exported again")
            }
            isFailing = failure != nil
        }
        // The final export needs a new task, because a fetch fails in a canceled task.
        await Task.detached { _ = await self.export(within: Self.lastDeadline) }.value
    }

    /// Sends the current metrics; returns the reason if the export fails.
    private func export(within deadline: Duration) async -> String? {
        guard let metrics = await self.endpoints.metrics() else { return nil }
        let now = Date().timeIntervalSince1970
        let document = OTLPMetrics(
            metrics.families,
            version: metrics.release.version,
            resource: Self.resource(metrics.release),
            start: metrics.process.startTime ?? now,
            now: now
        )
        do {
            let body = Array(try JSONEncoder().encode(document))
            var limits = FetchLimits.defaults
            limits.deadline = deadline
            let request = FetchRequest(
                self.url,
                method: .post(body: body, type: "application/json"),
                limits: limits
            )
            let response = try await self.fetcher.fetch(request)
            return 200..<300 ~= response.status ? nil : "status \(response.status)"
        } catch {
            return "\(error)"
        }
    }

    private static func resource(_ release: GateView.Release) -> [OTLPMetrics.Attribute] {
        let process = ProcessInfo.processInfo
        let host = process.hostName
        return [
            .init("service.name", "versiongate"), .init("service.version", release.version),
            .init("service.instance.id", "\(host):\(process.processIdentifier)"),
            .init("host.name", host),
        ]
    }
}
