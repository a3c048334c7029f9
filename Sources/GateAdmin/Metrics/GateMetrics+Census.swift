internal import GateControl
internal import GateRecords

/// Metrics of the census.
extension GateMetrics {
    var censusMetrics: [MetricFamily] {
        guard let census = self.census else { return [] }
        return [
            .gauge("census_kept", "Whether the census is stored persistently.")
                .with(.count(census.isKept ? 1 : 0)),
            .gauge("census_bytes", "Size of the census in bytes.")
                .with(.number(Double(census.bytes))),
            .counter(
                "census_overflow_requests",
                "Total number of requests counted without client details because there were too many kinds of clients."
            )
            .with(.count(census.overflow)),
            .counter(
                "census_lost_sightings",
                "Total number of device sightings not counted for lack of capacity."
            )
            .with(.count(census.lostSightings)),
            .counter(
                "census_write_failures",
                "Total number of failed census writes; the counts since the previous write are lost."
            )
            .with(.count(census.failures)),
        ]
    }

    var censusStoreMetrics: [MetricFamily] {
        guard let store = self.census?.store else { return [] }
        return [
            .gauge(
                "census_store_up",
                "Whether the last write to the shared census store succeeded."
            )
            .with(.count(store.isUp ? 1 : 0)),
            .counter(
                "census_store_failures",
                "Total number of failed writes to the shared census store."
            )
            .with(.count(store.failures)),
        ]
    }
}
