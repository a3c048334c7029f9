/// The origin of a client's requests, which the breaker uses to distinguish clients.
package struct ClientAddressKey: Sendable, Hashable {
    /// The maximum number of devices that count as clients for one address.
    ///
    /// A home or an office has several devices, but a thousand made-up device IDs must not count
    /// as a thousand clients.
    package static let maximumDevices: UInt64 = 8

    /// The address, or the part of it that belongs to one client.
    private let bits: UInt64
    /// Whether several clients share the address, for example behind a proxy, so that each device
    /// counts as a client.
    package let isShared: Bool

    package init(bits: UInt64, isShared: Bool) {
        self.bits = bits
        self.isShared = isShared
    }

    /// The key of a client without an address.
    package static let unknown = ClientAddressKey(bits: 0, isShared: true)

    /// Returns the mark of a client with this key, for a sketch.
    ///
    /// - Parameters:
    ///   - hash: The hash function.
    ///   - device: The hash of the client's device; `nil` for a client that sends no device ID.
    /// - Returns: The mark.
    func mark(_ hash: SipHash, device: UInt64?) -> HyperLogLog.Mark {
        let number = device.map { self.isShared ? $0 : $0 % Self.maximumDevices } ?? .max
        var bytes: [UInt8] = []
        for word in [self.bits, number] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return HyperLogLog.Mark(hash: hash.hash(bytes.span))
    }

    /// The digest of the key, for the table of recently seen clients.
    var digest: UInt64 { self.bits &* 0x9E37_79B9_7F4A_7C15 }
}
