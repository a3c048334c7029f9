/// The token that the kernel hands back when something happens on a parked connection: whose it is,
/// where its record stands, and which of the connections that have stood there it is.
struct ParkedConnectionToken: Hashable, Sendable, RawRepresentable {
    let rawValue: UInt64

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// `worker`: from 0 to 255; of `generation` the low 24 bits count.
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
