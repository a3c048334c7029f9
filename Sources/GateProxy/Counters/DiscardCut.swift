/// Why the gate does not read a refused body to its end.
package enum DiscardCut: CaseIterable, Sendable {
    /// It is larger than the limit for one.
    case size
    /// It takes longer, or nothing of it comes.
    case time
    /// The client or all clients together have sent too many.
    case budget
}
