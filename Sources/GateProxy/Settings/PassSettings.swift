package import GatePolicy

/// The functions that verify passes, and record which of them were used.
package struct PassSettings: Sendable {
    /// Verifies the value of a pass field for a client, given the current second.
    let read: @Sendable (String, ClientIdentity, Timestamp) -> Pass.Reading
    /// Records the use of a single-use pass; returns `false` if the pass can no longer be used.
    let use: @Sendable (Pass) -> Bool
    /// Whether a single-use pass can still be used.
    let isUsable: @Sendable (Pass) -> Bool

    package init(
        read: @escaping @Sendable (String, ClientIdentity, Timestamp) -> Pass.Reading,
        use: @escaping @Sendable (Pass) -> Bool,
        isUsable: @escaping @Sendable (Pass) -> Bool
    ) {
        self.read = read
        self.use = use
        self.isUsable = isUsable
    }
}
