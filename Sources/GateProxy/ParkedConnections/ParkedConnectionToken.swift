/// The token of a parked connection in epoll events: its event loop, its slot, and its generation
/// in the slot.
struct ParkedConnectionToken: Hashable, Sendable, RawRepresentable {
    let rawValue: UInt64

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Creates a token; `worker` is between 0 and 255, and the low-order 24 bits of `generation`
    /// are used.
    init(worker: Int, slot: Int, generation: UInt32) {
        self.rawValue =
            UInt64(UInt8(truncatingIfNeeded: worker)) << 56
            | UInt64(generation & Self.generationMask) << 32
            | UInt64(UInt32(truncatingIfNeeded: slot))
    }

    var worker: Int { Int(self.rawValue >> 56) }
    var slot: Int { Int(UInt32(truncatingIfNeeded: self.rawValue)) }
    var generation: UInt32 { UInt32(truncatingIfNeeded: self.rawValue >> 32) & Self.generationMask }

    static let lastWorker = 255
    static let generationMask: UInt32 = 0xFF_FFFF
}
