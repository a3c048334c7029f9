import GatePolicy
package import GateWire
import NIOCore

/// An event stream that notifies a client when its decision changes.
///
/// The stream uses server-sent events (HTML Living Standard, section 9.2).
package struct EventStream: Equatable, Sendable {
    /// The head of the request, for evaluation against new rules.
    let received: ReceivedHead
    /// The address of the client.
    let address: String
    private let isChunked: Bool
    /// The tag of the content that the client received last.
    private(set) var tag: String
    /// The second at which the decision may change; `nil` if the decision does not depend on the time.
    private(set) var validUntil: Timestamp?

    /// The interval between heartbeats, which are comment lines that show intermediaries that the stream is alive.
    static let heartbeatInterval = TimeAmount.seconds(15)

    /// Creates a stream for a client that has already received the content with the tag `lastTag`.
    package init(received: ReceivedHead, address: String, isChunked: Bool, lastTag: String) {
        self.received = received
        self.address = address
        self.isChunked = isChunked
        self.tag = lastTag
    }

    /// Returns the response fields, except those that depend on the connection.
    static func fields(vary: String, isChunked: Bool) -> [HeaderField] {
        let fields = [
            HeaderField(name: "Content-Type", value: "text/event-stream"),
            HeaderField(name: "Cache-Control", value: "no-store"),
            HeaderField(name: "Vary", value: vary),
            // Without this field, nginx would buffer the events.
            HeaderField(name: "X-Accel-Buffering", value: "no"),
        ]
        let chunked = HeaderField(name: "Transfer-Encoding", value: "chunked")
        return isChunked ? fields + [chunked] : fields
    }

    /// Returns the start of the stream.
    ///
    /// The start contains a random reconnection time, so that not all clients reconnect at the same time.
    func opening() -> [UInt8] {
        self.framed("retry: \(Int.random(in: 1_000...10_000))\n\n")
    }

    /// Returns the event for a status, or `nil` if the client has already received this status.
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

    /// The bytes that end the content.
    var ending: [UInt8] {
        self.isChunked ? Array("0\r\n\r\n".utf8) : []
    }

    private func framed(_ text: String) -> [UInt8] {
        guard self.isChunked else { return Array(text.utf8) }
        return Array("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8)
    }
}
