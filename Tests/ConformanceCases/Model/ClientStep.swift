/// One thing that a client does.
enum ClientStep: Sendable {
    case send([UInt8])
    /// Sends in pieces of so many bytes, each in a write of its own.
    case sendInPieces([UInt8], of: Int)
    /// Reads an answer with all interim ones before it.
    case answer
    /// Reads the answer to HEAD.
    case answerToHead
    /// Reads one interim answer.
    case interim
    /// Reads so many bytes as they are.
    case bytes(Int)
    /// Reads up to the answer to the follower, or to the end.
    case readToFollower
    /// Reads up to the end of the connection.
    case readToEnd
    /// Sends the follower and reads up to its answer.
    case follow
    /// Waits until the backend has seen so many requests.
    case awaitRequests(Int)
    /// Waits until so much of the first request's body has come to the backend.
    case awaitBody(Int)
    /// Waits until the first connection to the backend has ended.
    case awaitBackendEnd
    case pause(milliseconds: Int)
    case finishSending
    case reset
    /// Goes on with a new connection; the old one is closed.
    case reconnect

    static func send(_ text: String) -> ClientStep { .send(text.latin1) }
}

extension ClientStep {
    /// A request that lies behind others: its answer shows that the connection still works, and its
    /// arrival that somebody read beyond a fault.
    static let follower = "GET /follower HTTP/1.1\r\nHost: gate\r\n\r\n"
}

extension String {
    /// One byte for each scalar, which is below U+0100.
    var latin1: [UInt8] {
        self.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
