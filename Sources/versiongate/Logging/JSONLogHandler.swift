import FoundationEssentials
import GateProxy
import Logging

/// A log handler that writes each event as one line of JSON.
///
/// The keys are `time` (RFC 3339, UTC), `level`, `message`, and those of the metadata.
struct JSONLogHandler: LogHandler {
    let log: LogWriter
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = self.metadata.merging(event.metadata ?? [:]) { _, new in new }
        let line = Self.line(event.level, event.message, metadata)
        self.log.write(line.span)
    }

    /// Returns a log line, including the line feed.
    static func line(
        _ level: Logger.Level,
        _ message: Logger.Message,
        _ metadata: Logger.Metadata
    ) -> [UInt8] {
        let time = Date.now.formatted(
            .iso8601.year().month().day().timeZone(separator: .omitted)
                .time(includingFractionalSeconds: true)
        )
        var object = metadata
        object["time"] = .string(time)
        object["level"] = .string(level.rawValue)
        object["message"] = .string(message.description)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(object.mapValues(JSONLogValue.init)) else { return [] }
        return line + Array("\n".utf8)
    }
}

/// A value in a JSON log line: numbers remain numbers, and all other values become strings.
private struct JSONLogValue: Encodable {
    let value: Logger.Metadata.Value

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self.value {
        case .stringConvertible(let integer as Int): try container.encode(integer)
        case .stringConvertible(let integer as Int64): try container.encode(integer)
        case .stringConvertible(let count as UInt64): try container.encode(count)
        case .stringConvertible(let number as Double): try container.encode(number)
        case .string, .stringConvertible, .dictionary, .array:
            try container.encode(self.value.description)
        }
    }
}
