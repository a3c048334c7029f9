import GatePolicy
import NIOCore

/// A request whose answer goes on (a WebSocket, a stream of events), so that other rules may come
/// to forbid it while it runs.
struct LastingRequest {
    /// The request as it was sent to the backend, which says the same of the client.
    let head: ByteBuffer
    /// The second from which on the verdict may be another one; `nil`: only with other rules.
    var validUntil: Timestamp?
    /// The frames from the backend to the client; `nil` if they are none.
    var frames: WebSocketFrames?
    /// Those from the client to the backend.
    var clientFrames: WebSocketFrames?
    /// Why it ends as soon as a frame of the gate may stand between those of the backend; `nil` as
    /// long as it may go on.
    var revocation: Revocation?

    /// Why a request may not go on.
    enum Revocation {
        /// Until the client is another one.
        case upgrade
        /// For a while.
        case brownout, maintenance
        /// The gate ends.
        case shutdown

        init(_ decision: Decision) {
            self =
                decision.kind == .maintenance
                ? .maintenance : decision.brownout == nil ? .upgrade : .brownout
        }
    }
}
