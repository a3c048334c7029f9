import GateProxy
import Glibc
import Logging

/// The format of log lines.
enum LogFormat: String, CaseIterable {
    /// Human-readable: time, level, metadata, message.
    case text
    /// Machine-readable: one JSON object per line.
    case json

    /// The default access log format for this log format.
    var ofAccessLog: AccessLogFormat {
        switch self {
        case .text: .combined
        case .json: .json
        }
    }

    /// Makes all loggers of this process write to standard error in this format.
    ///
    /// - Returns: The writer, for lines that do not come from a logger.
    func install(level: Logger.Level) -> LogWriter {
        let log = LogWriter(descriptor: STDERR_FILENO) { self.notice(dropped: $0) }
        log.start()
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                switch self {
                case .text: StreamLogHandler(label: label, stream: LogLines(log: log))
                case .json: JSONLogHandler(log: log)
                }
            handler.logLevel = level
            return handler
        }
        return log
    }

    /// Returns the log line that reports the number of dropped lines.
    private func notice(dropped: UInt64) -> [UInt8] {
        let message: Logger.Message = "log lines were dropped because the log was read too slowly"
        switch self {
        case .text:
            return Array("versiongate: warning: \(dropped) \(message)\n".utf8)
        case .json:
            let metadata: Logger.Metadata = ["dropped": .stringConvertible(Int(dropped))]
            return JSONLogHandler.line(.warning, message, metadata)
        }
    }
}

/// A text stream for log handlers that writes to the log.
struct LogLines: TextOutputStream, Sendable {
    let log: LogWriter

    /// Writes one line, including its line feed.
    func write(_ string: String) {
        self.log.write(Self.line(string).span)
    }

    /// Returns the string as one line, with control characters escaped.
    ///
    /// Without the escapes, a line feed in external data could forge one of the gate's log lines.
    static func line(_ text: String) -> [UInt8] {
        var line: [UInt8] = []
        for byte in text.utf8.dropLast() {
            switch byte {
            case 0..<0x20, 0x7F:
                let digits = String(byte, radix: 16, uppercase: true)
                line += Array("\\x\(byte < 0x10 ? "0" : "")\(digits)".utf8)
            default:
                line.append(byte)
            }
        }
        return line + Array("\n".utf8)
    }
}
