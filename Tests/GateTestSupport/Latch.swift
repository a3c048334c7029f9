/// A latch that a test opens once to release all waiting threads and tasks.
package final class Latch: Sendable {
    private let state = Watched(false)

    package init() {}

    package var isOpen: Bool { self.state.current }

    package func open() {
        self.state.update { $0 = true }
    }

    package func wait(by deadline: Deadline = .after(.seconds(60))) throws {
        try self.state.wait(for: "a latch to open", by: deadline) { $0 ? true : nil }
    }

    /// Suspends until the latch is open.
    package func opens() async throws {
        try await self.state.reaches("a latch to open") { $0 ? true : nil }
    }
}
