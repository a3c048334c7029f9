extension Task where Success == Never, Failure == Never {
    /// Suspends until the task is canceled.
    static func waitForCancellation() async {
        for await _ in AsyncStream<Never>(Never.self, { _ in }) {}
    }
}
