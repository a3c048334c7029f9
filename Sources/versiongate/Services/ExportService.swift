import GateAdmin
import GateSystem
import Logging
import ServiceLifecycle

/// Sends the metrics to a collector.
struct ExportService: Service {
    private let exporter: MetricsExporter

    init(
        _ endpoints: AdminEndpoints,
        _ export: (url: FetchURL, interval: Duration),
        _ trust: TrustedAuthorities,
        _ logger: Logger
    ) throws {
        self.exporter = try MetricsExporter(
            endpoints,
            to: export.url,
            every: export.interval,
            trust: trust,
            logger: logger
        )
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.exporter.run() }
    }
}
