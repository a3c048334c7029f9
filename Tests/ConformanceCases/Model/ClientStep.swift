/// An action of a client.
enum ClientStep: Sendable {
    case send([UInt8])
    /// Sends the bytes in parts of this size, each in a separate write.
    case sendInPieces([UInt8], of: Int)
    /// Reads a response, including the interim responses before it.
    case answer
    /// Reads the response to HEAD.
    case answerToHead
    /// Reads an interim response.
    case interim
    /// Reads this number of raw bytes.
    case bytes(Int)
    /// Reads up to the response to the follower, or up to the end of the connection.
    case readToFollower
    /// Reads up to the end of the connection.
    case readToEnd
    /// Sends the follower and reads up to its response.
    case follow
    /// Waits until the backend has received this number of requests.
    case awaitRequests(Int)
    /// Waits until the backend has received this much of the first request's body.
    case awaitBody(Int)
    /// Waits until the first connection to the backend has ended.
    case awaitBackendEnd
    case pause(milliseconds: Int)
    case finishSending
    case reset
    /// Continues with a new connection; the old one is closed.
    case reconnect

    static func send(_ text: String) -> ClientStep { .send(text.latin1) }
}

extension ClientStep {
    /// A request that follows others.
    ///
    /// Its response shows that the connection still works. Its arrival at the backend shows that bytes after a fault
    /// were read.
    static let follower = "GET /follower HTTP/1.1\r\nHost: gate\r\n\r\n"
}

extension String {
    /// The text with one byte per scalar; each scalar must be below U+0100.
    var latin1: [UInt8] {
        self.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}
