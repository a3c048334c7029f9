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
            .mapValues(LogValue.init)
        let time = Date.now.formatted(
            .iso8601.year().month().day().timeZone(separator: .omitted)
                .time(includingFractionalSeconds: true)
        )
        object["time"] = .text(time)
        object["level"] = .text(event.level.rawValue)
        object["message"] = .text(event.message.description)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(object) else { return }
        StandardError.write(String(decoding: line, as: UTF8.self))
    }
}

/// A value of a log line: numbers stay numbers, everything else is text.
private enum LogValue: Encodable {
    case integer(Int)
    case number(Double)
    case text(String)

    init(_ value: Logger.Metadata.Value) {
        switch value {
        case .stringConvertible(let integer as Int): self = .integer(integer)
        case .stringConvertible(let number as Double): self = .number(number)
        case .string, .stringConvertible, .dictionary, .array: self = .text(value.description)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        }
    }
}
