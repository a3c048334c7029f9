/// The place of a client in the roll-out of one rule: always the same, and for each rule another.
///
/// The bucket is a hash of the rule's id and of what tells the client from others: its device id;
/// if it states none, its address; if that is not known either, all that it says of itself. It
/// never changes between gates, runs and releases of VersionGate, so that no client is thrown out
/// of a roll-out again.
struct RolloutBucket: Sendable, Equatable {
    /// The number of buckets: a percentage is exact to its fourth decimal place.
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

    /// Whether the bucket is among the first so many percent.
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
}

extension RolloutBucket {
    /// FNV-1a in 64 bits, and the last step of SplitMix64, without which texts that differ in
    /// their last byte alone would have neighbouring values.
    private struct Hash {
        private var state: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ text: String) {
            for byte in text.utf8 { self.add(byte) }
            // No UTF-8 has this byte: "a", "bc" and "ab", "c" differ.
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
