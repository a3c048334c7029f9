/// The reason why the gate stopped reading the body of a denied request.
package enum DiscardCut: CaseIterable, Sendable {
    /// The body exceeds the size limit.
    case size
    /// The time limit for the body has passed, or the client has stopped sending data.
    case time
    /// The budget of the connection, the client or the gate is used up.
    case budget
}
