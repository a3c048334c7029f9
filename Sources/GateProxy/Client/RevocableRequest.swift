import GatePolicy
import GateWire

/// A request whose response may last: a WebSocket, an event stream, or a gRPC call.
///
/// It is kept to evaluate it again when the rules change or a date in them has come.
struct RevocableRequest {
    private let request: ForwardedRequest
    /// The second at which the verdict may change; `nil` if only other rules can change it.
    var validUntil: Timestamp?
    /// The frames of a WebSocket; `nil` for everything else.
    var webSocket: WebSocketRelay?

    init(_ request: ForwardedRequest, validUntil: Timestamp?, isWebSocket: Bool) {
        self.request = request
        self.validUntil = validUntil
        self.webSocket = isWebSocket ? WebSocketRelay() : nil
    }

    /// The head of the request.
    var received: ReceivedHead { self.request.received }
}
