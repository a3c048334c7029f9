import GateWire
import NIOCore

extension AccessLog {
    /// The log line of a request whose response is not complete yet.
    struct Entry: ~Copyable {
        /// The line without the parts that are only known at the end.
        let line: LogMemory
        /// The index of the time in the line.
        let timeIndex: Int
        /// The index at which the status and the number of bytes are inserted in a text line.
        let statusIndex: Int
        let started: NIODeadline
        /// The ID that the gate assigned to the request, if the client sent no valid ID.
        let newRequestID: RequestID?
        /// Whether the response is from the backend.
        private(set) var isForwarded = false
        /// The status; 0 if the client disconnected before the response.
        private(set) var status = 0
        /// The number of content bytes in the response, including HTTP/1.1 framing.
        var bytes = 0

        /// Records the status of a response that the gate generated.
        mutating func answered(_ status: Int) {
            self.status = status
            self.isForwarded = false
        }

        /// Records the status of a response from the backend.
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
