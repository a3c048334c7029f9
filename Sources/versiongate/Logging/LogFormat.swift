import Logging

/// How log lines look.
enum LogFormat: String, CaseIterable {
    /// For people: time, level, metadata, message.
    case text
    /// For machines: one JSON object per line.
    case json

    /// Makes every logger of this process write in this format to standard error.
    func install(level: Logger.Level) {
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                switch self {
                case .text: StreamLogHandler.standardError(label: label)
                case .json: JSONLogHandler()
                }
            handler.logLevel = level
            return handler
        }
    }
}
