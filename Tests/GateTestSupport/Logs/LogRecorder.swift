package import Logging

/// Records log messages as `level message` lines.
package final class LogRecorder: Sendable {
    private let recorded = Watched<[String]>([])

    package init() {}

    package var lines: [String] { self.recorded.current }

    /// Suspends until a line has been logged this many times.
    package func says(
        _ line: String,
        times: Int = 1,
        by deadline: Deadline = .usual
    ) async throws {
        try await self.recorded.reaches("log: \(line)", by: deadline) { lines in
            lines.count { $0 == line } >= times ? true : nil
        }
    }

    package var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(recorder: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel: Logger.Level = .trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            self.recorder.recorded.update { $0.append("\(event.level) \(event.message)") }
        }
    }
}
