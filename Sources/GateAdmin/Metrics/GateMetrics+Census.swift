internal import GateRecords

/// The census.
extension GateMetrics {
    var ofCensus: [MetricFamily] {
        guard let census = self.census else { return [] }
        return self.ofStore + [
            MetricFamily(
                "versiongate_census_kept",
                .gauge,
                "Whether the census outlives the process."
            )
            .with(.count(census.isKept ? 1 : 0)),
            MetricFamily("versiongate_census_bytes", .gauge, "Size of the census.")
                .with(.number(Double(census.bytes))),
            MetricFamily(
                "versiongate_census_overflow_requests_total",
                .counter,
                "Requests that were counted without their client, because there were too many kinds."
            )
            .with(.count(census.overflow)),
            MetricFamily(
                "versiongate_census_lost_sightings_total",
                .counter,
                "Devices that were seen and not counted, because there was no room."
            )
            .with(.count(census.lostSightings)),
            MetricFamily(
                "versiongate_census_write_failures_total",
                .counter,
                "Times at which the census could not be written, and what was new was lost."
            )
            .with(.count(census.failures)),
        ]
    }

    private var ofStore: [MetricFamily] {
        guard let store = self.census?.store else { return [] }
        return [
            MetricFamily(
                "versiongate_census_store_up",
                .gauge,
                "Whether the store of the fleet took what it was handed over last."
            )
            .with(.count(store.isUp ? 1 : 0)),
            MetricFamily(
                "versiongate_census_store_failures_total",
                .counter,
                "Times at which the store of the fleet did not take what it was handed over."
            )
            .with(.count(store.failures)),
        ]
    }
}
