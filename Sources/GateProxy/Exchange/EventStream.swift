import GatePolicy
package import GateWire
import NIOCore

/// A client that waits for its decision to change (Server-Sent Events, HTML Living Standard
/// section 9.2).
package struct EventStream: Equatable, Sendable {
    /// The head of the request, to be judged again by other rules.
    let received: ReceivedHead
    /// The client's address.
    let address: String
    private let isChunked: Bool
    /// The tag of the content that the client knows.
    private(set) var tag: String
    /// The second at which the decision may change; `nil` if time alone never changes it.
    private(set) var validUntil: Timestamp?

    /// A line without content shows every hop on the way that the stream lives.
    static let heartbeatInterval = TimeAmount.seconds(15)

    /// Begins a stream for a client that has heard of the content with this tag.
    package init(received: ReceivedHead, address: String, isChunked: Bool, lastTag: String) {
        self.received = received
        self.address = address
        self.isChunked = isChunked
        self.tag = lastTag
    }

    /// The fields of the answer, beside those of the connection.
    static func fields(vary: String, isChunked: Bool) -> [HeaderField] {
        let fields = [
            HeaderField(name: "Content-Type", value: "text/event-stream"),
            HeaderField(name: "Cache-Control", value: "no-store"),
            HeaderField(name: "Vary", value: vary),
            // nginx would keep the events until its buffer is full.
            HeaderField(name: "X-Accel-Buffering", value: "no"),
        ]
        let chunked = HeaderField(name: "Transfer-Encoding", value: "chunked")
        return isChunked ? fields + [chunked] : fields
    }

    /// The beginning: how long to wait after a loss, which differs from client to client so that
    /// they do not all come back at once.
    func opening() -> [UInt8] {
        self.framed("retry: \(Int.random(in: 1_000...10_000))\n\n")
    }

    /// The event that tells a status; `nil` if the client knows it.
    mutating func event(_ status: LaunchStatus) -> [UInt8]? {
        self.validUntil = status.decision.validUntil
        guard status.eventTag != self.tag else { return nil }
        self.tag = status.eventTag
        let data = String(decoding: status.body, as: UTF8.self)
        return self.framed("id: \(status.eventTag)\nevent: decision\ndata: \(data)\n\n")
    }

    func heartbeat() -> [UInt8] {
        self.framed(":\n\n")
    }

    /// The end of the content.
    var ending: [UInt8] {
        self.isChunked ? Array("0\r\n\r\n".utf8) : []
    }

    private func framed(_ text: String) -> [UInt8] {
        guard self.isChunked else { return Array(text.utf8) }
        return Array("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8)
    }
}
