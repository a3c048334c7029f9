import GateWire
import NIOCore

extension AccessLog {
    /// A request's line until its answer is complete.
    struct Entry: ~Copyable {
        /// The line as far as it is known, without what is known at the end only.
        let line: LogMemory
        /// The place of the time in the line.
        let timeIndex: Int
        /// The place of the status and of the number of bytes in a line of text.
        let statusIndex: Int
        let started: NIODeadline
        /// The name that the gate gave the request, if the client gave none.
        let newRequestID: RequestID?
        /// Whether the answer is the backend's.
        private(set) var isForwarded = false
        /// 0: there was none before the client went away.
        private(set) var status = 0
        /// Bytes of the answer's content, with the framing of HTTP/1.1.
        var bytes = 0

        /// The gate answers itself.
        mutating func answered(_ status: Int) {
            self.status = status
            self.isForwarded = false
        }

        /// The backend's answer goes to the client.
        mutating func forwarded(_ status: Int) {
            self.status = status
            self.isForwarded = true
        }

        init(
            line: consuming LogMemory,
            timeIndex: Int,
            statusIndex: Int,
            started: NIODeadline,
            newRequestID: RequestID?
        ) {
            self.line = line
            self.timeIndex = timeIndex
            self.statusIndex = statusIndex
            self.started = started
            self.newRequestID = newRequestID
        }
    }
}
