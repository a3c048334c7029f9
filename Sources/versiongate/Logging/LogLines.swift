import GateProxy
import Logging
import NIOCore

/// The log as the text that log handlers write to.
struct LogLines: TextOutputStream, Sendable {
    private let log: LogWriter

    init(_ log: LogWriter) {
        self.log = log
    }

    /// Takes one line with its line feed.
    func write(_ string: String) {
        self.log.write(ByteBuffer(bytes: Self.line(string)))
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
