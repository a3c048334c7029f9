import ServiceLifecycle

/// Reads the certificates again when their files have changed.
///
/// They are looked at once a second: a certificate is renewed every few weeks, and this way works
/// on every file system.
struct CertificateService: Service {
    let reloader: CertificateReloader
    /// What the files looked like just before they were read for the first time.
    let loadedState: [FileState]

    private static let interval = Duration.seconds(1)

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var loaded = self.loadedState
            var last = loaded
            while true {
                try await Task.sleep(for: Self.interval)
                let state = self.reloader.state
                // Certificate and key are written one after the other: both must have come to rest.
                if state == last, state != loaded {
                    loaded = state
                    await self.reloader.reload()
                }
                last = state
            }
        }
    }
}
