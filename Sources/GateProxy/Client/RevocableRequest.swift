import GatePolicy

/// A request whose response may be long-lived: a WebSocket, an event stream, or a gRPC call.
///
/// The request is kept so that it can be evaluated again when the rules change or a scheduled
/// change is due. It is a class, so that a request without such a response stores and resets only a
/// reference.
final class RevocableRequest {
    let request: ForwardedRequest
    /// The second at which the verdict may change; `nil` if only different rules can change it.
    var validUntil: Timestamp?
    /// The frames of a WebSocket; `nil` for all other requests.
    var webSocket: WebSocketRelay?

    init(_ request: ForwardedRequest, validUntil: Timestamp?, isWebSocket: Bool) {
        self.request = request
        self.validUntil = validUntil
        self.webSocket = isWebSocket ? WebSocketRelay() : nil
    }
}
