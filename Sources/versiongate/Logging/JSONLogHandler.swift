import FoundationEssentials
import Logging

/// Writes each log event as one line of JSON to standard error: `time` (RFC 3339, UTC), `level`,
/// `message`, and the metadata as further keys.
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var object = self.metadata
            .merging(event.metadata ?? [:]) { _, new in new }
            .mapValues(\.description)
        object["time"] = Date.now.formatted(
            .iso8601.year().month().day().timeZone(separator: .omitted)
                .time(includingFractionalSeconds: true)
        )
        object["level"] = event.level.rawValue
        object["message"] = event.message.description
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(object) else { return }
        StandardError.write(String(decoding: line, as: UTF8.self))
    }
}
