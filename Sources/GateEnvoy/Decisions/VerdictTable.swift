import GatePolicy

/// The recent verdicts of one thread.
///
/// A new verdict replaces the one in its slot, so that made-up clients cost evaluations but no memory.
struct VerdictTable {
    /// The number of slots; a power of two.
    private static let slotCount = 2048
    /// The maximum length, in bytes, of a key whose verdict is kept.
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

    /// Returns the verdict for a client and a scope, or the slot for it.
    func find(_ key: [UInt8], _ scope: RequestScope) -> (verdict: EnvoyVerdict?, slot: Int) {
        let slot = Self.slot(of: key, scope)
        guard let entry = self.slots[slot], entry.key == key, entry.scope == scope else {
            return (nil, slot)
        }
        return (entry.verdict, slot)
    }

    /// Keeps a verdict in the slot that `find` returned.
    mutating func keep(_ verdict: EnvoyVerdict, _ key: [UInt8], _ scope: RequestScope, slot: Int) {
        guard key.count <= Self.longestKey else { return }
        // A copy of exactly its size: the caller reuses the memory of its own.
        self.slots[slot] = Entry(Array(key[...]), scope, verdict)
    }
}
