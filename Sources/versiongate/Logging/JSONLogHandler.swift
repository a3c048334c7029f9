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

    init(_ log: LogWriter) {
        self.log = log
    }

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
        var object = metadata.mapValues(JSONLogValue.init)
        let time = Date.now.formatted(
            .iso8601.year().month().day().timeZone(separator: .omitted)
                .time(includingFractionalSeconds: true)
        )
        object["time"] = .text(time)
        object["level"] = .text(level.rawValue)
        object["message"] = .text(message.description)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(object) else { return [] }
        return line + Array("\n".utf8)
    }
}

/// A value in a JSON log line: numbers remain numbers, and all other values become strings.
private enum JSONLogValue: Encodable {
    case integer(Int64)
    case count(UInt64)
    case number(Double)
    case text(String)

    init(_ value: Logger.Metadata.Value) {
        switch value {
        case .stringConvertible(let integer as Int): self = .integer(Int64(integer))
        case .stringConvertible(let integer as Int64): self = .integer(integer)
        case .stringConvertible(let count as UInt64): self = .count(count)
        case .stringConvertible(let number as Double): self = .number(number)
        case .string, .stringConvertible, .dictionary, .array: self = .text(value.description)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let integer): try container.encode(integer)
        case .count(let count): try container.encode(count)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}
