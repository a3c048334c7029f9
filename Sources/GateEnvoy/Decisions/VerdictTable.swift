import GatePolicy

/// The recent verdicts of one thread.
///
/// A new verdict replaces the previous verdict in its slot, so that made-up identities cost evaluations, but no
/// additional memory.
struct VerdictTable {
    /// The number of slots; a power of two.
    private static let slotCount = 2048
    /// The maximum length of a key in bytes; verdicts with longer keys are not stored.
    private static let longestKey = 2048

    private final class Entry {
        let key: [UInt8]
        let scope: RequestScope
        let verdict: EnvoyVerdict

        init(_ key: [UInt8], _ scope: RequestScope, _ verdict: EnvoyVerdict) {
            self.key = key
            self.scope = scope
            self.verdict = verdict
        }
    }

    private var slots = [Entry?](repeating: nil, count: Self.slotCount)

    private static func slot(of key: [UInt8], _ scope: RequestScope) -> Int {
        var hasher = Hasher()
        unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        if !scope.isUnrestricted { hasher.combine(scope) }
        return hasher.finalize() & (Self.slotCount - 1)
    }

    /// Returns the verdict for a client and a scope, if there is one, and the slot of the verdict.
    func find(_ key: [UInt8], _ scope: RequestScope) -> (verdict: EnvoyVerdict?, slot: Int) {
        let slot = Self.slot(of: key, scope)
        guard let entry = self.slots[slot], entry.key == key, entry.scope == scope else {
            return (nil, slot)
        }
        return (entry.verdict, slot)
    }

    /// Stores a verdict in the slot that `find` returned.
    mutating func keep(_ verdict: EnvoyVerdict, _ key: [UInt8], _ scope: RequestScope, slot: Int) {
        guard key.count <= Self.longestKey else { return }
        // The key is copied to an array of its exact size, because the caller reuses the memory of `key`.
        self.slots[slot] = Entry(Array(key[...]), scope, verdict)
    }
}
