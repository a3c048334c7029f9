import CEnvoyModule

/// The counter of evaluated requests, which is part of Envoy's statistics.
struct RequestCounter {
    static let name = "versiongate_requests_total"
    /// The labels, as in the metrics of the gate.
    static let labels = ["app", "platform", "decision", "rule", "mode"]

    fileprivate let metric: Int

    /// Defines the counter; `nil` if Envoy rejects it.
    ///
    /// Envoy accepts new metrics only while it creates the configuration of a filter.
    init?(_ envoy: UnsafeMutableRawPointer) {
        let name = TextBlock([Self.name])
        let labels = TextBlock(Self.labels)
        var metric = 0
        let result = unsafe name.withTexts { name in
            unsafe labels.withTexts { labels in
                unsafe envoy_dynamic_module_callback_http_filter_config_define_counter(
                    envoy,
                    name[0],
                    labels.baseAddress,
                    labels.count,
                    &metric
                )
            }
        }
        guard result == VERSIONGATE_ENVOY_METRIC_SUCCESS else { return nil }
        self.metric = metric
    }
}

extension EnvoyStream {
    /// Adds requests to the counter with the given label values.
    func count(_ requests: UInt64, _ counter: RequestCounter, _ values: TextBlock) {
        unsafe values.withTexts { values in
            _ = unsafe envoy_dynamic_module_callback_http_filter_increment_counter(
                self.filter,
                counter.metric,
                values.baseAddress,
                values.count,
                requests
            )
        }
    }

    /// Sets a value of the dynamic metadata under `versiongate`.
    func setMetadata(_ key: ModuleBytes, _ value: ModuleBytes) {
        Self.space.withUTF8Buffer { space in
            unsafe envoy_dynamic_module_callback_http_set_dynamic_metadata_string(
                self.filter,
                ModuleBytes(space),
                key,
                value
            )
        }
    }

    private static let space: StaticString = "versiongate"
}
