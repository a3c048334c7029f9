import ServiceLifecycle

/// Runs background work, such as feeds or metrics export, until its task is canceled.
struct BackgroundService: Service {
    let work: @Sendable () async -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown(self.work)
    }
}

/// Runs work as soon as the gate begins to shut down.
struct ShutdownService: Service {
    let work: @Sendable () async -> Void

    func run() async throws {
        try? await gracefulShutdown()
        await self.work()
    }
}
