package import GateCensus

/// The secret key that device ids are hashed under.
///
/// With it and a device id somebody could find out whether that device is in a sketch; without it, nobody
/// can. It stays in the state folder, for its owner alone, so that devices are known again after a
/// restart.
package struct CensusKey: Sendable {
    static let fileName = "census.key"

    package let hash: SipHash

    /// The key of a folder, which is made if there is none.
    ///
    /// - Parameter folder: The folder; `nil`: the key ends with the process.
    /// - Throws: The reason for which the key could not be kept.
    package init(in folder: StateFolder?) throws(StateFolder.Failure) {
        if let bytes = try? folder?.read(Self.fileName, atMost: SipHash.keyLength),
            let hash = SipHash(key: bytes)
        {
            self.hash = hash
            return
        }
        let bytes = Self.randomBytes()
        try folder?.replace(Self.fileName, with: bytes)
        guard let hash = SipHash(key: bytes) else { preconditionFailure("16 bytes are a key") }
        self.hash = hash
    }

    /// Stands for the key without telling it.
    package var digest: UInt64 { self.hash.hash(Array("versiongate census".utf8).span) }

    private static func randomBytes() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<SipHash.keyLength).map { _ in .random(in: .min ... .max, using: &generator) }
    }
}
