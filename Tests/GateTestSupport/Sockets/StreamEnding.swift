/// How a peer ended its side of a connection.
package enum StreamEnding: Sendable, Equatable {
    /// In order, with FIN.
    case closed
    /// By RST: what was under way may be lost.
    case reset
}
