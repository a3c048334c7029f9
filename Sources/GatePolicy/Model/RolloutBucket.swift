/// The bucket of a client in the rollout of a rule.
///
/// The bucket of a client is constant, but differs between rules. It is a hash of the rule ID and a
/// property of the client: the device ID, or else the address, or else the whole identity.
/// The hash is the same in all gates, runs and releases of VersionGate, so that clients never drop
/// out of a rollout.
struct RolloutBucket: Sendable, Equatable {
    /// The number of buckets, which makes percentages exact to four decimal places.
    static let count: UInt64 = 1_000_000

    let number: UInt64

    init(ruleID: String, _ identity: ClientIdentity, address: String?) {
        var hash = Hash()
        hash.add(ruleID)
        if let device = identity.device.value {
            hash.add("device")
            hash.add(device)
        } else if let address {
            hash.add("address")
            hash.add(address)
        } else {
            hash.add("identity")
            for part in Self.parts(of: identity) { hash.add(part) }
        }
        self.number = hash.value % Self.count
    }

    /// Whether the bucket is within the first `percent` percent of all buckets.
    func isWithin(_ percent: Double) -> Bool {
        Double(self.number) < percent * Double(Self.count / 100)
    }

    private static func parts(of identity: ClientIdentity) -> [String] {
        [
            identity.app.value, identity.platform.value?.name,
            identity.version.value?.description, identity.build.value?.description,
            identity.channel.value, identity.osVersion.value?.description,
        ].map { $0 ?? "" } + identity.languages.map { $0.tag?.description ?? "*" }
    }

    /// A 64-bit FNV-1a hash with the finalizer of SplitMix64.
    ///
    /// Without the finalizer, strings that differ only in their last byte would have similar
    /// hashes.
    private struct Hash {
        private var state: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ text: String) {
            for byte in text.utf8 { self.add(byte) }
            // UTF-8 never contains this byte, so "a", "bc" and "ab", "c" have different hashes.
            self.add(0xFF)
        }

        private mutating func add(_ byte: UInt8) {
            self.state = (self.state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }

        var value: UInt64 {
            var mixed = self.state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
