import GateProxy
import Glibc
import Logging

/// How log lines look.
enum LogFormat: String, CaseIterable {
    /// For people: time, level, metadata, message.
    case text
    /// For machines: one JSON object per line.
    case json

    /// How the access log looks, unless that is set.
    var ofAccessLog: AccessLogFormat {
        switch self {
        case .text: .combined
        case .json: .json
        }
    }

    /// Makes every logger of this process write in this format to standard error.
    ///
    /// - Returns: What writes, for lines that come from no logger.
    func install(level: Logger.Level) -> LogWriter {
        let log = LogWriter(descriptor: STDERR_FILENO) { self.notice(dropped: $0) }
        log.start()
        LoggingSystem.bootstrap { label in
            var handler = self.handler(label, log)
            handler.logLevel = level
            return handler
        }
        return log
    }

    private func handler(_ label: String, _ log: LogWriter) -> any LogHandler {
        switch self {
        case .text: StreamLogHandler(label: label, stream: LogLines(log))
        case .json: JSONLogHandler(log)
        }
    }

    /// The line that says that lines are missing before it.
    private func notice(dropped: UInt64) -> [UInt8] {
        let message: Logger.Message = "log lines were dropped: the log did not take them in time"
        switch self {
        case .text:
            return Array("versiongate: warning: \(dropped) \(message)\n".utf8)
        case .json:
            let metadata: Logger.Metadata = ["dropped": .stringConvertible(Int(dropped))]
            return JSONLogHandler.line(.warning, message, metadata)
        }
    }
}

/// The log as the text that log handlers write to.
struct LogLines: TextOutputStream, Sendable {
    private let log: LogWriter

    init(_ log: LogWriter) {
        self.log = log
    }

    /// Takes one line with its line feed.
    func write(_ string: String) {
        self.log.write(Self.line(string).span)
    }

    /// The same as one line: a line feed in what somebody else has said would look like another line
    /// of the gate's own.
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
