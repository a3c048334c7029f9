import CEnvoyModule

/// Wakes a stream of Envoy from another thread.
@safe
final class StreamScheduler: Sendable {
    nonisolated(unsafe) private let scheduler: UnsafeMutableRawPointer

    /// Takes over a scheduler of Envoy.
    init(_ scheduler: UnsafeMutableRawPointer) {
        unsafe self.scheduler = scheduler
    }

    deinit {
        unsafe envoy_dynamic_module_callback_http_filter_scheduler_delete(self.scheduler)
    }

    /// Makes Envoy call the hook for scheduled events on the stream's thread.
    func wake() {
        unsafe envoy_dynamic_module_callback_http_filter_scheduler_commit(self.scheduler, 0)
    }
}
