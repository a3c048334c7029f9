internal import GateRecords

/// Metrics of the census.
extension GateMetrics {
    var censusMetrics: [MetricFamily] {
        guard let census = self.census else { return [] }
        return self.censusStoreMetrics + [
            MetricFamily(
                "versiongate_census_kept",
                .gauge,
                "Whether the census is stored persistently."
            )
            .with(.count(census.isKept ? 1 : 0)),
            MetricFamily("versiongate_census_bytes", .gauge, "Size of the census in bytes.")
                .with(.number(Double(census.bytes))),
            MetricFamily(
                "versiongate_census_overflow_requests_total",
                .counter,
                "Total number of requests counted without client details because there were too many kinds of clients."
            )
            .with(.count(census.overflow)),
            MetricFamily(
                "versiongate_census_lost_sightings_total",
                .counter,
                "Total number of device sightings not counted for lack of capacity."
            )
            .with(.count(census.lostSightings)),
            MetricFamily(
                "versiongate_census_write_failures_total",
                .counter,
                "Total number of failed census writes; the counts since the previous write are lost."
            )
            .with(.count(census.failures)),
        ]
    }

    private var censusStoreMetrics: [MetricFamily] {
        guard let store = self.census?.store else { return [] }
        return [
            MetricFamily(
                "versiongate_census_store_up",
                .gauge,
                "Whether the last write to the shared census store succeeded."
            )
            .with(.count(store.isUp ? 1 : 0)),
            MetricFamily(
                "versiongate_census_store_failures_total",
                .counter,
                "Total number of failed writes to the shared census store."
            )
            .with(.count(store.failures)),
        ]
    }
}
