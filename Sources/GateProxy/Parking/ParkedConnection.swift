import NIOCore

/// All that is kept of a connection between two requests.
struct ParkedConnection {
    /// The socket.
    let descriptor: CInt
    /// Whether the client is a proxy whose word on addresses is believed.
    let isTrusted: Bool
    /// The client's address as the gate knows it, from wherever it does.
    let address: String
    /// Its place among the connections of its client, if those are counted.
    var place: AddressPlace?
    /// When the client has been silent for too long.
    var deadline: NIODeadline
}
