/// Bytes for large bodies that reveal missing, duplicated and moved parts.
package enum BodyPattern {
    /// The repeated block.
    ///
    /// Its length is a prime number, so that it shares no factor with buffer sizes.
    package static let block: [UInt8] = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 * 31 / 7) }

    /// Returns the bytes in a range of the repeated block.
    package static func bytes(_ range: Range<Int>) -> [UInt8] {
        range.map { self.block[$0 % self.block.count] }
    }

    /// Returns the SHA-256 of the first `count` bytes of the repeated block.
    package static func sha256(of count: Int) throws -> String {
        let digest = try StreamDigest()
        for _ in 0..<(count / self.block.count) {
            try digest.update(self.block)
        }
        try digest.update(Array(self.block.prefix(count % self.block.count)))
        return try digest.finish()
    }
}
