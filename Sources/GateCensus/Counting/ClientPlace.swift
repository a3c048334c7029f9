/// The place that a client's requests come from, as the breaker tells clients apart.
package struct ClientPlace: Sendable, Hashable {
    /// Devices that one place can stand for: a home or an office has some, and whoever invents a
    /// thousand of them is still one place.
    package static let mostDevices: UInt64 = 8

    /// The address, or as much of it as belongs to one client.
    private let bits: UInt64
    /// Whether others stand behind it that nobody can tell apart by their address, such as a proxy's
    /// clients: there, each device counts.
    package let isShared: Bool

    package init(bits: UInt64, isShared: Bool) {
        self.bits = bits
        self.isShared = isShared
    }

    /// The place of whoever has no address.
    package static let unknown = ClientPlace(bits: 0, isShared: true)

    /// The change of a sketch by a client from here.
    ///
    /// - Parameters:
    ///   - hash: The hash function.
    ///   - device: The hash of its device; `nil` for a client that names none.
    /// - Returns: The mark.
    func mark(_ hash: SipHash, device: UInt64?) -> HyperLogLog.Mark {
        let number = device.map { self.isShared ? $0 : $0 % Self.mostDevices } ?? .max
        var bytes: [UInt8] = []
        for word in [self.bits, number] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return HyperLogLog.Mark(hash: hash.hash(bytes.span))
    }

    /// Stands for the place in a table of those that were seen last.
    var digest: UInt64 { self.bits &* 0x9E37_79B9_7F4A_7C15 }
}
