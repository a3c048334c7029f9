import GatePolicy

/// A request whose response may be long-lived, such as a WebSocket, an event stream, or a gRPC call.
///
/// The request is kept so that it can be evaluated again when the rules change or a scheduled change is due. The type
/// is a class so that, for all other requests, only a reference is stored and reset.
final class RevocableRequest {
    let request: ForwardedRequest
    /// The second at which the verdict may change; `nil` if only new rules can change the verdict.
    var validUntil: Timestamp?
    /// The state of a WebSocket; `nil` for all other requests.
    var webSocket: WebSocketRelay?

    init(_ request: ForwardedRequest, validUntil: Timestamp?, isWebSocket: Bool) {
        self.request = request
        self.validUntil = validUntil
        self.webSocket = isWebSocket ? WebSocketRelay() : nil
    }
}
