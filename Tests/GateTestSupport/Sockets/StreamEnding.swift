/// How a peer ended its side of a connection.
package enum StreamEnding: Sendable, Equatable {
    /// With FIN.
    case closed
    /// With RST, so that data in flight may be lost.
    case reset
}
